"""Downloads from a stand-in of a hub on the loopback interface."""

import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from support import tagged
from test_trace_validate import safetensors

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent
COMMIT = "0123456789abcdef0123456789abcdef01234567"
WEIGHTS = "model.safetensors"

try:
    import huggingface_hub  # noqa: F401
except ImportError:
    huggingface_hub = None


class Hub(http.server.BaseHTTPRequestHandler):
    """Serves the files of ``server.files``; counts and can cut, refuse or fail."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        server = self.server
        path = self.path.split("?")[0]
        server.requests.append((self.command, path, self.headers.get("Range")))
        if server.refuse:
            return self.send(server.refuse, b"{}", {"X-Error-Code": "GatedRepo" if server.refuse == 403 else "RepoNotFound"}, body)
        if "/tree/" in path:
            return self.send(200, json.dumps([{"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                                              for name, data in server.files.items()]).encode(), {}, body)
        if path.startswith("/api/models/me/tiny"):
            siblings = [{"rfilename": name, "size": len(data), "blobId": hashlib.sha1(data).hexdigest()}
                        for name, data in server.files.items()]
            return self.send(200, json.dumps({"id": "me/tiny", "modelId": "me/tiny", "sha": COMMIT, "siblings": siblings,
                                              "private": False, "gated": False, "disabled": False, "tags": [],
                                              "downloads": 0, "likes": 0}).encode(), {}, body)
        name = path.rsplit("/", 1)[-1]
        data = server.files.get(name)
        if data is None:
            return self.send(404, b"", {"X-Error-Code": "EntryNotFound"}, body)
        headers = {"ETag": '"%s"' % hashlib.sha256(data).hexdigest(), "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        start = int((self.headers.get("Range") or "bytes=0-")[6:].split("-")[0])
        if start:
            headers["Content-Range"] = "bytes %d-%d/%d" % (start, len(data) - 1, len(data))
        return self.send(206 if start else 200, data[start:], headers, body, cut=server.cut if name == WEIGHTS else 0)

    def send(self, status, data, headers, body, cut=0):
        self.send_response(status)
        for name, value in dict(headers, **{"Content-Length": str(len(data))}).items():
            self.send_header(name, value)
        self.end_headers()
        if body and cut:
            self.server.cut = 0
            self.wfile.write(data[:cut])
            self.wfile.flush()
            self.close_connection = True
        elif body:
            self.wfile.write(data)


@unittest.skipUnless(huggingface_hub, "SKIPPED: huggingface_hub is not installed")
@tagged("process")
class DownloadTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
        self.server.files = {"config.json": b'{"model_type": "llama", "vocab_size": 9}', "tokenizer.json": b"{}",
                             WEIGHTS: safetensors({"w": 500_000}), "pytorch_model.bin": b"never wanted"}
        self.server.requests, self.server.refuse, self.server.cut = [], 0, 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def start(self, model="me/tiny", **changes):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("HF_") and "proxy" not in key.lower()}
        environment.update(PYTHONPATH=str(PYTHON_FOLDER), HF_HOME=str(self.folder / "hf"), HF_HUB_DISABLE_XET="1",
                           HF_ENDPOINT="http://127.0.0.1:%d" % self.server.server_port, **changes)
        result = self.folder / ("result-%d.json" % len(list(self.folder.iterdir())))
        result.write_text("{}")
        return subprocess.Popen([sys.executable, "-B", "-m", "inferscope.trace", "fetch", "--model", model, "--result", str(result)],
                                env=environment, cwd=str(self.folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT), result

    def end(self, started):
        process, result = started
        text = process.communicate()[0].decode()
        return process.returncode, json.loads(result.read_text()), text

    def bodies(self, name):
        return [r for r in self.server.requests if r[0] == "GET" and r[1].endswith("/" + name)]

    def test_a_model_is_made_local_and_validated(self):
        code, result, text = self.end(self.start())
        self.assertEqual(0, code, text)
        self.assertEqual({"config.json", "tokenizer.json", WEIGHTS}, {file.name for file in pathlib.Path(result["path"]).iterdir()})

    def test_two_at_once_download_once(self):
        first, second = self.start(), self.start()
        self.assertEqual([0, 0], [self.end(first)[0], self.end(second)[0]])
        self.assertEqual(1, len(self.bodies(WEIGHTS)))

    def test_a_cut_download_goes_on_where_it_was(self):
        self.server.files[WEIGHTS] = safetensors({"w": 6_000_000})  # The hub's library writes 10 MB at a time.
        self.server.cut = 15_000_000
        code, _, text = self.end(self.start())
        self.assertEqual(0, code, text)
        self.assertTrue(any(request[2] and not request[2].startswith("bytes=0-") for request in self.bodies(WEIGHTS)),
                        self.server.requests)

    def test_missing_permission_is_told_before_anything_large_is_asked_for(self):
        for status, word in ((403, "gated"), (401, "no permission")):
            with self.subTest(status):
                self.server.refuse = status
                code, result, text = self.end(self.start())
                self.assertEqual(1, code, text)
                self.assertIn(word, result["reason"])
                self.assertEqual([], self.bodies(WEIGHTS))

    def test_offline_only_the_cache_counts(self):
        code, result, _ = self.end(self.start(HF_HUB_OFFLINE="1"))
        self.assertEqual(1, code)
        self.assertIn("offline", result["reason"])
        self.assertEqual([], self.server.requests)
        self.end(self.start())
        self.server.requests.clear()
        code, result, text = self.end(self.start(HF_HUB_OFFLINE="1"))
        self.assertEqual(0, code, text)
        self.assertEqual([], self.server.requests)

    def test_a_model_that_the_hub_has_not_complete_is_refused(self):
        del self.server.files["tokenizer.json"]
        code, result, _ = self.end(self.start())
        self.assertEqual(1, code)
        self.assertIn("no tokenizer", result["reason"])

    def test_tokens_are_not_told(self):
        self.server.refuse = 401
        _, result, text = self.end(self.start(HF_TOKEN="hf_" + "s" * 30))
        self.assertNotIn("ssss", text + json.dumps(result))


if __name__ == "__main__":
    unittest.main()
