"""Requests of servers and engines, from arrival to the last byte or token. Frameworks are stand-ins that have the real
module, class and method names; http.server is the real one."""

import json
import unittest

from support import Observed, judged


def gaps_us(request):
    """Microseconds from each token or chunk of a request to the next."""
    return json.loads(request["detail"])["gaps_us"] if request["detail"] else []

ASGI = """\
import asyncio, sys
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import RequestResponseCycle
class Route: path = "/v1/items/{item}"
class App(Starlette):
    async def respond(self, scope, receive, send):
        scope["route"] = Route
        await send({"type": "http.response.start", "status": 200})
        for _ in range(3):
            await asyncio.sleep(0.01)
            await send({"type": "http.response.body", "body": b"token", "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        await asyncio.sleep(0.05)  # work after the answer
        if scope.get("fails"): raise KeyError("mine")
async def sent(message): pass
scope = {"type": "http", "method": "POST", "path": "/v1/items/17", "query_string": b"secret", "root_path": ""}
"""


class AsgiTest(Observed):
    def setUp(self):
        super().setUp()
        self.library("starlette.applications", """\
            class Starlette:
                async def __call__(self, scope, receive, send):
                    scope["app"] = self
                    await self.respond(scope, receive, send)
            """)
        self.library("uvicorn.protocols.http.h11_impl", """\
            class RequestResponseCycle:
                def __init__(self, scope, send): self.scope, self.send = scope, send
                async def run_asgi(self, app):
                    return await app(self.scope, None, self.send)
            """)

    def test_a_streamed_answer_has_a_first_chunk_a_count_and_an_end(self):
        for call in ("App()(dict(scope), None, sent)", "RequestResponseCycle(dict(scope), sent).run_asgi(App())"):
            with self.subTest(call):
                for path in self.spool_folder.iterdir():
                    path.unlink()
                spool = self.run_source(ASGI + "asyncio.run(%s)\n" % call)
                request, = spool.of("REQUEST")
                self.assertEqual(("POST /v1/items/{item}", 3), (request["name"], request["items"]))
                self.assertGreater(request["first_ns"] - request["arrival_ns"], 9_000_000)
                self.assertGreater(request["end_ns"] - request["first_ns"], 18_000_000)
                self.assertEqual(spool.header.pid, request["tid"])
                self.assertNotIn(b"secret", spool.data)
                self.assertEqual(2, len(gaps_us(request)))
                self.assertGreaterEqual(min(gaps_us(request)), 9_000)

    def test_what_a_server_records_its_framework_does_not_wrap_again(self):
        self.run_source(ASGI + """\
import traceback
class Asked(App):
    async def respond(self, scope, receive, send):
        own = [frame.name for frame in traceback.extract_stack() if frame.filename.endswith("/server_hooks.py")]
        assert own == ["run_asgi", "recorded", "__call__"], own
asyncio.run(RequestResponseCycle(dict(scope), sent).run_asgi(Asked()))
""")

    def test_requests_that_fail_or_are_cancelled_end_and_leave_their_exception(self):
        spool = self.run_source(ASGI + """\
async def main():
    try:
        await App()(dict(scope, fails=True), None, sent)
    except KeyError as error:
        assert error.args == ("mine",)
    else:
        raise SystemExit(3)
    task = asyncio.ensure_future(App()(dict(scope), None, sent))
    await asyncio.sleep(0.005)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    await App()(dict(scope, type="websocket"), None, sent)
asyncio.run(main())
""")
        self.assertEqual(2, len(spool.of("REQUEST")))
        self.assertTrue(all(request["end_ns"] for request in spool.of("REQUEST")))
        self.assertEqual([3, 0], [request["items"] for request in spool.of("REQUEST")])

    def test_requests_at_the_same_time_are_kept_apart(self):
        spool = self.run_source(ASGI + """\
async def main():
    await asyncio.gather(*(App()(dict(scope), None, sent) for _ in range(5)))
asyncio.run(main())
""")
        self.assertEqual([3] * 5, [request["items"] for request in spool.of("REQUEST")])
        self.assertEqual([None] * 5, [request["id"] for request in spool.of("REQUEST")])  # The reader numbers them.


