'use strict';
// Draws the recordings that the page carries. Texts of a recording go through textContent and fillText alone.
const timelines = [];
// Of a page about two recordings, each is drawn by itself; what is shown of one is shown of the other, on one scale.
['', '-before', '-after'].forEach(suffix => {
  const byId = id => document.getElementById(id + suffix);
  const data = byId('recording');
  const root = byId('timeline-view');
  if (!data || !root) return;
  const VERSION = 2, BINS = 8192, AXIS = 22, LANE = 16, GAP = 6, LEAST_NS = 20;
  const DEVICE = 1, CAUSES = 2, THREAD = 5;
  let scene, view, selected = null, marked = null, measured = null, measuring = false, found = null;
  let palette = [], moreStyles = [], ink = {}, rows = [], height = 0, current = 0, queued = false, hashTimer = 0;

  // ---- small helpers ----
  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
    element.append(...children);
    return element;
  }
  function button(text, title, action) {
    const element = make('button', {type: 'button', title}, text);
    element.addEventListener('click', action);
    return element;
  }
  function digits(value) {
    return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
  }
  function duration(ns) {
    if (ns < 0) return '-' + duration(-ns);
    if (ns < 999.5) return Math.round(ns) + ' ns';
    if (ns < 999500) return digits(ns / 1e3) + ' us';
    if (ns < 999.5e6) return digits(ns / 1e6) + ' ms';
    return digits(ns / 1e9) + ' s';
  }
  function point(ns, step) {
    const [unit, name] = Math.abs(ns) >= 1e9 || step >= 1e8 ? [1e9, 's'] : Math.abs(ns) >= 1e6 || step >= 1e5 ? [1e6, 'ms']
      : Math.abs(ns) >= 1e3 || step >= 100 ? [1e3, 'us'] : [1, 'ns'];
    const decimals = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
    return (ns / unit).toFixed(decimals) + ' ' + name;
  }
  function count(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
  }
  function percent(ratio) {
    return (ratio * 100).toFixed(1) + '%';
  }
  function clamp(value, low, high) {
    return Math.max(low, Math.min(high, value));
  }

  // ---- reading ----
  async function inflated() {
    const text = data.textContent.trim();
    let bytes;
    if (Uint8Array.fromBase64) {
      bytes = Uint8Array.fromBase64(text);
    } else {
      const raw = atob(text);
      bytes = new Uint8Array(raw.length);
      for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    }
    return unzipped(bytes);
  }
  async function unzipped(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  function read(bytes) {
    let at = 0;
    function number() {
      let byte = bytes[at++];
      if (byte < 128) return byte;
      let value = byte & 127, shift = 128;
      do {
        byte = bytes[at++];
        value += (byte & 127) * shift;
        shift *= 128;
      } while (byte > 127);
      return value;
    }
    function signed() {
      const value = number();
      return value % 2 ? -(value + 1) / 2 : value / 2;
    }
    const utf8 = new TextDecoder();
    function list(item) {
      const items = new Array(number());
      for (let i = 0; i < items.length; i++) items[i] = item();
      return items;
    }
    function lane() {
      const n = number();
      const start = new Float64Array(n), end = new Float64Array(n), name = new Uint32Array(n), kind = new Uint8Array(n);
      let link = null, last = 0;
      for (let i = 0; i < n; i++) start[i] = signed();
      for (let i = 0; i < n; i++) {
        start[i] += last;
        last = end[i] = start[i] + number();
      }
      for (let i = 0; i < n; i++) name[i] = number();
      for (let i = 0; i < n; i++) kind[i] = number();
      last = 0;
      for (let i = 0; i < n; i++) {
        last += signed();
        if (last && !link) link = new Uint32Array(n);
        if (link) link[i] = last;
      }
      const leftOut = number(), bins = [];
      if (leftOut) {
        for (let c = number(); c > 0; c = number()) {
          const sums = new Float64Array(BINS + 1);
          let bin = 0;
          for (let filled = number(); filled > 0; filled--) {
            bin += number();
            sums[++bin] = number();
          }
          for (let i = 1; i <= BINS; i++) sums[i] += sums[i - 1];
          bins[c - 1] = sums;
        }
      }
      const made = {n, start, end, name, kind, link, leftOut, bins};
      made.lists = byClass(made);
      return made;
    }
    if (number() !== VERSION) throw new Error('the data of this page is of another version');
    const duration = number();
    const names = list(() => {
      const length = number();
      at += length;
      return utf8.decode(bytes.subarray(at - length, at));
    });
    const classes = list(() => ({label: names[number()], style: names[number()]}));
    const tracks = list(() => {
      const track = {kind: number(), label: names[number()], group: names[number()], open: number(), lanes: null};
      track.first = track.open;
      track.lanes = list(lane);
      track.trunk = trunk(track);
      thin(track);
      return track;
    });
    const trees = list(() => {
      const key = names[number()], n = number();
      const tree = {key, n, names, depth: new Uint16Array(n), name: new Uint32Array(n), kind: new Uint8Array(n), self: new Float64Array(n)};
      for (let i = 0; i < n; i++) {
        tree.depth[i] = number();
        tree.name[i] = number();
        tree.kind[i] = number();
        tree.self[i] = number();
      }
      return tree;
    });
    return {duration, names, classes, tracks, trees};
  }
  // How many outermost lanes hold one event alone, such as the frames that a program starts with: they are shown when asked for.
  function trunk(track) {
    let deep = 0;
    while (deep + track.open < track.lanes.length && track.lanes[deep].n === 1 && track.lanes[deep + 1].n === 1) deep++;
    return deep;
  }
  // A lane that is all but empty above full ones, such as the frames of a profiler that starts, takes no room until its track is opened.
  function thin(track) {
    let below = 0;
    for (const lane of [...track.lanes].reverse()) {
      const ns = lane.lists.reduce((sum, list) => sum + list.before[list.before.length - 1] + (list.bins ? list.bins[BINS] : 0), 0);
      lane.thin = ns * 50 < below;
      below = Math.max(below, ns);
    }
  }
  // The events of a lane by a key, -1 for none, with the sum of their lengths up to each: what any stretch holds is a difference of two sums.
  function lists(lane, keyOf) {
    const sizes = [];
    for (let i = 0; i < lane.n; i++) {
      const key = keyOf(i);
      if (key >= 0) sizes[key] = (sizes[key] || 0) + 1;
    }
    const all = sizes.map(n => ({index: new Uint32Array(n), before: new Float64Array(n + 1), n: 0}));
    for (let i = 0; i < lane.n; i++) {
      const list = all[keyOf(i)];
      if (!list) continue;
      list.index[list.n] = i;
      list.before[list.n + 1] = list.before[list.n] + lane.end[i] - lane.start[i];
      list.n++;
    }
    return all;
  }
  const none = () => ({index: new Uint32Array(0), before: new Float64Array(1), n: 0});
  function byClass(lane) {
    const all = lists(lane, i => lane.kind[i]);
    lane.bins.forEach((bins, c) => (all[c] = all[c] || none()).bins = bins);
    all.forEach((list, c) => list.c = c);
    return all.filter(list => list);
  }
  // How much of [0, t) a list covers. The hint is where the last answer lay: pixels are asked from left to right.
  function covered(lane, list, t, hint) {
    const index = list.index, start = lane.start, n = index.length;
    let low = hint.at;
    if (low > n || (low > 0 && start[index[low - 1]] >= t)) low = 0;
    let step = 1, high = low;
    while (high < n && start[index[high]] < t) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = Math.min(high, n);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (start[index[middle]] < t) low = middle + 1;
      else high = middle;
    }
    hint.at = low;
    let sum = 0;
    if (low > 0) {
      const last = index[low - 1];
      sum = list.before[low - 1] + Math.min(t, lane.end[last]) - start[last];
    }
    if (list.bins) {
      const edge = bin => Math.floor(scene.duration * bin / BINS);
      let bin = clamp(Math.floor(t / scene.duration * BINS), 0, BINS - 1);
      while (bin > 0 && edge(bin) > t) bin--;
      while (bin < BINS - 1 && edge(bin + 1) <= t) bin++;
      const part = clamp((t - edge(bin)) / Math.max(1, edge(bin + 1) - edge(bin)), 0, 1);
      sum += list.bins[bin] + part * (list.bins[bin + 1] - list.bins[bin]);
    }
    return sum;
  }
  function within(lane, list, from, to) {
    return covered(lane, list, to, {at: 0}) - covered(lane, list, from, {at: 0});
  }
  // The first event that ends after t.
  function firstAfter(lane, t) {
    let low = 0, high = lane.n;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lane.end[middle] > t) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  function firstFrom(lane, t) {
    let low = 0, high = lane.n;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lane.start[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // ---- the page's elements ----
  root.textContent = '';
  const search = make('input', {type: 'search', id: 'timeline-search' + suffix, autocomplete: 'off', spellcheck: 'false'});
  const matches = make('span', {class: 'aside', 'aria-live': 'polite'});
  const measureButton = button('Measure', 'Drag over a stretch to measure it (m)', () => measure(!measuring));
  measureButton.setAttribute('aria-pressed', 'false');
  const bar = make('div', {class: 'tools'},
    make('label', {for: 'timeline-search' + suffix}, 'Search'), search, matches,
    button('Fit', 'Show the whole window (0)', () => show(0, longest())),
    button('+', 'Zoom in', () => zoom(0.5)), button('\u2212', 'Zoom out', () => zoom(2)),
    button('\u2190', 'Earlier', () => pan(-0.25)), button('\u2192', 'Later', () => pan(0.25)),
    measureButton, button('Keys', 'Show the keys (?)', help));
  const keys = make('p', {class: 'aside', hidden: ''},
    'In the timeline: arrows move and zoom; [ and ] go to the gap before and after; n and p to the next and previous event of a lane, '
    + 'j and k to the lane below and above; Enter zooms to the event; o opens and closes a track; f goes to the next finding; / searches; '
    + '0 shows all; m measures the event or what is shown, Shift and arrows move its end; Escape ends. With the mouse: drag to move, Ctrl and wheel to zoom, drag on the axis to zoom in, '
    + 'Shift and drag to measure, click a name at the left to open its track.');
  const map = make('canvas', {class: 'map', 'aria-hidden': 'true'});
  const canvas = make('canvas', {class: 'lanes', tabindex: '0', role: 'application',
    'aria-label': 'Timeline. Question mark lists its keys.', 'aria-describedby': 'timeline-said' + suffix});
  const spacer = make('div', {class: 'spacer'});
  const box = make('div', {class: 'box'}, canvas, spacer);
  const panel = make('div', {class: 'panel'});
  const said = make('p', {class: 'said', id: 'timeline-said' + suffix, 'aria-live': 'polite'});
  const visible = make('tbody');
  const tableTitle = make('span');
  const table = make('details', {},
    make('summary', {}, make('h3', {}, 'What is visible, as a table'), ' ', tableTitle),
    make('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'What is visible'},
      make('table', {}, make('thead', {}, heads(['Name', 'Track', 'Class', 'Count', 'Time', 'Share', 'Shortest', 'Longest'])), visible)));
  const legend = make('ul', {class: 'legend'});
  root.append(bar, keys, map, box, said, panel, legend, table);
  table.addEventListener('toggle', fillTable);

  function heads(titles) {
    const row = make('tr');
    titles.forEach((title, i) => row.append(make('th', {scope: 'col', class: i > 2 ? 'number' : 'words'}, title)));
    return row;
  }
  function help() {
    keys.hidden = !keys.hidden;
  }
  function measure(on) {
    measuring = on;
    measureButton.setAttribute('aria-pressed', String(on));
    if (on) say('Drag over a stretch to measure it; Escape ends.');
    if (!on && measured) {
      measured = null;
      changed();
    }
  }
  // Without a mouse: the chosen event, the place that a link led to, or what is shown; Shift and arrows move the end.
  function measureByKey() {
    measure(!measuring);
    if (!measuring) return;
    const event = selected && {from: selected.lane.start[selected.i], to: selected.lane.end[selected.i]};
    const {from, to} = event || marked || view;
    measured = {from, to};
    moveEnd(0);
  }
  function moveEnd(part) {
    measured.to = clamp(measured.to + part * (view.to - view.from), measured.from, longest());
    tellMeasured();
    changed();
  }
  function say(text) {
    said.textContent = text;
  }

  // ---- colours: those of the style sheet ----
  function colours() {
    const probe = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    probe.setAttribute('class', 'swatch');
    probe.append(rect);
    root.append(probe);
    palette = [...scene.classes.map(kind => kind.style), ...moreStyles].map(style => {
      rect.setAttribute('class', style);
      const rgb = (getComputedStyle(rect).fill.match(/[\d.]+/g) || [128, 128, 128]).map(Number);
      return {r: rgb[0], g: rgb[1], b: rgb[2], css: 'rgb(' + rgb.slice(0, 3).join(',') + ')',
        text: rgb[0] * 0.299 + rgb[1] * 0.587 + rgb[2] * 0.114 > 140 ? '#000' : '#fff'};
    });
    probe.remove();
    const style = getComputedStyle(document.documentElement);
    for (const name of ['page', 'card', 'ink', 'soft', 'line', 'link', 'code']) ink[name] = style.getPropertyValue('--' + name).trim();
    const pixel = make('canvas', {width: 1, height: 1}).getContext('2d');
    pixel.fillStyle = ink.code;
    pixel.fillRect(0, 0, 1, 1);
    ink.back = pixel.getImageData(0, 0, 1, 1).data;
  }
  function swatch(style) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('class', 'swatch');
    svg.setAttribute('viewBox', '0 0 10 10');
    svg.setAttribute('aria-hidden', 'true');
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    rect.setAttribute('class', style);
    rect.setAttribute('width', '10');
    rect.setAttribute('height', '10');
    svg.append(rect);
    return svg;
  }

  // ---- layout ----
  function layout() {
    rows = [];
    let y = 0;
    scene.tracks.forEach((track, t) => {
      const all = track.open >= track.lanes.length, h = track.kind === DEVICE || track.kind === CAUSES ? 22 : LANE;
      track.y = y;
      const seen = track.lanes.filter((lane, l) => all || l >= track.trunk && !lane.thin).slice(0, track.open);
      seen.forEach(lane => {
        rows.push({t, lane, track, y, h});
        y += h;
      });
      track.seen = seen.length;
      track.h = y - track.y;
      y += GAP;
    });
    height = y;
    const tall = Math.min(height + AXIS + 4, Math.max(280, Math.round(innerHeight * (suffix ? 0.4 : 0.62))));
    // Not as style attributes: a saved page would hold them, and its policy forbids them.
    sizes.replaceSync('#timeline' + suffix + ' .box { height: ' + tall + 'px; } #timeline' + suffix + ' .spacer { height: ' + Math.max(0, height + AXIS - tall + 6) + 'px; }');
  }
  const sizes = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sizes];
  function gutter() {
    return Math.round(clamp(canvas.clientWidth * 0.2, 72, 210));
  }
  function plotWidth() {
    return Math.max(10, canvas.clientWidth - gutter());
  }
  function xOf(t) {
    return gutter() + (t - view.from) / (view.to - view.from) * plotWidth();
  }
  function timeAt(x) {
    return view.from + (x - gutter()) / plotWidth() * (view.to - view.from);
  }

  // ---- drawing ----
  function changed() {
    if (!queued) {
      queued = true;
      requestAnimationFrame(() => {
        queued = false;
        draw();
        drawMap();
        if (table.open) fillTable();
      });
    }
  }
  const strip = document.createElement('canvas');
  function size(target, width, tall) {
    const ratio = devicePixelRatio || 1;
    if (target.width !== Math.round(width * ratio) || target.height !== Math.round(tall * ratio)) {
      target.width = Math.round(width * ratio);
      target.height = Math.round(tall * ratio);
    }
    const context = target.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }
  // Writes the shares of classes in each pixel of a stretch into one row of an image.
  function coverage(lane, from, to, width, pixels, at, dim) {
    const step = (to - from) / width, back = ink.back;
    const lists = lane.lists, hints = lists.map(() => ({at: 0})), last = lists.map((list, k) => covered(lane, list, from, hints[k]));
    for (let x = 0; x < width; x++) {
      const edge = x === width - 1 ? to : from + (x + 1) * step;
      let r = 0, g = 0, b = 0, share = 0;
      for (let k = 0; k < lists.length; k++) {
        const sum = covered(lane, lists[k], edge, hints[k]);
        const part = (sum - last[k]) / step;
        last[k] = sum;
        if (part > 0) {
          const colour = palette[lists[k].c];
          share += part;
          r += colour.r * part;
          g += colour.g * part;
          b += colour.b * part;
        }
      }
      // Little is still to be seen: what is there never looks empty.
      const shown = share <= 0 ? 0 : (0.15 + 0.85 * Math.min(1, share)) * dim, scale = share > 0 ? shown / share : 0;
      pixels[at++] = back[0] * (1 - shown) + r * scale;
      pixels[at++] = back[1] * (1 - shown) + g * scale;
      pixels[at++] = back[2] * (1 - shown) + b * scale;
      pixels[at++] = 255;
    }
  }
  function draw() {
    if (!scene) return;
    const width = canvas.clientWidth, tall = box.clientHeight, left = gutter(), plot = plotWidth();
    const context = size(canvas, width, tall);
    const ratio = devicePixelRatio || 1, columns = Math.max(1, Math.round(plot * ratio));
    context.fillStyle = ink.card;
    context.fillRect(0, 0, width, tall);
    const top = box.scrollTop;
    const seen = rows.filter(row => row.y + row.h > top && row.y < top + tall);
    if (seen.length) {
      const image = new ImageData(columns, seen.length);
      seen.forEach((row, i) => coverage(row.lane, view.from, view.to, columns, image.data, i * columns * 4, found ? 0.25 : 1));
      strip.width = columns;
      strip.height = seen.length;
      strip.getContext('2d').putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      seen.forEach((row, i) => context.drawImage(strip, 0, i, columns, 1, left, AXIS + row.y - top, plot, row.h - 1));
    }
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    seen.forEach(row => events(context, row, AXIS + row.y - top, left, plot));
    bands(context, left, width, tall, top);
    labels(context, left, top, tall);
    axis(context, left, plot, width);
  }
  function events(context, row, y, left, plot) {
    const lane = row.lane, scale = plot / (view.to - view.from);
    const first = firstAfter(lane, view.from), end = firstFrom(lane, view.to);
    if (found) {
      const list = lane.found;
      context.fillStyle = ink.link;
      if (list && list.index.length) {
        const hint = {at: 0};
        let last = covered(lane, list, view.from, hint);
        for (let x = 0; x < plot; x++) {
          const sum = covered(lane, list, view.from + (x + 1) / scale, hint);
          const share = (sum - last) * scale;
          if (share > 0) {
            context.globalAlpha = Math.min(1, 0.35 + share);
            context.fillRect(left + x, y, 1, row.h - 1);
          }
          last = sum;
        }
        context.globalAlpha = 1;
      }
    }
    if (end - first > plot) return;
    const few = end - first < plot / 4;
    for (let i = first; i < end; i++) {
      const from = left + Math.max(0, (lane.start[i] - view.from) * scale), to = left + Math.min(plot, (lane.end[i] - view.from) * scale);
      const hit = !found || found.names[lane.name[i]];
      if (to - from < 1 && few && hit) {
        context.fillStyle = palette[lane.kind[i]].css;
        context.fillRect(Math.min(from, left + plot - 1), y, 1, row.h - 1);
      }
      if (to - from > 4) {
        context.fillStyle = ink.card;
        context.fillRect(to - 0.5, y, 0.5, row.h - 1);
      }
      if (to - from > 26 && hit) {
        const room = Math.floor((to - from - 6) / 5.8);
        const text = shortName(scene.names[lane.name[i]]);
        context.fillStyle = found ? ink.page : palette[lane.kind[i]].text;
        context.fillText(text.length > room ? text.slice(0, Math.max(1, room - 1)) + '\u2026' : text, from + 3, y + row.h / 2);
      }
    }
  }
  // Of a path its last part, so that what differs is seen.
  function shortName(name) {
    const slash = name.lastIndexOf('/', name.search(/[(:\s]|$/));
    return slash > 0 ? name.slice(slash + 1) : name;
  }
  function bands(context, left, width, tall, top) {
    context.save();
    context.beginPath();
    context.rect(left, 0, width - left, tall);
    context.clip();
    for (const [band, fill] of [[marked, 0.10], [measured, 0.18]]) {
      if (!band) continue;
      const from = xOf(band.from), to = Math.max(xOf(band.to), from + 1);
      context.globalAlpha = fill;
      context.fillStyle = ink.link;
      context.fillRect(from, AXIS, to - from, tall);
      context.globalAlpha = 1;
      context.fillRect(from - 1, AXIS, 1, tall);
      context.fillRect(to, AXIS, 1, tall);
    }
    if (selected) {
      const row = rows.find(one => one.lane === selected.lane);
      if (row) {
        const from = xOf(selected.lane.start[selected.i]), to = xOf(selected.lane.end[selected.i]);
        context.strokeStyle = ink.ink;
        context.lineWidth = 2;
        context.strokeRect(from, AXIS + row.y - top + 1, Math.max(2, to - from), row.h - 3);
      }
    }
    if (selected) links(context, top);
    context.restore();
  }
  function links(context, top) {
    const here = rows.find(one => one.lane === selected.lane);
    if (!here || !selected.others.length) return;
    context.strokeStyle = ink.link;
    context.lineWidth = 1;
    selected.others.forEach(other => {
      const row = rows.find(one => one.lane === other.lane);
      if (!row) return;
      context.beginPath();
      context.moveTo(xOf(selected.lane.start[selected.i]), AXIS + here.y - top + here.h / 2);
      context.lineTo(xOf(other.lane.start[other.i]), AXIS + row.y - top + row.h / 2);
      context.stroke();
    });
  }
  // What a launch launched, or what launched it.
  function linked(lane, at, most) {
    const all = [], link = lane.link && lane.link[at];
    if (!link) return all;
    scene.tracks.forEach(track => track.lanes.forEach(other => {
      for (let i = 0; other.link && i < other.n && all.length < most; i++) {
        if (other.link[i] === link && (other !== lane || i !== at)) all.push({track, lane: other, i});
      }
    }));
    return all;
  }
  function labels(context, left, top, tall) {
    context.fillStyle = ink.card;
    context.fillRect(0, 0, left - 2, tall);
    scene.tracks.forEach((track, t) => {
      const y = AXIS + track.y - top;
      if (y + track.h < AXIS || y > tall) return;
      const at = Math.max(y, AXIS) + 8;
      const more = track.lanes.length > 1;
      const sign = !more ? '' : track.open >= track.lanes.length ? '\u25be ' : '\u25b8 ';
      context.fillStyle = t === current ? ink.link : ink.ink;
      const text = sign + track.label;
      context.fillText(beside(text), 4, at);
      if (track.group && track.group !== track.label && track.h > 28) {
        context.fillStyle = ink.soft;
        context.fillText(beside(track.group), 4, at + 14);
      }
      if (more && track.open < track.lanes.length && track.h > 44) {
        context.fillStyle = ink.soft;
        context.fillText(beside(track.seen + ' of ' + track.lanes.length + ' lanes', track.seen + ' of ' + track.lanes.length), 4, at + 28);
      }
    });
  }
  // A text as it fits beside the lanes, or a shorter one, or its beginning.
  function beside(text, shorter) {
    const room = Math.floor((gutter() - 8) / 5.9);
    return text.length <= room ? text : shorter ? beside(shorter) : text.slice(0, room - 1) + '\u2026';
  }
  function axis(context, left, plot, width) {
    context.fillStyle = ink.card;
    context.fillRect(0, 0, width, AXIS);
    const rough = (view.to - view.from) / Math.max(2, plot / 110);
    const ten = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = Math.max(1, rough / ten > 5 ? 10 * ten : rough / ten > 2 ? 5 * ten : rough / ten > 1 ? 2 * ten : ten);
    context.strokeStyle = ink.line;
    context.fillStyle = ink.soft;
    context.lineWidth = 1;
    context.beginPath();
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = Math.round(xOf(t)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, AXIS);
      context.fillText(point(t, step), x + 3, 11);
    }
    context.moveTo(0, AXIS - 0.5);
    context.lineTo(width, AXIS - 0.5);
    context.stroke();
    context.fillStyle = ink.card;
    context.fillRect(0, 0, left, AXIS - 1);
    context.fillStyle = ink.soft;
    const shown = duration(view.to - view.from);
    context.fillText(beside(shown + ' shown', shown), 4, 11);
  }
  let mapImage = null;
  function overview() {
    const wanted = scene.tracks.filter(track => track.kind === DEVICE);
    const tracks = wanted.length ? wanted.slice(0, 4) : scene.tracks.filter(track => track.kind >= THREAD).slice(0, 2);
    return tracks.map(track => track.lanes[0]);
  }
  function drawMap() {
    const width = map.clientWidth, tall = 34, context = size(map, width, tall);
    const lanes = overview(), columns = Math.max(1, Math.round(width * (devicePixelRatio || 1)));
    if (!lanes.length) return;
    if (!mapImage || mapImage.width !== columns) {
      mapImage = document.createElement('canvas');
      mapImage.width = columns;
      mapImage.height = lanes.length;
      const image = new ImageData(columns, lanes.length);
      lanes.forEach((lane, i) => coverage(lane, 0, longest(), columns, image.data, i * columns * 4, 1));
      mapImage.getContext('2d').putImageData(image, 0, 0);
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(mapImage, 0, 0, columns, lanes.length, 0, 0, width, tall);
    const from = view.from / longest() * width, to = Math.max(from + 2, view.to / longest() * width);
    context.fillStyle = ink.page;
    context.globalAlpha = 0.65;
    context.fillRect(0, 0, from, tall);
    context.fillRect(to, 0, width - to, tall);
    context.globalAlpha = 1;
    context.strokeStyle = ink.ink;
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(1, to - from - 2), tall - 2);
  }

  // ---- moving ----
  function longest() {
    return Math.max(...timelines.map(one => one.scene() ? one.scene().duration : 0));
  }
  function show(from, to) {
    see(from, to);
    timelines.forEach(one => one.see !== see && one.scene() && one.see(view.from, view.to));
  }
  function see(from, to) {
    const least = Math.min(LEAST_NS, longest());
    let length = clamp(to - from, least, longest());
    const middle = (from + to) / 2;
    const start = clamp(middle - length / 2, 0, longest() - length);
    view = {from: start, to: start + length};
    changed();
    clearTimeout(hashTimer);
    hashTimer = setTimeout(() => {
      keepInHistory();
      more();
    }, 300);
  }
  // A page that is served asks for the events of what it shows, where it holds sums alone.
  let asked = '';
  async function more() {
    const bin = t => clamp(Math.round(t / scene.duration * BINS), 0, BINS);
    const {from, to} = view, query = '?from=' + Math.floor(from) + '&to=' + Math.ceil(to);
    const sums = rows.some(row => row.lane.bins.some(bins => bins[Math.min(BINS, bin(to) + 1)] > bins[Math.max(0, bin(from) - 1)]));
    if (!inferscope.ask || !sums || query === asked) return;
    asked = query;
    let next;
    try {
      next = read(await unzipped(await inferscope.ask(query)));
    } catch (problem) {
      if (query !== asked) return;
      asked = '';
      say('The events of this place cannot be read: is inferscope open still running? Move to try again.');
    }
    if (!next || query !== asked) return;
    const before = scene, was = selected;
    scene = next;
    scene.tracks.forEach((track, t) => track.open = before.tracks[t].open);
    selected = null;
    mapImage = null;
    layout();
    lookFor(search.value);
    if (was) {
      const track = scene.tracks[before.tracks.indexOf(was.track)], now = eventAt(track, was.lane.start[was.i], was.lane.end[was.i]);
      panel.textContent = '';
      if (now) select(track, now.lane, now.i);
    }
    changed();
  }
  // Each entry of the history knows what it showed; the address says it once somebody has moved.
  function keepInHistory() {
    const whole = view.from === 0 && view.to === longest(), ours = /^#(t|f|q|v)=/.test(location.hash);
    const seen = marked && marked.view;
    const still = ours ? seen && view.from === seen.from && view.to === seen.to : whole;
    const address = still ? location.hash : whole ? '' : '#v=' + Math.round(view.from) + '-' + Math.round(view.to);
    try {
      history.replaceState({from: view.from, to: view.to}, '', address || location.pathname + location.search);
    } catch (e) { /* A browser that allows no history in files still draws. */ }
  }
  function zoom(factor, at) {
    const middle = at === undefined ? (view.from + view.to) / 2 : at;
    show(middle + (view.from - middle) * factor, middle + (view.to - middle) * factor);
  }
  function pan(part) {
    const by = clamp((view.to - view.from) * part, -view.from, longest() - view.to);
    show(view.from + by, view.to + by);
  }
  function around(from, to) {
    const margin = Math.max((to - from) * 0.5, 50);
    show(from - margin, to + margin);
  }
  function gap(direction) {
    const lane = overview()[0];
    if (!lane) return;
    const middle = (view.from + view.to) / 2, least = Math.max(1000, scene.duration / 1e5);
    let best = null;
    for (let i = 0; i <= lane.n; i++) {
      const from = i === 0 ? 0 : lane.end[i - 1], to = i === lane.n ? scene.duration : lane.start[i];
      // What was left out may have filled it.
      if (to - from < least || lane.leftOut && lane.lists.some(list => list.bins && within(lane, list, from, to) > 0)) continue;
      const centre = (from + to) / 2;
      if (direction > 0 ? centre > middle + 1 : centre < middle - 1) {
        best = {from, to};
        if (direction > 0) break;
      }
    }
    if (!best) {
      say(direction > 0 ? 'No gap after this.' : 'No gap before this.');
      return;
    }
    marked = best;
    around(best.from, best.to);
    say('Gap of ' + duration(best.to - best.from) + ' at ' + point(best.from, 1000) + '.');
  }
  let lastFinding = -1;
  function nextFinding() {
    const cards = document.querySelectorAll('article[id^="F"]');
    if (cards.length) {
      lastFinding = (lastFinding + 1) % cards.length;
      location.hash = '#f=' + cards[lastFinding].id;
    }
  }

  // ---- choosing ----
  function hit(x, y) {
    const top = y - AXIS + box.scrollTop, t = timeAt(x);
    const row = rows.find(one => top >= one.y && top < one.y + one.h);
    if (!row || y < AXIS) return null;
    let i = firstAfter(row.lane, t);
    const pixel = (view.to - view.from) / plotWidth();
    if (i < row.lane.n && row.lane.start[i] <= t) return {row, i};
    if (i < row.lane.n && row.lane.start[i] - t < 2 * pixel) return {row, i};
    if (i > 0 && t - row.lane.end[i - 1] < 2 * pixel) return {row, i: i - 1};
    return {row, i: -1};
  }
  function words(track, lane, i) {
    return scene.names[lane.name[i]] + ', ' + scene.classes[lane.kind[i]].label + ', ' + duration(lane.end[i] - lane.start[i])
      + ' at ' + point(lane.start[i], 1000) + ' on ' + track.label;
  }
  function select(track, lane, i) {
    selected = {track, lane, i, others: linked(lane, i, 200)};
    current = scene.tracks.indexOf(track);
    say(words(track, lane, i));
    panel.textContent = '';
    const list = make('dl');
    const entry = (name, value) => list.append(make('dt', {}, name), make('dd', {}, value));
    const time = make('span', {}, duration(lane.end[i] - lane.start[i]) + ' from ' + point(lane.start[i], 1) + ' to ' + point(lane.end[i], 1));
    entry('Event', make('code', {}, scene.names[lane.name[i]]));
    entry('Class', make('span', {}, swatch(lane.kind[i]), ' ' + scene.classes[lane.kind[i]].label));
    entry('Time', time);
    entry('On', track.label + (track.group && track.group !== track.label ? ', ' + track.group : ''));
    const outer = enclosing(track, lane, i);
    if (outer.length) {
      const inside = make('span');
      outer.forEach((other, k) => inside.append(k ? ' \u203a ' : '', go(scene.names[other.lane.name[other.i]], track, other.lane, other.i)));
      entry('Inside', inside);
    }
    selected.others.slice(0, 5).forEach(other => {
      const delay = track.kind >= THREAD ? other.lane.start[other.i] - lane.start[i] : lane.start[i] - other.lane.start[other.i];
      const text = scene.names[other.lane.name[other.i]];
      entry(track.kind >= THREAD ? 'Launches' : 'Launched by',
        make('span', {}, go(text, other.track, other.lane, other.i), ', ' + duration(delay) + (track.kind >= THREAD ? ' later' : ' earlier')));
    });
    let times = 0, total = 0;
    lane.name.forEach((name, k) => {
      if (name === lane.name[i]) {
        times++;
        total += lane.end[k] - lane.start[k];
      }
    });
    if (times > 1) entry('In this lane', count(times) + ' times, ' + duration(total) + ' in all');
    panel.append(list);
    changed();
  }
  function go(text, track, lane, i) {
    const element = button(text.length > 120 ? text.slice(0, 119) + '\u2026' : text, 'Show it', () => {
      reveal(track, lane);
      around(lane.start[i], lane.end[i]);
      select(track, lane, i);
      canvas.focus({preventScroll: true});
    });
    element.className = 'plain';
    return element;
  }
  function enclosing(track, lane, i) {
    const all = [];
    for (const other of track.lanes) {
      if (other === lane) break;
      const k = firstAfter(other, lane.start[i]);
      if (k < other.n && other.start[k] <= lane.start[i] && other.end[k] >= lane.end[i]) all.push({lane: other, i: k});
    }
    return all.slice(-12);
  }
  function reveal(track, lane) {
    if (!rows.some(row => row.lane === lane)) {
      track.open = track.lanes.length;
      layout();
    }
    const row = rows.find(one => one.lane === lane);
    if (row && (row.y < box.scrollTop || row.y + row.h + AXIS > box.scrollTop + box.clientHeight)) {
      box.scrollTop = Math.max(0, row.y - box.clientHeight / 3);
    }
  }
  function toggle(track) {
    const all = track.lanes.length;
    track.open = track.open >= all && all > 1 ? 1 : track.open < track.first ? Math.min(all, track.first) : all;
    layout();
    changed();
  }
  function step(direction) {
    const track = scene.tracks[current];
    let lane = selected && selected.track === track ? selected.lane : track.lanes[0], i = selected && selected.lane === lane ? selected.i + direction
      : firstFrom(lane, view.from);
    i = clamp(i, 0, lane.n - 1);
    if (i < 0) return;
    if (lane.start[i] < view.from || lane.end[i] > view.to) {
      const length = Math.max(view.to - view.from, (lane.end[i] - lane.start[i]) * 1.2), middle = (lane.start[i] + lane.end[i]) / 2;
      show(middle - length / 2, middle + length / 2);
    }
    select(track, lane, i);
  }
  function stepLane(direction) {
    let at = selected ? rows.findIndex(row => row.lane === selected.lane) : rows.findIndex(row => row.t === current);
    at = clamp(at + direction, 0, rows.length - 1);
    const row = rows[at];
    current = row.t;
    reveal(row.track, row.lane);
    const t = selected ? selected.lane.start[selected.i] : view.from;
    const i = clamp(firstAfter(row.lane, t), 0, row.lane.n - 1);
    if (i >= 0) select(row.track, row.lane, i);
    else {
      selected = null;
      say(row.track.label + ', no event held in full');
      changed();
    }
  }

  // ---- searching ----
  let searchTimer = 0;
  function lookFor(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) {
      found = null;
      matches.textContent = '';
      changed();
      return;
    }
    const names = new Uint8Array(scene.names.length);
    scene.names.forEach((name, i) => {
      names[i] = name.toLowerCase().includes(wanted) ? 1 : 0;
    });
    found = {names, text: wanted};
    let times = 0, total = 0;
    scene.tracks.forEach(track => track.lanes.forEach(lane => {
      lane.found = lists(lane, i => names[lane.name[i]] - 1)[0] || none();
      times += lane.found.index.length;
      total += lane.found.before[lane.found.index.length];
    }));
    matches.textContent = count(times) + (times === 1 ? ' event, ' : ' events, ') + duration(total);
    changed();
  }
  function nextMatch(direction) {
    if (!found) return;
    const now = selected && found.names[selected.lane.name[selected.i]] ? selected.lane.start[selected.i] : direction > 0 ? view.from - 1 : view.to + 1;
    let best = null;
    for (const pass of [now, direction > 0 ? -Infinity : Infinity]) {
      scene.tracks.forEach(track => track.lanes.forEach(lane => {
        const index = lane.found.index;
        for (let k = 0; k < index.length; k++) {
          const t = lane.start[index[k]];
          const better = direction > 0 ? t > pass && (!best || t < best.t) : t < pass && (!best || t > best.t);
          if (better) best = {t, track, lane, i: index[k]};
        }
      }));
      if (best) break;
    }
    if (best) {
      reveal(best.track, best.lane);
      around(best.lane.start[best.i], best.lane.end[best.i]);
      select(best.track, best.lane, best.i);
    }
  }
  search.addEventListener('input', () => {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => lookFor(search.value), 150);
  });
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter') {
      event.preventDefault();
      clearTimeout(searchTimer);
      if (!found || found.text !== search.value.trim().toLowerCase()) lookFor(search.value);
      nextMatch(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      search.value = '';
      lookFor('');
      canvas.focus();
    }
  });

  // ---- what is visible, or measured ----
  function stretch() {
    return measured || view;
  }
  function fillTable() {
    if (!table.open) return;
    const {from, to} = stretch(), sums = new Map();
    scene.tracks.forEach((track, t) => track.lanes.forEach(lane => {
      const end = firstFrom(lane, to);
      for (let i = firstAfter(lane, from); i < end; i++) {
        const key = (t * scene.names.length + lane.name[i]) * 256 + lane.kind[i];
        const ns = Math.min(to, lane.end[i]) - Math.max(from, lane.start[i]);
        const sum = sums.get(key);
        if (sum) {
          sum.count++;
          sum.ns += ns;
          sum.min = Math.min(sum.min, lane.end[i] - lane.start[i]);
          sum.max = Math.max(sum.max, lane.end[i] - lane.start[i]);
        } else {
          const whole = lane.end[i] - lane.start[i];
          sums.set(key, {track, name: lane.name[i], kind: lane.kind[i], count: 1, ns, min: whole, max: whole});
        }
      }
    }));
    const lines = [...sums.values()].sort((a, b) => b.ns - a.ns);
    tableTitle.textContent = (measured ? 'the measured ' : 'the shown ') + duration(to - from)
      + (lines.length > 50 ? ', the first 50 of ' + count(lines.length) + ' lines' : '');
    tableTitle.className = 'aside';
    visible.textContent = '';
    lines.slice(0, 50).forEach(line => {
      const row = make('tr', {}, make('th', {scope: 'row', class: 'name'}, make('code', {}, scene.names[line.name])));
      [line.track.label, scene.classes[line.kind].label].forEach(text => row.append(make('td', {class: 'words'}, text)));
      [count(line.count), duration(line.ns), percent(line.ns / (to - from)), duration(line.min), duration(line.max)]
        .forEach(text => row.append(make('td', {class: 'number'}, text)));
      visible.append(row);
    });
  }
  function tellMeasured() {
    const {from, to} = measured, parts = [];
    scene.tracks.forEach(track => {
      if (track.kind !== DEVICE && track.kind !== CAUSES) return;
      track.lanes[0].lists.forEach(list => {
        const ns = within(track.lanes[0], list, from, to);
        if (ns > (to - from) / 200) parts.push(scene.classes[list.c].label + ' ' + percent(ns / (to - from)));
      });
    });
    say('Measured ' + duration(to - from) + ' from ' + point(from, 1) + (parts.length ? ': ' + parts.join(', ') : '') + '.');
  }

  // ---- mouse and keys ----
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    const x = event.offsetX, y = event.offsetY;
    if (x < gutter()) {
      const top = y - AXIS + box.scrollTop;
      const track = scene.tracks.find(one => top >= one.y && top < one.y + one.h);
      if (track && y > AXIS) {
        current = scene.tracks.indexOf(track);
        toggle(track);
      }
      return;
    }
    drag = {x, from: view.from, to: view.to, moved: false, at: timeAt(x),
      what: y < AXIS ? 'zoom' : measuring || event.shiftKey ? 'measure' : 'pan'};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) {
      const over = scene && event.offsetX >= gutter() ? hit(event.offsetX, event.offsetY) : null;
      canvas.title = over && over.i >= 0 ? words(over.row.track, over.row.lane, over.i) : over ? over.row.track.label : '';
      return;
    }
    if (Math.abs(event.offsetX - drag.x) > 3) drag.moved = true;
    if (!drag.moved) return;
    if (drag.what === 'pan') {
      const by = (drag.x - event.offsetX) / plotWidth() * (drag.to - drag.from);
      const move = clamp(by, -drag.from, longest() - drag.to);
      show(drag.from + move, drag.to + move);
    } else {
      const t = clamp(timeAt(event.offsetX), 0, longest());
      measured = {from: Math.min(t, drag.at), to: Math.max(t, drag.at)};
      changed();
    }
  });
  canvas.addEventListener('pointerup', event => {
    if (!drag) return;
    const was = drag;
    drag = null;
    if (was.what === 'zoom' && was.moved) {
      const {from, to} = measured;
      measured = null;
      show(from, to);
    } else if (was.what === 'measure' && was.moved) {
      tellMeasured();
    } else if (!was.moved) {
      const at = hit(event.offsetX, event.offsetY);
      if (at && at.i >= 0) {
        select(at.row.track, at.row.lane, at.i);
      } else {
        selected = null;
        measured = null;
        panel.textContent = '';
        if (at && at.row.lane.leftOut) say('Events of this place are left out of the page; their sum is exact.');
        changed();
      }
    }
  });
  canvas.addEventListener('dblclick', () => {
    if (selected) around(selected.lane.start[selected.i], selected.lane.end[selected.i]);
  });
  canvas.addEventListener('wheel', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      zoom(Math.exp(clamp(event.deltaY, -200, 200) / 200), timeAt(Math.max(event.offsetX, gutter())));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX) / plotWidth());
    }
  }, {passive: false});
  let mapDrag = false;
  function mapTo(event) {
    const t = event.offsetX / map.clientWidth * longest(), half = (view.to - view.from) / 2;
    show(t - half, t + half);
  }
  map.addEventListener('pointerdown', event => {
    mapDrag = true;
    map.setPointerCapture(event.pointerId);
    mapTo(event);
  });
  map.addEventListener('pointermove', event => mapDrag && mapTo(event));
  map.addEventListener('pointerup', () => {
    mapDrag = false;
  });
  box.addEventListener('scroll', changed);
  const actions = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), ArrowUp: () => zoom(0.7), ArrowDown: () => zoom(1 / 0.7),
    '+': () => zoom(0.5), '-': () => zoom(2), '0': () => show(0, longest()), '[': () => gap(-1), ']': () => gap(1),
    n: () => step(1), p: () => step(-1), j: () => stepLane(1), k: () => stepLane(-1), f: nextFinding,
    o: () => toggle(scene.tracks[current]), m: measureByKey, '?': help,
    '/': () => search.focus(),
    Enter: () => selected && around(selected.lane.start[selected.i], selected.lane.end[selected.i]),
    Escape: () => {
      measure(false);
      selected = marked = measured = null;
      panel.textContent = '';
      say('');
      changed();
    }
  };
  canvas.addEventListener('keydown', event => {
    const end = measuring && measured && event.shiftKey && {ArrowLeft: -0.01, ArrowRight: 0.01}[event.key];
    const action = end ? () => moveEnd(end) : actions[event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });

  // ---- links ----
  function follow(state) {
    const parts = new URLSearchParams(location.hash.slice(1));
    const range = text => {
      const match = /^(\d{1,16})-(\d{1,16})$/.exec(text || '');
      return match && +match[1] <= +match[2] && +match[1] <= longest() ? {from: +match[1], to: Math.min(+match[2], longest())} : null;
    };
    const moved = range(parts.get('v')), place = range(parts.get('t')), finding = /^F\d{1,3}$/.exec(parts.get('f') || '');
    if (moved) {
      marked = null;
      show(moved.from, moved.to);
    } else if (place) {
      land(place, parts.get('track'));
      root.scrollIntoView({block: 'start'});
      canvas.focus({preventScroll: true});
    } else if (finding && document.getElementById(finding[0])) {
      const card = document.getElementById(finding[0]), link = card.querySelector('a[href^="#t="]');
      if (link) {
        const to = new URLSearchParams(link.getAttribute('href').slice(1));
        if (range(to.get('t'))) land(range(to.get('t')), to.get('track'));
      }
      card.scrollIntoView({block: 'start'});
      card.focus({preventScroll: true});
    } else if (parts.get('q')) {
      search.value = parts.get('q');
      lookFor(search.value);
      selected = null;
      nextMatch(1);
      root.scrollIntoView({block: 'start'});
      canvas.focus({preventScroll: true});
    } else if (state || !location.hash) {
      marked = null;
      show(state ? state.from : 0, state ? state.to : longest());
    }
    keepInHistory();
  }
  function land(place, number) {
    selected = null;
    panel.textContent = '';
    marked = place;
    around(place.from, place.to);
    marked.view = view;
    let words = duration(place.to - place.from) + ' from ' + point(place.from, 1000);
    const track = /^\d{1,6}$/.test(number || '') ? scene.tracks[+number] : null;
    if (track) {
      current = +number;
      const first = rows.find(row => row.track === track);
      reveal(track, first ? first.lane : track.lanes[0]);
      words += ' on ' + track.label;
      const at = eventAt(track, place.from, place.to);
      if (at) {
        reveal(track, at.lane);
        select(track, at.lane, at.i);
        return;
      }
    }
    say('Shown: ' + words + '.');
  }
  // The innermost event of a track that has just these ends.
  function eventAt(track, from, to) {
    for (let l = track.lanes.length - 1; l >= 0; l--) {
      const lane = track.lanes[l], i = firstFrom(lane, from);
      if (i < lane.n && lane.start[i] === from && lane.end[i] === to) return {lane, i};
    }
    return null;
  }

  // ---- time by call stack ----
  function nodeOf(name, kind, parent) {
    const node = {name, kind, ns: 0, self: 0, was: 0, now: 0, selfWas: 0, selfNow: 0, children: [], parent};
    if (parent) parent.children.push(node);
    return node;
  }
  function childOf(node, name, kind) {
    return node.children.find(one => one.name === name) || nodeOf(name, kind, node);
  }
  function everyNode(node, action) {
    action(node);
    node.children.forEach(child => everyNode(child, action));
  }
  function sortNodes(node) {
    node.children.sort((a, b) => b.ns - a.ns);
    node.children.forEach(sortNodes);
  }
  // The nodes of a tree as the scene holds it; ns is what a frame took with all that it calls.
  function rootOf(tree) {
    const path = [], nodes = [];
    for (let i = 0; i < tree.n; i++) {
      const depth = tree.depth[i], node = path[depth] = nodeOf(tree.names[tree.name[i]], tree.kind[i], depth ? path[depth - 1] : null);
      node.ns = node.self = tree.self[i];
      nodes.push(node);
    }
    for (let i = tree.n - 1; i > 0; i--) nodes[i].parent.ns += nodes[i].ns;
    return nodes[0];
  }
  // Draws a tree; changes tells how frames are shown that are of two recordings.
  function icicle(root, holder, heading, changes) {
    const colour = node => palette[changes ? scene.classes.length + changes.of(node) : node.kind];
    const wordsOf = node => changes ? changes.words(node) : duration(node.ns) + ', ' + percent(node.ns / Math.max(1, top.ns));
    function inverted() {
      const turned = nodeOf(root.name, root.kind, null);
      Object.assign(turned, {ns: root.ns, was: root.was, now: root.now});
      everyNode(root, node => {
        if (node === root || !node.self) return;
        let at = turned;
        for (let up = node; up !== root; up = up.parent) {
          at = childOf(at, up.name, up.kind);
          at.ns += node.self;
          at.was += node.selfWas;
          at.now += node.selfNow;
        }
      });
      sortNodes(turned);
      return turned;
    }
    let top = root, focus = branching(root), chosen = focus, boxes = [], wanted = '';
    // Where the time first divides: what a program starts with says nothing.
    function branching(node) {
      return node.children.length && node.children[0].ns > 0.98 * node.ns ? branching(node.children[0]) : node;
    }
    const picture = make('canvas', {class: 'icicle', tabindex: '0', role: 'application'});
    const told = make('p', {class: 'said', 'aria-live': 'polite'});
    const body = make('tbody');
    const title = root.name;
    picture.setAttribute('aria-label', title + '. Arrows choose, Enter opens, Escape goes back.');
    const input = make('input', {type: 'search', autocomplete: 'off', 'aria-label': 'Search in: ' + title});
    const flip = button('Inverted', 'From what took the time to who called it', () => {
      const on = top === root;
      flip.setAttribute('aria-pressed', String(on));
      top = on ? inverted() : root;
      focus = chosen = branching(top);
      drawTree();
      tell();
    });
    flip.setAttribute('aria-pressed', 'false');
    const all = button('All', 'Show all of it', () => {
      focus = chosen = top;
      drawTree();
      tell();
    });
    input.addEventListener('input', () => {
      wanted = input.value.trim().toLowerCase();
      drawTree();
      const sum = {ns: 0, was: 0, now: 0};
      const add = node => {
        if (node.name.toLowerCase().includes(wanted)) for (const key in sum) sum[key] += node[key];
        else node.children.forEach(add);
      };
      add(top);
      told.textContent = wanted ? 'Matches hold ' + wordsOf(sum) : '';
    });
    const columns = changes ? changes.columns : ['Itself', 'Share', 'With what it calls'];
    const list = make('details', {}, make('summary', {}, make('h4', {}, 'As a table')),
      make('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': title},
        make('table', {}, make('thead', {}, heads(['Function', '', 'Class', ...columns])), body)));
    list.querySelectorAll('th')[1].remove();
    list.addEventListener('toggle', () => {
      if (!list.open || body.firstChild) return;
      const byName = new Map();
      everyNode(root, node => {
        if (node === root) return;
        const sum = byName.get(node.name) || {name: node.name, kind: node.kind, self: 0, all: 0, was: 0, now: 0, best: -1};
        byName.set(node.name, sum);
        sum.self += node.self;
        sum.was += node.selfWas;
        sum.now += node.selfNow;
        if (node.self > sum.best) {
          sum.best = node.self;
          sum.kind = node.kind;
        }
        let up = node.parent;
        while (up && up.name !== node.name) up = up.parent;
        if (!up) sum.all += node.ns;
      });
      const size = sum => changes ? Math.abs(sum.now - sum.was) : sum.self;
      [...byName.values()].sort((a, b) => size(b) - size(a)).slice(0, 40).forEach(sum => {
        const row = make('tr', {}, make('th', {scope: 'row', class: 'name'}, make('code', {}, sum.name)),
          make('td', {class: 'words'}, scene.classes[sum.kind].label));
        (changes ? changes.cells(sum) : [duration(sum.self), percent(sum.self / Math.max(1, root.ns)), duration(sum.all)]).forEach(text => row.append(make('td', {class: 'number'}, text)));
        body.append(row);
      });
    });
    function tell() {
      told.textContent = chosen.name + ': ' + wordsOf(chosen)
        + (chosen.self && !changes ? '; itself ' + duration(chosen.self) : '') + ' (' + scene.classes[chosen.kind].label + ')';
    }
    function depthOf(node, least) {
      return node.ns < least ? 0 : 1 + node.children.reduce((most, child) => Math.max(most, depthOf(child, least)), 0);
    }
    function drawTree() {
      const width = picture.clientWidth || 300;
      const above = [];
      for (let up = focus.parent; up && above.length < 3; up = up.parent) above.unshift(up);
      const deep = Math.min(60, above.length + depthOf(focus, focus.ns / width));
      const tall = deep * (LANE + 1) + 1;
      const context = size(picture, width, tall);
      context.fillStyle = ink.card;
      context.fillRect(0, 0, width, tall);
      context.font = '11px system-ui, sans-serif';
      context.textBaseline = 'middle';
      boxes = [];
      const one = (node, x, wide, level) => {
        if (wide < 0.5 || level >= deep) return;
        const y = level * (LANE + 1);
        boxes.push({node, x, y, wide});
        const name = changes ? changes.label(node) : node.name;
        const dim = wanted && !name.toLowerCase().includes(wanted);
        context.globalAlpha = dim ? 0.25 : 1;
        context.fillStyle = node === top ? ink.code : colour(node).css;
        context.fillRect(x, y, Math.max(0.5, wide - 0.5), LANE);
        context.globalAlpha = 1;
        if (wide > 30) {
          const room = Math.floor((wide - 6) / 5.8), text = shortName(name);
          context.fillStyle = node === top || dim ? ink.ink : colour(node).text;
          context.fillText(text.length > room ? text.slice(0, Math.max(1, room - 1)) + '\u2026' : text, x + 3, y + LANE / 2);
        }
        if (node === chosen) {
          context.strokeStyle = ink.ink;
          context.lineWidth = 2;
          context.strokeRect(x + 1, y + 1, Math.max(2, wide - 2.5), LANE - 2);
        }
      };
      above.forEach((node, level) => one(node, 0, width, level));
      const fill = (node, x, level) => {
        const wide = node.ns / Math.max(1e-12, focus.ns) * width;
        one(node, x, wide, level);
        if (wide < 0.5) return;
        let at = x;
        node.children.forEach(child => {
          fill(child, at, level + 1);
          at += child.ns / Math.max(1e-12, focus.ns) * width;
        });
      };
      fill(focus, 0, above.length);
    }
    const at = event => boxes.find(one => event.offsetX >= one.x && event.offsetX < one.x + one.wide && event.offsetY >= one.y && event.offsetY <= one.y + LANE);
    picture.addEventListener('pointermove', event => {
      const over = at(event);
      picture.title = over ? over.node.name + ', ' + wordsOf(over.node) : '';
    });
    picture.addEventListener('click', event => {
      const over = at(event);
      if (over) open(over.node);
    });
    function open(node) {
      focus = chosen = node;
      drawTree();
      tell();
    }
    picture.addEventListener('keydown', event => {
      const siblings = chosen.parent ? chosen.parent.children : [chosen], i = siblings.indexOf(chosen);
      const next = {ArrowDown: chosen.children[0], ArrowUp: chosen.parent, ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1]}[event.key];
      if (event.key === 'Enter') open(chosen);
      else if (event.key === 'Escape') open(top);
      else if (/^Arrow/.test(event.key)) {
        if (next) chosen = next;
        if (chosen === focus.parent) focus = chosen;
        drawTree();
        tell();
      } else return;
      event.preventDefault();
    });
    holder.append(make('div', {class: 'tree'}, make('h3', {}, heading),
      make('div', {class: 'tools'}, make('label', {}, 'Search ', input), flip, all), picture, told, list));
    trees.push(drawTree);
    drawTree();
  }
  const trees = [];

  // ---- beginning ----
  function repaint() {
    colours();
    mapImage = null;
    layout();
    changed();
    trees.forEach(drawTree => drawTree());
  }
  function unhide(id) {
    byId(id).hidden = false;
    const entry = document.querySelector('.contents a[href="#' + id + '"]');
    if (entry) entry.parentElement.hidden = false;
  }
  // What each colour stands for: labels and styles.
  function legendOf(list, entries) {
    list.textContent = '';
    entries.filter(([label], i) => entries.findIndex(one => one[0] === label) === i).forEach(([label, style]) => list.append(make('li', {}, swatch(style), ' ' + label)));
    return list;
  }
  function fillLegend() {
    const used = new Set();
    scene.tracks.forEach(track => track.lanes.forEach(lane => lane.lists.forEach(list => used.add(list.c))));
    legendOf(legend, classesOf(used));
  }
  function classesOf(used) {
    return [...used].sort((a, b) => a - b).map(c => [scene.classes[c].label, scene.classes[c].style]);
  }
  function drawStacks(holder) {
    const used = new Set();
    scene.trees.forEach(tree => tree.kind.forEach((c, i) => i && used.add(c)));
    holder.textContent = '';
    holder.append(make('p', {class: 'aside'}, 'A frame has the colour of what most of its time was.'), legendOf(make('ul', {class: 'legend'}), classesOf(used)));
    scene.trees.forEach(tree => {
      const root = rootOf(tree);
      icicle(root, holder, root.name + ', ' + duration(root.ns));
    });
  }
  const ready = inflated().then(bytes => {
    scene = read(bytes);
    view = {from: 0, to: longest()};
    current = Math.max(0, scene.tracks.findIndex(track => track.kind === THREAD));
    root.hidden = false;
    unhide('timeline');
    fillLegend();
    repaint();
    draw();
    drawMap();
    performance.mark('inferscope-drawn');
    const stacks = byId('stacks-view');
    if (stacks && scene.trees.length) {
      unhide('stacks');
      drawStacks(stacks);
    }
    addEventListener('resize', repaint);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    matchMedia('(forced-colors: active)').addEventListener('change', repaint);
    addEventListener('beforeprint', () => paper(true));
    addEventListener('afterprint', () => paper(false));
  }).catch(problem => {
    root.hidden = false;
    root.textContent = 'The timeline cannot be drawn: ' + problem.message + '. Everything else of the report is complete.';
  });
  function paper(on) {
    document.documentElement.toggleAttribute('data-paper', on);
    repaint();
    draw();
    drawMap();
  }
  // An address is about all timelines of a page: it is followed when each of them is read.
  function begin() {
    asked = '?from=0&to=' + Math.ceil(longest());
    follow(null);
    addEventListener('popstate', event => follow(event.state));
  }
  timelines.push({
    ready, begin, draw, show, see, hit, xOf,
    state: () => ({from: view.from, to: view.to, marked, measured, selected, said: said.textContent, gutter: gutter(), plot: plotWidth()}),
    scene: () => scene,
    trees: {make, nodeOf, childOf, everyNode, sortNodes, rootOf, shortName, icicle, legendOf, duration, percent, also: styles => {
      moreStyles = styles;
      colours();
    }},
    coverage: (track, lane, c, from, to) => {
      const at = scene.tracks[track].lanes[lane], list = at.lists.find(one => one.c === c);
      return list ? within(at, list, from, to) : 0;
    }
  });
});
const begun = Promise.all(timelines.map(one => one.ready)).then(() => timelines.forEach(one => one.scene() && one.begin()));
timelines.forEach(one => one.ready = begun);
window.inferscope = timelines[0];
// Tables of the report: a heading sorts, and long ones have a field that filters.
(() => {
  const UNITS = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, k: 1e3, M: 1e6, G: 1e9, T: 1e12};
  function value(text) {
    const match = /^([+-]?[\d,]*\.?\d+)\s*([A-Za-z]*)/.exec(text);
    return match ? parseFloat(match[1].replace(/,/g, '')) * (UNITS[match[2]] || 1) : -Infinity;
  }
  document.querySelectorAll('[aria-labelledby="tables"] details table').forEach(table => {
    const body = table.tBodies[0], rows = [...body.rows];
    if (rows.length < 3) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const old = head.querySelector('button'), button = document.createElement('button');
      button.type = 'button';
      button.className = 'plain';
      button.textContent = old ? old.textContent : head.textContent;
      head.textContent = '';
      if (!button.textContent) return;
      head.append(button);
      const numbers = head.classList.contains('number');
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') === 'ascending' : numbers;
        [...table.tHead.rows[0].cells].forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const text = row => row.cells[column].textContent;
        const order = numbers ? (a, b) => value(text(a)) - value(text(b)) : (a, b) => text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;
        body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
      });
    });
    const scroll = table.parentElement;
    if (rows.length < 12 || scroll.previousElementSibling && scroll.previousElementSibling.className === 'filter') return;
    const filter = document.createElement('input');
    filter.type = 'search';
    filter.className = 'filter';
    filter.placeholder = 'Filter';
    filter.setAttribute('aria-label', 'Filter rows of: ' + scroll.getAttribute('aria-label'));
    filter.addEventListener('input', () => {
      const wanted = filter.value.trim().toLowerCase();
      rows.forEach(row => {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
    });
    scroll.before(filter);
  });
})();
