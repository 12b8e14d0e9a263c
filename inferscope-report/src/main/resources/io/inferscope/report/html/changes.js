// Only in pages about two recordings: draws how the time by call stack changed, a picture per tree that both have.
begun.then(() => {
  const section = document.getElementById('changes'), [before, after] = timelines.map(one => one.scene());
  if (!section || !before || !after) return;
  const {make, nodeOf, childOf, everyNode, sortNodes, rootOf, shortName, icicle, legendOf, duration, percent, also} = timelines[1].trees;
  const {unit} = section.dataset, holder = section.querySelector('div'), amount = unit ? duration : percent;
  // How frames are coloured, and the sign before their names: style, sign, words, the least growth relative to the sum of both.
  const KINDS = [['grew-much', '\u25b2', 'grew to more than twice', 1 / 3], ['grew', '\u25b2', 'grew', 0.05], ['steady', '=', 'within 10%', -0.05],
    ['shrank', '\u25bc', 'shrank', -1 / 3], ['shrank-much', '\u25bc', 'shrank to less than half', -1]];
  const of = node => KINDS.findIndex(kind => (node.now - node.was) / Math.max(1e-12, node.now + node.was) >= kind[3]);
  const both = node => amount(node.was) + ' \u2192 ' + amount(node.now);
  const growth = node => (node.now < node.was ? '' : '+') + amount(node.now - node.was);
  const shown = {
    of, columns: ['Itself before', 'Itself after', 'Change'],
    label: node => KINDS[of(node)][1] + ' ' + node.name + ', ' + both(node),
    words: node => KINDS[of(node)][1] + ' ' + both(node) + ' (' + growth(node) + ')',
    cells: sum => [amount(sum.was), amount(sum.now), growth(sum)]
  };
  // Frames are the same if function and file are, steps if all but their number is.
  function plain(name) {
    return shortName(name).replace(/\(\d+\)(?=: )/, '').replace(/^\(\d+ smaller\)$/, '(smaller)').replace(/#\d+/g, '#');
  }
  function add(from, to, units, total, self) {
    to[total] += from.ns / units;
    to[self] += from.self / units;
    from.children.forEach(child => add(child, childOf(to, plain(child.name), child.kind), units, total, self));
  }
  // What a frame took is divided by the units of work, or by all of the time; its width is the mean of both.
  function merged(one, other) {
    const root = nodeOf(other.name, other.kind, null);
    add(other, root, unit ? +section.dataset.after : other.ns || 1, 'now', 'selfNow');
    add(one, root, unit ? +section.dataset.before : one.ns || 1, 'was', 'selfWas');
    everyNode(root, node => {
      node.ns = (node.was + node.now) / 2;
      node.self = (node.selfWas + node.selfNow) / 2;
    });
    sortNodes(root);
    return root;
  }
  also(KINDS.map(kind => kind[0]));
  holder.append(make('p', {class: 'aside'}, 'Functions of both recordings, whatever their lines. A frame is as wide as the mean of both. Its colour, and the sign before its name, tell how it changed:'),
    legendOf(make('ul', {class: 'legend'}), KINDS.map(([style, sign, words]) => [sign + ' ' + words, style])));
  after.trees.forEach(tree => {
    const was = before.trees.find(one => one.key === tree.key);
    if (!was) return;
    section.hidden = false;
    const one = rootOf(was), other = rootOf(tree);
    icicle(merged(one, other), holder, (one.name === other.name ? '' : one.name + ' \u2192 ') + other.name + (unit ? ', time per ' + unit : ', share of the time'), shown);
  });
});
