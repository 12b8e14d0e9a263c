"""Reads spools by docs/spool-format.schema: shares no code with the writer."""

import collections
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from spool_format import read_schema  # noqa: E402

SCHEMA = read_schema()
HEADER, BLOCK, RECORD = (SCHEMA.layouts[name] for name in ("FILE_HEADER", "BLOCK_HEADER", "RECORD_HEADER"))
RECORDS = {record.number: record for record in SCHEMA.records()}
Header = collections.namedtuple("Header", [field.name.lower() for field in HEADER.fields])
Block = collections.namedtuple("Block", "offset capacity used crc sequence flags crc_right")


class Spool:
    """A spool file: header, blocks, records (dicts with "type" and "flags"), unknown types, lost bytes."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.header = Header(*struct.unpack_from("<" + HEADER.codes, self.data))
        self.blocks, self.raw, self.unknown, self.lost_bytes = [], [], [], 0
        offset = self.header.first_block
        while offset + BLOCK.bytes <= len(self.data):
            magic, capacity, used, crc, sequence, flags = struct.unpack_from("<" + BLOCK.codes, self.data, offset)
            if magic != int.from_bytes(b"SBLK", "little"):
                assert not any(self.data[offset:]), "no block at %d" % offset
                break
            payload = self.data[offset + BLOCK.bytes:offset + BLOCK.bytes + (used if flags & 1 else capacity)]
            right = zlib.crc32(payload) == crc if flags & 1 else None
            self.blocks.append(Block(offset, capacity, used, crc, sequence, flags, right))
            self._records(payload)
            offset += BLOCK.bytes + capacity
        self.strings = {r["id"]: r["text"] for r in self.raw if r["type"] == "STRING"}
        self.strings[0] = None
        self.records = [self._resolve(record) for record in self.raw if record["type"] != "STRING"]

    def _records(self, payload):
        at = 0
        while at + RECORD.bytes <= len(payload):
            kind, flags, length = struct.unpack_from("<" + RECORD.codes, payload, at)
            if kind == 0 and flags == 0 and length == 0:
                at += 8
                continue
            if kind == 0 or length < RECORD.bytes or length % 8 or at + length > len(payload):
                self.lost_bytes += len(payload) - at
                return
            body = payload[at + RECORD.bytes:at + length]
            at += length
            if kind not in RECORDS:
                self.unknown.append(kind)
                continue
            layout = RECORDS[kind]
            values = struct.unpack_from("<" + layout.codes, body.ljust(layout.bytes - RECORD.bytes, b"\0"))
            fields = [field for field in layout.fields if field.name != "-"]
            record = {"type": layout.name, "flags": flags}
            record.update((field.name.lower() + ("$" if field.kind == "str" else ""), value) for field, value in zip(fields, values))
            if layout.name == "STRING":
                start = layout.bytes - RECORD.bytes
                record["text"] = body[start:start + record["size_bytes"]].decode("utf-8")
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