class GrpcTest(Observed):
    """Stand-ins with the names of grpcio 1.84."""

    def setUp(self):
        super().setUp()
        server = """\
            from collections import namedtuple
            SHAPES = "unary_unary unary_stream stream_unary stream_stream"
            Handler = namedtuple("RpcMethodHandler", "request_streaming response_streaming " + SHAPES, defaults=(None,) * 4)
            class Generic:
                def __init__(self, handlers): self.handlers = handlers
                def service_name(self): return "demo.Store"
                def service(self, details): return self.handlers.get(details.method)
            class %s:
                def __init__(self): self.found = {}
                def add_generic_rpc_handlers(self, generic_rpc_handlers): self.generic, = generic_rpc_handlers
                def add_registered_method_handlers(self, service_name, method_handlers):
                    for method, handler in method_handlers.items(): self.found["/%%s/%%s" %% (service_name, method)] = handler
            """
        self.library("grpc._server", server % "_Server")
        self.library("grpc.aio._server", server % "Server")

    def test_calls_of_threads_and_their_streams(self):
        spool = self.run_source("""\
            from types import SimpleNamespace
            from grpc._server import Generic, Handler, _Server
            def ask(request, context): return request + 1
            def fail(request, context): raise KeyError("mine")
            def talk(request, context): yield from (request, request)
            def refuse(request, context): raise ValueError("at once")
            server = _Server()
            server.add_registered_method_handlers("demo.Store", {
                "Ask": Handler(False, False, unary_unary=ask), "Fail": Handler(False, False, unary_unary=fail)})
            server.add_generic_rpc_handlers((Generic({
                "/demo.Store/Talk": Handler(False, True, unary_stream=talk),
                "/demo.Store/Refuse": Handler(False, True, unary_stream=refuse)}),))
            assert server.generic.service_name() == "demo.Store"
            find = lambda method: server.generic.service(SimpleNamespace(method=method))
            assert find("/demo.Store/Other") is None
            assert server.found["/demo.Store/Ask"].unary_unary(1, None) == 2
            assert list(find("/demo.Store/Talk").unary_stream(1, None)) == [1, 1]
            for behavior in server.found["/demo.Store/Fail"].unary_unary, find("/demo.Store/Refuse").unary_stream:
                try: behavior(1, None)
                except LookupError as error: assert error.args == ("mine",)
                except ValueError: pass
                else: raise SystemExit(3)
            """)
        self.assertEqual(
            [("gRPC /demo.Store/Ask", 0), ("gRPC /demo.Store/Talk", 2), ("gRPC /demo.Store/Fail", 0), ("gRPC /demo.Store/Refuse", 0)],
            [(request["name"], request["items"]) for request in spool.of("REQUEST")])
        self.assertTrue(all(request["end_ns"] for request in spool.of("REQUEST")))

    def test_a_replica_of_ray_serve_records_calls_that_belong_to_a_request(self):
        self.library("ray.serve.context", """\
            class Context: request_id = ""
            def _get_serve_request_context(): return Context
            """)
        self.library("ray.serve._private.replica", """\
            class UserCallableWrapper:
                async def _call_func_or_gen(self, callable, *, args=(), kwargs={}):
                    return await callable(*args, **kwargs), False
            """)
        spool = self.run_source("""\
            import asyncio
            from ray.serve import context
            from ray.serve._private.replica import UserCallableWrapper
            class Scores:
                async def check(self): pass
                async def score(self, text): return len(text)
            async def main():
                replica, scores = UserCallableWrapper(), Scores()
                await replica._call_func_or_gen(scores.check)
                context.Context.request_id = "7"
                assert await replica._call_func_or_gen(scores.score, args=("abc",)) == (3, False)
            asyncio.run(main())
            """)
        self.assertEqual(["Scores.score"], [request["name"] for request in spool.of("REQUEST")])
        self.assertTrue(all(request["end_ns"] for request in spool.of("REQUEST")))

    def test_calls_of_coroutines_keep_their_kind(self):
        spool = self.run_source("""\
            import asyncio, inspect
            from grpc.aio._server import Handler, Server
            async def ask(request, context):
                await asyncio.sleep(0.02)
                return request
            async def talk(requests, context):
                for request in requests: yield request
            server = Server()
            server.add_registered_method_handlers("demo.Store", {
                "Ask": Handler(False, False, unary_unary=ask), "Talk": Handler(True, True, stream_stream=talk)})
            ask, talk = server.found["/demo.Store/Ask"].unary_unary, server.found["/demo.Store/Talk"].stream_stream
            assert inspect.iscoroutinefunction(ask) and inspect.isasyncgenfunction(talk)
            async def main():
                assert await asyncio.gather(ask(1, None), ask(2, None)) == [1, 2]
                assert [one async for one in talk([1, 2, 3], None)] == [1, 2, 3]
            asyncio.run(main())
            """)
        requests = spool.of("REQUEST")
        self.assertEqual(["gRPC /demo.Store/Ask"] * 2 + ["gRPC /demo.Store/Talk"], [request["name"] for request in requests])
        self.assertEqual([0, 0, 3], [request["items"] for request in requests])
        self.assertGreater(requests[1]["end_ns"] - requests[1]["arrival_ns"], 19_000_000)


