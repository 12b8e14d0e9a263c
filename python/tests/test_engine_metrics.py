"""scripts/engine-metrics against a server that answers as vLLM and SGLang do."""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from support import tagged

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "engine-metrics"

METRICS = """\
# HELP vllm:num_preemptions_total Cumulative number of preemptions.
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="a model"} 3.0
vllm:num_preemptions_created{engine="0"} 1.7e+09
vllm:time_to_first_token_seconds_bucket{le="1.0"} 4.0
sglang:token_usage 0.28
sglang:num_queue_reqs NaN
vllm:num_requests_running{engine="0"} nonsense
process_cpu_seconds_total 4.0
"""


class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(METRICS.encode())

    def log_message(self, *_):
        pass


@tagged("process")
class EngineMetricsTest(unittest.TestCase):
    def record(self, url):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "metrics.json"
            command = [sys.executable, str(SCRIPT), url, "-o", str(out), "--seconds", "0.3", "--period", "0.1"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            return done, json.loads(out.read_text())

    def test_the_engines_gauges_become_counters_with_their_labels(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metrics)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

        done, trace = self.record("http://127.0.0.1:%d/metrics" % server.server_address[1])

        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreater(trace["baseTimeNanoseconds"], 10**18)
        self.assertEqual(
            {'vllm:num_preemptions_total{engine="0",model_name="a model"}', "sglang:token_usage"},
            {event["name"] for event in trace["traceEvents"]},
        )
        first = trace["traceEvents"][0]
        self.assertEqual(("C", {"value": 3.0}), (first["ph"], first["args"]))
        self.assertGreaterEqual(first["ts"], 0)

    def test_a_server_that_is_not_there_is_said_once(self):
        done, trace = self.record("http://127.0.0.1:9/metrics")

        self.assertEqual(1, done.returncode)
        self.assertEqual([], trace["traceEvents"])
        self.assertEqual(1, done.stderr.count("http://127.0.0.1:9/metrics"))


if __name__ == "__main__":
    unittest.main()
