"""The golden spool of each format version, read byte for byte. ``python test_golden.py --write`` makes a new one."""

import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from inferscope import _recorder, _spool, _spool_format as layout  # noqa: E402
from spool_reader import Spool  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
PID, MAIN_TID, WORKER_TID = 4242, 4242, 4243
OPENED_NS, UNIX_NS = 1_000_000_000_000, 1_760_000_000_000_000_000


class FixedClock:
    """Advances 1000 ns at each reading."""

    def __init__(self, start_ns):
        self.now_ns = start_ns

    def __call__(self):
        self.now_ns += 1000
        return self.now_ns


def write(folder):
    """Writes the golden spool with the product's own writer, under fixed clocks and ids. Returns its path."""
    tid = [MAIN_TID]
    clock, unix = FixedClock(OPENED_NS), FixedClock(UNIX_NS)
    with mock.patch.multiple(_recorder, monotonic_ns=clock, time_ns=unix, get_native_id=lambda: tid[0], get_ident=lambda: 0x7F00 + tid[0]), \
            mock.patch.object(_spool, "FIRST_BYTES", 8192), mock.patch.object(_spool, "FIRST_OTHER_BYTES", 4096), \
            mock.patch.object(_spool, "FIRST_HAND_OVER_BYTES", 4096):
        spool = _spool.create(folder, PID, OPENED_NS, UNIX_NS, 16384)
        recorder = _recorder.Recorder(spool, PID)
        recorder.process(OPENED_NS, 4000, "CPython 3.11.7", "infer.py", "boot")
        recorder.clock()
        recorder.coverage("probe", layout.OK)
        recorder.coverage("hook:torch.Tensor.item", layout.NOT_NEEDED, "no accelerator on this machine")
        recorder.coverage("hook:lib.gone", layout.NOT_RECORDED, "target not found")
        interpreter = recorder.begin("infer.py", layout.INTERPRETER, None)
        outer = recorder.begin("tokenization", 0, None, _recorder.USER_SPAN_HEADER)
        inner = recorder.begin("tokenize", layout.TOKENIZATION, None)
        recorder.words[inner + layout.SPAN_VALUE_WORD] = 31
        recorder.words[inner + layout.SPAN_DETAIL_WORD] = recorder.intern("Grüße, 世界")
        recorder.end(inner, clock())
        recorder.end(outer, clock())
        recorder.words[outer] = _recorder.USER_SPAN_HEADER | layout.SPAN_FAILED
        recorder.mark("request", '{"id": 7}', 4096)
        recorder.mark("bare", "", 4096)
        tid[0] = WORKER_TID
        del recorder.thread.tid  # as on another thread
        recorder.begin("still open", 0, None, _recorder.USER_SPAN_HEADER)
        recorder.name_thread(WORKER_TID, "worker", 0x7F00 + WORKER_TID)
        recorder.span("gc generation 2", layout.GC, OPENED_NS + 500, OPENED_NS + 200_500, 12)
        recorder.note("rank", 3)
        recorder.hand_over(layout.GIVES, layout.QUEUE, "Queue", 0xFEDCBA9876543210, 7, clock(), 0, None)
        recorder.hand_over(layout.TAKES, layout.PIPE, "Connection", 1, 0, clock(), OPENED_NS, None, 5000, 4999)
        served = recorder.request("POST /v1/completions", "r-1", clock())
        recorder.end_request(served, clock(), OPENED_NS + 9_000, 42, '{"stream": true}')
        recorder.request("still served", "r-2", clock())
        spool.append(bytes([77, 0, 3, 0, 16, 0, 0, 0]) + b"unknown!")
        spool.drop()
        recorder.end(interpreter, clock())
        recorder.overhead(1234, 5678, 6)
        spool.close()
    return spool.path


def decoded(spool):
    header = spool.header._asdict()
    header["magic"], header["source"] = header["magic"].decode(), header["source"].decode().rstrip("\0")
    return {
        "header": header,
        "blocks": [block._asdict() for block in spool.blocks],
        "records": spool.records,
        "unknown_types": spool.unknown,
        "lost_bytes": spool.lost_bytes,
    }


class GoldenTest(unittest.TestCase):
    def test_version_1_decodes_to_its_expected_records(self):
        expected = json.loads((GOLDEN / "spool-v1.json").read_text(encoding="utf-8"))
        self.assertEqual(expected, json.loads(json.dumps(decoded(Spool(GOLDEN / "spool-v1.spool")))))
        spans = {record["name"]: record for record in expected["records"] if record["type"] == "SPAN"}
        self.assertEqual(("Grüße, 世界", 31, 0), (spans["tokenize"]["detail"], spans["tokenize"]["value"], spans["still open"]["end_ns"]))

    def test_version_1_1_decodes_to_its_expected_records(self):
        expected = json.loads((GOLDEN / "spool-v1.1.json").read_text(encoding="utf-8"))
        self.assertEqual(expected, json.loads(json.dumps(decoded(Spool(GOLDEN / "spool-v1.1.spool")))))
        gives, takes = (record for record in expected["records"] if record["type"] == "HAND_OVER")
        self.assertEqual((0, 0xFEDCBA9876543210, 7, "Queue"), tuple(gives[key] for key in ("direction", "key", "number", "name")))
        self.assertEqual((1, 5000, 4999, OPENED_NS), tuple(takes[key] for key in ("direction", "tid", "pid", "wait_start_ns")))
        served, open_one = (record for record in expected["records"] if record["type"] == "REQUEST")
        self.assertEqual(("POST /v1/completions", "r-1", 42, '{"stream": true}'), tuple(served[key] for key in ("name", "id", "items", "detail")))
        self.assertTrue(served["arrival_ns"] < served["end_ns"] and open_one["end_ns"] == 0)

    def test_todays_writer_still_writes_version_1_1_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(write(folder)).read_bytes()
        self.assertEqual((GOLDEN / "spool-v1.1.spool").read_bytes(), written)

    def test_the_golden_file_holds_every_record_type_the_probe_writes(self):
        spool = Spool(GOLDEN / "spool-v1.1.spool")
        self.assertEqual({"PROCESS", "CLOCK", "THREAD", "SPAN", "MARK", "COVERAGE", "OVERHEAD", "HAND_OVER", "REQUEST", "NOTE"},
                         {r["type"] for r in spool.records})
        self.assertEqual([True, True, True], [block.crc_right for block in spool.blocks])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with tempfile.TemporaryDirectory() as folder:
            os.replace(write(folder), GOLDEN / "spool-v1.1.spool")
        with open(GOLDEN / "spool-v1.1.json", "w", encoding="utf-8") as file:
            json.dump(decoded(Spool(GOLDEN / "spool-v1.1.spool")), file, indent=2, ensure_ascii=False)
            file.write("\n")
    else:
        unittest.main()