class HttpServerTest(Observed):
    @judged
    def test_requests_on_one_connection_and_their_first_bytes(self):
        spool = self.run_source("""\
            import http.client, http.server, threading, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    time.sleep(0.01)
                    self.send_response(200)
                    self.send_header("Content-Length", "4")
                    self.end_headers()
                    time.sleep(0.02)
                    self.wfile.write(b"ab")
                    time.sleep(0.01)
                    self.wfile.write(b"cd")
                def log_message(self, *args): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            threading.Thread(target=server.serve_forever).start()
            client = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
            for path in ("/one?token=secret", "/two"):
                client.request("GET", path)
                assert client.getresponse().read() == b"abcd"
                time.sleep(0.3)
            client.close()
            server.shutdown()
            server.server_close()
            """)
        requests = spool.of("REQUEST")
        self.assertEqual(["GET /one", "GET /two"], [request["name"] for request in requests])
        for request in requests:
            self.assertGreater(request["first_ns"] - request["arrival_ns"], 28_000_000)
            self.assertTrue(9_000_000 < request["end_ns"] - request["first_ns"])
        self.assertGreater(requests[1]["arrival_ns"] - requests[0]["end_ns"], 40_000_000)
        self.assertNotIn(b"secret", spool.data)

    @judged
    def test_a_handler_of_its_own_loop_ends_a_request_with_its_last_byte(self):
        """As Django's server: it replaces ``handle_one_request``, and keeps the connection."""
        spool = self.run_source("""\
            import http.client, http.server, threading, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def handle_one_request(self):
                    self.raw_requestline = self.rfile.readline(65537)
                    if not self.raw_requestline:
                        self.close_connection = True
                    elif self.parse_request():
                        time.sleep(0.02)
                        self.send_response(200)
                        self.send_header("Content-Length", "2")
                        self.end_headers()
                        self.wfile.write(b"ab")
                def log_message(self, *args): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            threading.Thread(target=server.serve_forever).start()
            client = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
            for path in ("/one", "/two"):
                client.request("GET", path)
                assert client.getresponse().read() == b"ab"
                time.sleep(0.3)
            client.close()
            time.sleep(0.3)
            server.shutdown()
            server.server_close()
            """)
        requests = spool.of("REQUEST")
        self.assertEqual(["GET /one", "GET /two"], [request["name"] for request in requests])
        for request in requests:
            self.assertTrue(19_000_000 < request["end_ns"] - request["arrival_ns"] < 200_000_000, request)

    def test_requests_to_a_server_of_wsgiref_end(self):
        spool = self.run_source("""\
            import threading, urllib.request, wsgiref.simple_server
            class Handler(wsgiref.simple_server.WSGIRequestHandler):
                def log_message(self, *args): pass
            def app(environ, start_response):
                start_response("200 OK", [("Content-Type", "text/plain")])
                return [b"ab"]
            with wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Handler) as server:
                threading.Thread(target=server.serve_forever).start()
                for path in ("one", "two"):
                    assert urllib.request.urlopen("http://127.0.0.1:%d/%s" % (server.server_address[1], path)).read() == b"ab"
                server.shutdown()
            """)
        requests = spool.of("REQUEST")
        self.assertEqual(["GET /one", "GET /two"], [request["name"] for request in requests])
        self.assertTrue(all(request["arrival_ns"] < request["first_ns"] <= request["end_ns"] for request in requests), requests)


