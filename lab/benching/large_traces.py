"""Makes large Kineto traces out of real ones: their events are repeated, with times and ids moved so that copies do not collide."""

import collections
import gzip
import hashlib
import json
import multiprocessing
import os
import re
import sys

# Numbers that differ from copy to copy, by their space: equal numbers of one space belong together.
SPACES = {
    "ts": "time",
    "correlation": "correlation",
    "External id": "correlation",
    "external id": "correlation",
    "id": "correlation",
    "Python id": "python",
    "Python parent id": "python",
    "Ev Idx": "event",
    "Profiler Event Index": "event",
    "Sequence number": "sequence",
}
# Spaces in which 0 means none.
WITH_NONE = {"correlation", "sequence"}
NUMBER = re.compile(r'("(%s)": ?"?)(\d+)' % "|".join(map(re.escape, SPACES)))

# `template % values` is the event's text; each value is a number and its space.
Event = collections.namedtuple("Event", "template values")
# `first` and `span`: the smallest number of each space, and the distance between copies.
Base = collections.namedtuple("Base", "head tail metadata events first span")


def read_base(path):
    """Reads a trace and splits it into events, whose text is kept except for the numbers that move."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        text = file.read()
    opening = re.compile(r'"traceEvents"\s*:\s*\[').search(text)
    if opening is None:
        sys.exit("%s: no traceEvents" % path)
    decoder, separator = json.JSONDecoder(), re.compile(r"[\s,]*")
    at = separator.match(text, opening.end()).end()
    metadata, events, last_us = [], [], 0
    numbers = collections.defaultdict(list)
    while text[at] != "]":
        event, end = decoder.raw_decode(text, at)
        if event.get("ph") == "M":
            metadata.append(text[at:end])
        else:
            events.append(take_apart(text[at:end]))
            for number, space in events[-1].values:
                numbers[space].append(number)
            last_us = max(last_us, float(event.get("ts", 0)) + float(event.get("dur", 0)))
        at = separator.match(text, end).end()
    first = {space: min(found) for space, found in numbers.items()}
    span = {space: max(found) - first[space] + 1 for space, found in numbers.items()}
    span["time"] = int(last_us) - first["time"] + 1000
    return Base(text[: opening.end()], text[at:], metadata, events, first, span)


def take_apart(text):
    """Returns the event of that text."""
    values = []

    def number(found):
        value, space = int(found[3]), SPACES[found[2]]
        if value == 0 and space in WITH_NONE:
            return found[0]
        values.append((value, space))
        return found[1] + "%d"

    return Event(NUMBER.sub(number, text.replace("%", "%%")), values)


def copies(bases, least):
    """Yields copies without end: the texts of their events. `least` holds the first free number of each space."""
    for copy in range(sys.maxsize):
        base = bases[copy % len(bases)]
        new = copy < len(bases) and base not in bases[:copy]
        shift = {space: least[space] - base.first[space] for space in base.first}
        moved = [event.template % tuple(number + shift[space] for number, space in event.values) for event in base.events]
        yield (base.metadata if new else []) + moved
        for space, length in base.span.items():
            least[space] += length


def make(paths, folder, name, most_bytes, most_events):
    """Writes folder/name.json and name.json.gz, up to that size or number of events; name.events says how many there are. A copy that does not fit is
    left out, except for the first: in a cut one, events without their device work make the recording look as if some were lost."""
    known = {path: read_base(path) for path in set(paths)}
    bases = [known[path] for path in paths]
    least = collections.defaultdict(lambda: 1, time=bases[0].first["time"])
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, name)
    size = count = 0
    with open(target + ".part", "wb") as plain, gzip.open(target + ".gz.part", "wb", compresslevel=6) as packed:

        def write(text):
            block = text.encode()
            plain.write(block)
            packed.write(block)

        separator = bases[0].head
        for texts in copies(bases, least):
            length = sum(len(text) + 2 for text in texts)
            fits = size + length <= most_bytes and count + len(texts) <= most_events
            if count > 0 and not fits:
                break
            for text in texts:
                if size >= most_bytes or count >= most_events:
                    break
                write(separator + text)
                separator = ",\n"
                size += len(text) + 2
                count += 1
        write(bases[0].tail)
    os.replace(target + ".part", target + ".json")
    os.replace(target + ".gz.part", target + ".json.gz")
    with open(target + ".events", "w") as file:
        file.write(str(count))


def trace(paths, cache, name, most_bytes=sys.maxsize, most_events=sys.maxsize):
    """Returns (file name without ending, number of events) of a trace, made if it is not in the folder cache."""
    source = hashlib.sha256(b"whole copies")  # Traces made otherwise are not taken for these.
    for path in paths:
        with open(path, "rb") as file:
            source.update(hashlib.sha256(file.read()).digest())
    folder = os.path.join(cache, source.hexdigest()[:12])
    target = os.path.join(folder, name)
    if not os.path.exists(target + ".events"):
        print("making %s" % target, file=sys.stderr)
        # In a separate process, so that the measuring process stays small.
        maker = multiprocessing.Process(target=make, args=(paths, folder, name, most_bytes, most_events))
        maker.start()
        maker.join()
        if maker.exitcode != 0:
            sys.exit("no trace was made")
    with open(target + ".events") as file:
        return target, int(file.read())
