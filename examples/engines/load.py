"""Asks a server with OpenAI's interface for completions, several at a time, and logs when each token came.

    python3 load.py http://127.0.0.1:8000 --requests 40 --concurrency 8 -o client.json

The log is one JSON object: `requests` holds, for each request, `ttft_s` (from sending it to its first token), `latency_s` (to its last), `tokens`
and `gaps_s` (between pieces of its answer). A token comes when the kernel receives it; `read_s` is when this program had read the last one, which is
later where it waits for a CPU; `summary` holds the medians of these, and `tpot_s`, the median of (latency - ttft) / (tokens - 1).
Medians are values that were measured: requests that are answered in groups take times of groups, and nothing between two of them.
An answer that is no stream counts as one token. Uses the standard library only, so that any interpreter runs it.
"""

import argparse
import asyncio
import json
import random
import socket
import statistics
import struct
import time
import urllib.parse
import urllib.request

SO_TIMESTAMPNS = 35  # asm-generic/socket.h


class Connection:
    """A connection that tells when the data came to this machine: a client that waits for a CPU reads them later."""

    def __init__(self, place):
        self.place, self.sock, self.sent, self.got = place, socket.socket(), 0.0, []
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    async def ask(self, data):
        """Sends a request and gets the answer, up to the end of the connection. Looks at nothing meanwhile, so that each piece is read by itself."""
        loop, ended = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()
        await loop.sock_connect(self.sock, (self.place.hostname, self.place.port))
        self.sent = time.time()
        await loop.sock_sendall(self.sock, data)
        loop.add_reader(self.sock, self.read, ended)
        try:
            await ended
        finally:
            loop.remove_reader(self.sock)
            self.sock.close()

    def read(self, ended):
        try:
            data, notes, _, _ = self.sock.recvmsg(65536, 256)
        except OSError:
            data = b""
        if not data:
            return ended.done() or ended.set_result(None)
        now = time.time()
        stamps = [struct.unpack("qq", note[:16]) for level, kind, note in notes if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
        self.got.append((data, stamps[-1][0] + stamps[-1][1] / 1e9 if stamps else now, now))

    def lines(self):
        """Yields (line, when its end came, when that was read); times in seconds of Unix time."""
        rest, at, read = b"", 0.0, 0.0
        for data, at, read in self.got:
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line, at, read
        yield rest, at, read


async def ask(place, path, body):
    """Sends one request on a connection of its own and returns what came of it."""
    connection, arrivals, reads, tokens, status = Connection(place), [], [], 0, b""
    data = json.dumps(body).encode()
    await connection.ask(b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                         % (path.encode(), place.netloc.encode(), len(data), data))
    for line, at, read in connection.lines():
        status = status or line
        if line.startswith(b"data: {"):
            piece = json.loads(line[6:])
            tokens = (piece.get("usage") or {}).get("completion_tokens", tokens)
            if not any("text" in choice or (choice.get("delta") or {}).get("content") for choice in piece.get("choices", ())):
                continue
        elif not line.startswith(b"{"):
            continue
        arrivals.append(at)
        reads.append(read)
    if status.split()[1:2] != [b"200"] or not arrivals:
        return {"error": status.decode("latin-1")}
    return {"sent_s": connection.sent, "ttft_s": arrivals[0] - connection.sent, "latency_s": arrivals[-1] - connection.sent, "tokens": tokens or len(arrivals),
            "read_s": reads[-1] - connection.sent, "gaps_s": [after - before for before, after in zip(arrivals, arrivals[1:])]}


async def drive(options):
    place, numbers, letters = urllib.parse.urlsplit(options.url), iter(range(options.requests)), random.Random(options.seed)
    answers = []

    async def client():
        for number in numbers:
            prompt = "".join(letters.choices("abcdefghijklmnopqrstuvwxyz ", k=options.prompt))
            body = {"model": options.model, "max_tokens": options.tokens, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}}
            if options.ignore_eos:
                body["ignore_eos"] = True
            chat = options.path.endswith("chat/completions")
            body.update({"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt})
            answers.append(await ask(place, options.path, body))
            await asyncio.sleep(options.pause)

    await asyncio.gather(*(client() for _ in range(options.concurrency)))
    return answers


def summary(answers):
    fine = [answer for answer in answers if "error" not in answer]
    found = {"requests": len(answers), "errors": len(answers) - len(fine)}
    for key, values in (*((key, [one[key] for one in fine]) for key in ("ttft_s", "latency_s", "read_s")),
                        ("itl_s", [gap for one in fine for gap in one["gaps_s"]]),
                        ("tpot_s", [(one["latency_s"] - one["ttft_s"]) / (one["tokens"] - 1) for one in fine if one["tokens"] > 1])):
        found[key] = statistics.median_low(values) if values else None
    return found


def post(url):
    urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=300).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--path", default="/v1/completions")
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--prompt", type=int, default=100, help="characters of a prompt")
    parser.add_argument("--tokens", type=int, default=24, help="tokens of an answer")
    parser.add_argument("--ignore-eos", action="store_true", help="vLLM: answer with exactly that many tokens")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between a client's requests")
    parser.add_argument("--profile", action="store_true", help="vLLM: let it record itself meanwhile (/start_profile)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    if options.profile:
        post(options.url + "/start_profile")
    answers = asyncio.run(drive(options))
    if options.profile:
        post(options.url + "/stop_profile")
    log = {"summary": summary(answers), "requests": answers}
    if options.output:
        with open(options.output, "w", encoding="utf-8") as out:
            json.dump(log, out)
    print(json.dumps(log["summary"]))
    return 1 if log["summary"]["errors"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