class AfterTheAnswerTest(Observed):
    """A request ends when its last data are given to the kernel, whatever its thread does next: here, the client has the
    answer before the handler returns."""

    CLIENT = """\
import http.client, threading, time
answered = threading.Event()
def linger():
    assert answered.wait(60)
    time.sleep(0.1)
def ask(port):
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("POST", "/score", b"text")
    assert client.getresponse().read() == b"ab"
    client.close()
    answered.set()
"""

    def assert_ended_before(self, spool):
        request, = spool.of("REQUEST")
        lingered, = (span for span in spool.of("SPAN") if span["name"] == "lingered")
        self.assertEqual("POST /score", request["name"])
        self.assertLess(request["end_ns"], lingered["end_ns"] - 60_000_000)

    def test_of_a_thread(self):
        self.assert_ended_before(self.run_source(self.CLIENT + """\
import http.server, inferscope
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(4)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ab")
        self.connection.shutdown(1)
        with inferscope.scope("lingered"):
            linger()
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer.daemon_threads = False
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
    threading.Thread(target=server.serve_forever).start()
    ask(server.server_address[1])
    server.shutdown()
"""))

    def test_of_tornado(self):
        """A stand-in with the names of Tornado 6.5."""
        self.library("tornado.web", """\
            from types import SimpleNamespace
            class RequestHandler:
                def __init__(self, request): self.request = request
                def flush(self): self.request.connection.stream.socket.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nab")
                def finish(self):
                    self.flush()
                    self.on_finish()
            class _HandlerDelegate:
                def __init__(self, sock, handler):
                    self.connection = SimpleNamespace(stream=SimpleNamespace(socket=sock))
                    self.request = SimpleNamespace(connection=self.connection)
                    self.handler = handler
                def headers_received(self, start_line, headers): self.handler(self.request).finish()
                def on_connection_close(self): pass
            """)
        self.assert_ended_before(self.run_source(self.CLIENT + """\
import socket, inferscope
from types import SimpleNamespace
from tornado.web import RequestHandler, _HandlerDelegate
class Scored(RequestHandler):
    def on_finish(self):
        with inferscope.scope("lingered"):
            linger()
with socket.create_server(("127.0.0.1", 0)) as listener:
    client = threading.Thread(target=ask, args=listener.getsockname()[1:])
    client.start()
    with listener.accept()[0] as served:
        served.recv(4096)
        _HandlerDelegate(served, Scored).headers_received(SimpleNamespace(method="POST", path="/score"), {})
    client.join()
"""))


