"""Reads spools by docs/spool-format.md alone: shares no code and no constant with the writer."""

import collections
import struct
import zlib

FIELDS = {
    1: ("STRING", "<II", "id size_bytes"),
    2: ("PROCESS", "<QIIIIQiI", "start pid parent_pid runtime$ program$ end exit_code seen$"),
    3: ("CLOCK", "<QQQII", "monotonic realtime time domain$ uncertainty"),
    4: ("THREAD", "<IIQII", "tid name$ pthread_id pid reserved"),
    5: ("SPAN", "<QQIIHHIQII", "start end tid name$ activity depth where$ value detail$ pid"),
    6: ("MARK", "<QIIII", "time tid name$ metadata$ pid"),
    8: ("COVERAGE", "<IIQQIHH", "source$ why$ recorded missing pid status reserved"),
    14: ("HAND_OVER", "<QQQQIIHHIII", "time began key number tid pid direction means name$ where$ reserved"),
    15: ("REQUEST", "<QQQIIIIII", "arrival end first tid pid id$ name$ items detail$"),
    16: ("NOTE", "<IIII", "key$ value$ pid reserved"),
    10: ("OVERHEAD", "<QQIIQ", "cpu_ns wall_ns recorder$ pid events"),
}
Header = collections.namedtuple("Header", "magic major minor length pid flags opened_ns unix_ns dropped source")
Block = collections.namedtuple("Block", "offset capacity used crc sequence flags crc_right")


class Spool:
    """A spool file: header, blocks, records (dicts with "type" and "flags"), unknown types, lost bytes."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.header = Header(*struct.unpack_from("<8sHHIIIQQQ16s", self.data))
        self.blocks, self.raw, self.unknown, self.lost_bytes = [], [], [], 0
        offset = self.header.length
        while offset + 32 <= len(self.data):
            magic, capacity, used, crc, sequence, flags = struct.unpack_from("<4sIIIQQ", self.data, offset)
            if magic != b"SBLK":
                assert not any(self.data[offset:]), "no block at %d" % offset
                break
            payload = self.data[offset + 32:offset + 32 + (used if flags & 1 else capacity)]
            right = zlib.crc32(payload) == crc if flags & 1 else None
            self.blocks.append(Block(offset, capacity, used, crc, sequence, flags, right))
            self._records(payload)
            offset += 32 + capacity
        self.strings = {r["id"]: r["text"] for r in self.raw if r["type"] == "STRING"}
        self.strings[0] = None
        self.records = [self._resolve(record) for record in self.raw if record["type"] != "STRING"]

    def _records(self, payload):
        at = 0
        while at + 8 <= len(payload):
            kind, flags, length = struct.unpack_from("<HHI", payload, at)
            if kind == 0 and flags == 0 and length == 0:
                at += 8
                continue
            if kind == 0 or length < 8 or length % 8 or at + length > len(payload):
                self.lost_bytes += len(payload) - at
                return
            body = payload[at + 8:at + length]
            at += length
            if kind not in FIELDS:
                self.unknown.append(kind)
                continue
            name, layout, fields = FIELDS[kind]
            values = struct.unpack_from(layout, body.ljust(struct.calcsize(layout), b"\0"))
            record = dict(zip(fields.split(), values), type=name, flags=flags)
            if kind == 1:
                record["text"] = body[8:8 + record["size_bytes"]].decode("utf-8")
            self.raw.append(record)

    def _resolve(self, record):
        return {key.rstrip("$"): self.strings.get(value, "dropped string") if key.endswith("$") else value for key, value in record.items()}

    def of(self, kind):
        return [record for record in self.records if record["type"] == kind]

    def spans(self, name=None):
        return [span for span in self.of("SPAN") if name is None or span["name"] == name]

    def coverage(self, source):
        return [record for record in self.of("COVERAGE") if record["source"] == source]

    @property
    def closed(self):
        return bool(self.header.flags & 1)