class ArrivalTest(Observed):
    """A request arrives when its data come to the machine, however late the server accepts and reads: here, a second client
    has sent its request before the handler of the first one goes on."""

    CLIENTS = """\
import socket, threading, time
def ask(port, path, sent=None):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET %s HTTP/1.0\\r\\n\\r\\n" % path)
        if sent: sent.set()
        while client.recv(4096): pass
second, sent = threading.Event(), threading.Event()
def wait_for_second():
    second.set()
    assert sent.wait(60)
    time.sleep(0.1)
def ask_both(port):
    first = threading.Thread(target=ask, args=(port, b"/first"))
    first.start()
    assert second.wait(60)
    ask(port, b"/second", sent)
    first.join()
"""

    def assert_waits_from_its_arrival(self, spool):
        first, later = sorted(spool.of("REQUEST"), key=lambda request: request["name"])
        self.assertEqual(["GET /first", "GET /second"], [first["name"], later["name"]])
        self.assertLess(later["arrival_ns"], first["end_ns"] - 60_000_000)
        waited_us = later["waited_us"]
        self.assertGreater(waited_us, 60_000)
        self.assertLessEqual(1000 * waited_us, later["end_ns"] - later["arrival_ns"])

    def test_behind_a_thread_that_got_no_cpu_for_two_ticks(self):
        """Its loop's wait ended long after the data came. The kernel's count may be wrong by one tick."""
        self.run_source("""\
            import socket, time
            from inferscope import _requests
            from inferscope._handover import waits
            tick_ns = int(1e9 * time.clock_getres(6))
            with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as client:
                served, _ = listener.accept()
                for _ in range(20):  # At various times within a tick.
                    client.sendall(b"GET /")
                    sent_ns = time.monotonic_ns()
                    served.recv(5)
                    time.sleep(2.2e-9 * tick_ns)
                    waits.waited_ns = waits.turned_ns = time.monotonic_ns()
                    arrived_ns = _requests.arrived_ns(served)
                    assert arrived_ns <= sent_ns + tick_ns, (arrived_ns - sent_ns, tick_ns)
            """)

    def test_behind_a_server_that_has_not_accepted(self):
        self.assert_waits_from_its_arrival(self.run_source(self.CLIENTS + """\
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/first": wait_for_second()
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args): pass
with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
    threading.Thread(target=server.serve_forever).start()
    ask_both(server.server_address[1])
    server.shutdown()
"""))

    def test_of_a_call_that_waits_for_a_thread_of_grpcs_pool(self):
        """Native code has read its data; its connection is found by the name of its other end."""
        self.library("grpc._server", """\
            class _Server:
                def add_generic_rpc_handlers(self, generic_rpc_handlers): self.generic, = generic_rpc_handlers
            class Handler:
                request_streaming = response_streaming = False
                def __init__(self, unary_unary): self.unary_unary = unary_unary
                _replace = classmethod(lambda kind, unary_unary: kind(unary_unary))
            def _handle_call(rpc_event, later): later(rpc_event)
            """)
        spool = self.run_source("""\
            import os, socket, time
            from types import SimpleNamespace
            from grpc import _server
            from grpc._server import Handler, _Server
            def score(request, context): return request
            server = _Server()
            server.add_generic_rpc_handlers((SimpleNamespace(service=lambda details: Handler(score)),))
            def later(event):
                time.sleep(0.1)
                context = SimpleNamespace(_rpc_event=event)
                assert server.generic.service(SimpleNamespace(method="/Scores/Score")).unary_unary(b"x", context) == b"x"
            both = {"family": socket.AF_INET6, "dualstack_ipv6": True} if socket.has_dualstack_ipv6() else {}  # As gRPC's servers.
            with socket.create_server(("::" if both else "127.0.0.1", 0), **both) as listener, \\
                    socket.create_connection(("127.0.0.1", listener.getsockname()[1])) as client:
                served, _ = listener.accept()
                with served:
                    client.sendall(b"call")
                    served.recv(4)
                    time.sleep(0.1)  # until the thread that gets calls has a CPU and the GIL
                    peer = b"ipv4:%s:%d" % (b"127.0.0.1", client.getsockname()[1])
                    _server._handle_call(SimpleNamespace(success=True, call=SimpleNamespace(peer=lambda: peer)), later)
                    _server._handle_call(SimpleNamespace(success=True, call=SimpleNamespace(peer=lambda: b"unix:")), later)
            # The call of a server's last event is a null pointer.
            _server._handle_call(SimpleNamespace(success=False, call=SimpleNamespace(peer=lambda: os.abort())), lambda event: None)
            """)
        known, unknown = spool.of("REQUEST")
        self.assertGreater(known["end_ns"] - known["arrival_ns"], 180_000_000)
        self.assertGreater(unknown["end_ns"] - unknown["arrival_ns"], 90_000_000)
        self.assertGreater(known["waited_us"], 180_000)

    def test_behind_a_task_that_blocks_the_loop(self):
        self.library("uvicorn.protocols.http.h11_impl", """\
            import asyncio
            class RequestResponseCycle:
                def __init__(self, scope, transport): self.scope, self.transport = scope, transport
                async def send(self, message):
                    if message["type"] == "http.response.body":
                        self.transport.write(b"HTTP/1.0 200 OK\\r\\n\\r\\n")
                        self.transport.close()
                async def run_asgi(self, app): await app(self.scope, None, self.send)
            class H11Protocol(asyncio.Protocol):
                app = None
                def connection_made(self, transport): self.transport = transport
                def connection_lost(self, error): pass
                def data_received(self, data):
                    scope = {"type": "http", "method": "GET", "path": data.split()[1].decode()}
                    self.task = asyncio.ensure_future(RequestResponseCycle(scope, self.transport).run_asgi(self.app))
            """)
        self.assert_waits_from_its_arrival(self.run_source(self.CLIENTS + """\
import asyncio
from uvicorn.protocols.http.h11_impl import H11Protocol
async def app(scope, receive, send):
    if scope["path"] == "/first": wait_for_second()
    await send({"type": "http.response.body", "body": b""})
H11Protocol.app = staticmethod(app)
async def main():
    server = await asyncio.get_running_loop().create_server(H11Protocol, "127.0.0.1", 0)
    await asyncio.get_running_loop().run_in_executor(None, ask_both, server.sockets[0].getsockname()[1])
asyncio.run(main())
"""))


class EngineRequestTest(Observed):
    def test_vllm_counts_tokens_of_whole_and_of_new_outputs(self):
        self.library("vllm.v1.engine.async_llm", """\
            import asyncio
            class Answer:
                def __init__(self, ids): self.token_ids = ids
            class Output:
                def __init__(self, *ids): self.outputs = [Answer(one) for one in ids]
            class AsyncLLM:
                async def generate(self, prompt, sampling_params, request_id):
                    for n in range(1, 5):
                        await asyncio.sleep(0.01)
                        yield Output([7] if sampling_params.output_kind.name == "DELTA" else [7] * n)
            """)
        spool = self.run_source("""\
            import asyncio, enum, inspect
            from vllm.v1.engine.async_llm import AsyncLLM
            assert inspect.isasyncgenfunction(AsyncLLM.generate)
            class Kind(enum.Enum): CUMULATIVE, DELTA = 0, 1
            class Params:
                def __init__(self, kind): self.output_kind = kind
            async def ask(kind, ident, stop=9):
                stream = AsyncLLM().generate("hello", Params(kind), request_id=ident)
                count = 0
                async for output in stream:
                    count += 1
                    if count == stop: break
                await stream.aclose()
                return count
            async def main():
                assert await asyncio.gather(ask(Kind.CUMULATIVE, "r-1"), ask(Kind.DELTA, "r-2"), ask(Kind.DELTA, "r-3", 2)) == [4, 4, 2]
            asyncio.run(main())
            """)
        requests = {request["id"]: request for request in spool.of("REQUEST")}
        self.assertEqual({"r-1": 4, "r-2": 4, "r-3": 2}, {ident: request["items"] for ident, request in requests.items()})
        self.assertEqual({"r-1": 3, "r-2": 3, "r-3": 1}, {ident: len(gaps_us(request)) for ident, request in requests.items()})
        for request in requests.values():
            self.assertTrue(request["arrival_ns"] + 9_000_000 < request["first_ns"] <= request["end_ns"])
            self.assertGreaterEqual(min(gaps_us(request)), 9_000)
            self.assertLessEqual(sum(gaps_us(request)) - 5, (request["end_ns"] - request["first_ns"]) // 1000)

    def test_vllm_offline_requests_end_in_the_step_that_finishes_them(self):
        self.library("vllm.v1.engine.llm_engine", """\
            class Answer:
                token_ids = [1, 2, 3]
            class Output:
                outputs = [Answer]
                def __init__(self, ident): self.request_id, self.finished = ident, True
            class LLMEngine:
                waiting = []
                def add_request(self, request_id, prompt): self.waiting.append(request_id)
                def step(self): return [Output(self.waiting.pop(0))]
            """)
        spool = self.run_source("""\
            from vllm.v1.engine.llm_engine import LLMEngine
            engine = LLMEngine()
            for ident in ("a", "b", "c"): engine.add_request(ident, "x")
            engine.step(), engine.step()
            """)
        self.assertEqual({"a": (3, True), "b": (3, True), "c": (0, False)},
                         {request["id"]: (request["items"], request["end_ns"] > 0) for request in spool.of("REQUEST")})

    def test_sglang_requests_single_and_batched(self):
        self.library("sglang.srt.managers.tokenizer_manager", """\
            class TokenizerManager:
                async def generate_request(self, obj, request=None):
                    for n in (1, 2, 5):
                        meta = {"meta_info": {"completion_tokens": n}}
                        yield [meta, meta] if obj.batch else meta
                async def _tokenize_one_request(self, obj):
                    import asyncio, time
                    time.sleep(0.002)
                    await asyncio.sleep(0.01)
                    time.sleep(0.002)
                    return obj
            """)
        spool = self.run_source("""\
            import asyncio
            from sglang.srt.managers.tokenizer_manager import TokenizerManager
            class Ask:
                def __init__(self, rid, batch): self.rid, self.batch = rid, batch
            async def main():
                manager = TokenizerManager()
                for ask in (Ask("one", False), Ask(["two", "three"], True)):
                    assert len([chunk async for chunk in manager.generate_request(ask)]) == 3
                assert await manager._tokenize_one_request(5) == 5
            asyncio.run(main())
            """)
        self.assertEqual([("one", 5), (None, 10)], [(r["id"], r["items"]) for r in spool.of("REQUEST")])
        pieces = spool.spans("sglang.tokenize")
        self.assertEqual([0, 4], [piece["flags"] for piece in pieces])
        self.assertTrue(all(2_000_000 <= piece["end_ns"] - piece["start_ns"] for piece in pieces))
        self.assertGreater(pieces[1]["start_ns"] - pieces[0]["end_ns"], 9_000_000, "the wait belongs to no piece")
        self.assertEqual([0, pieces[0]["start_ns"]], [piece["value"] for piece in pieces])

    def test_the_last_piece_of_a_call_is_recorded_however_short(self):
        self.library("urllib3.connectionpool", """\
            class HTTPConnectionPool:
                async def urlopen(self, method, url):
                    import asyncio
                    await asyncio.sleep(0.01)
            """)
        spool = self.run_source("""\
            import asyncio
            from urllib3.connectionpool import HTTPConnectionPool
            asyncio.run(HTTPConnectionPool().urlopen("GET", "/one"))
            """)
        last = spool.spans("HTTP GET")[-1]
        self.assertEqual(4, last["flags"])
        self.assertGreater(last["end_ns"] - last["value"], 9_000_000)


class TokenLimitTest(Observed):
    def test_times_of_very_many_tokens_are_kept_up_to_a_limit_and_all_are_counted(self):
        spool = self.run_source("""\
            from inferscope._requests import Request, TOKEN_LIMIT
            request = Request("engine")
            for _ in range(TOKEN_LIMIT + 10): request.answered()
            request.end()
            request.answered()
            request.end()
            """)
        request, = spool.of("REQUEST")
        self.assertEqual(4010, request["items"])
        self.assertEqual(4000, len(gaps_us(request)))


if __name__ == "__main__":
    unittest.main()
