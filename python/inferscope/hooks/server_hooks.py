"""HTTP servers: each request is a REQUEST record, from arrival to the last byte of the answer.

It arrives when its first data, of those read together, come to the machine, before the server accepts or reads; where the
socket is not known, when the handler is called. It ends when its last data are given to the kernel.

ASGI (uvicorn, Starlette, FastAPI), aiohttp, Tornado, WSGI (Flask) and http.server; if nested, the first one that receives the
request. The first byte is that of the first body; the items are chunks of the body, unknown for http.server. Names are
method and route, or path. gRPC: from the connection's last data, when its thread gets the call, to the handler's return; with
asyncio from the handler's call; the items are messages of a stream.
Ray Serve: a replica's calls of its deployment, beside the requests of the proxy, which is another process.
"""

import sys
from _thread import _local
from time import monotonic_ns

from .. import _recorder
from .._handover import waits
from .._hook import Hook
from .._requests import Request, arrived_ns, peers, route_name
from .._signals import pass_on

MARK = "inferscope.request"


class _Serving(_local):
    request = None
    sends_head = False


serving = _Serving()
MOST_ARRIVALS = 10_000

ANSWERING = -1

_arrivals = {}  # By the id of a connection's transport: when its next request came, or ANSWERING.


def _arrived(transport):
    """When the request came that is now handled, 0 if that is not known. What its connection gets before the end of the
    answer is the rest of it."""
    at_ns = _arrivals.get(id(transport), 0)
    if at_ns:
        _arrivals[id(transport)] = ANSWERING
    return max(0, at_ns)


def _answered(transport):
    if _arrivals.get(id(transport)) == ANSWERING:
        del _arrivals[id(transport)]


def wrap_data_received(original, hook, state):
    def data_received(self, data, *args, **kwargs):
        try:
            transport = self.transport
            if _recorder.current is not None and id(transport) not in _arrivals:
                if len(_arrivals) >= MOST_ARRIVALS:
                    _arrivals.clear()
                _arrivals[id(transport)] = arrived_ns(transport.get_extra_info("socket"))
        except Exception as error:
            state.failed(error)
        return original(self, data, *args, **kwargs)

    return data_received


def wrap_connection_lost(original, hook, state):
    def connection_lost(self, *args, **kwargs):
        _arrivals.pop(id(getattr(self, "transport", None)), None)
        return original(self, *args, **kwargs)

    return connection_lost


def _descriptor(transport):
    """That of a transport's socket, or None."""
    find = getattr(transport, "get_extra_info", None)
    sock = find("socket") if find else None
    return sock.fileno() if sock is not None else None


def observed_app(app, state, transport=None):
    """Wraps an ASGI application such that its requests are recorded."""
    async def recorded(scope, receive, send):
        request = None
        try:
            if scope.get("type") == "http" and MARK not in scope and _recorder.current is not None:
                scope[MARK] = True
                name = route_name(scope.get("method", ""), scope.get("path", ""))
                request = Request(name, arrival_ns=_arrived(transport), handled=True, fd=_descriptor(transport))
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        if request is None:
            return await app(scope, receive, send)
        try:
            return await app(scope, receive, _observed_send(send, request, scope, transport))
        finally:
            if request.word:  # not ended by its last message
                request.end(name=_route(scope))
            _answered(transport)

    return recorded


def _observed_send(send, request, scope, transport):
    async def observed(message):
        await send(message)
        try:
            if message.get("type") == "http.response.body":
                if message.get("body"):
                    request.answered(sent=True)
                if not message.get("more_body"):
                    request.end(name=_route(scope))
                    _answered(transport)
        except Exception as error:
            pass_on(error)

    return observed


def _route(scope):
    """The route's pattern, which contains no ids of users, if the framework stored it in the scope."""
    try:
        path = getattr(scope.get("route"), "path", "")
        return route_name(scope.get("method", ""), scope.get("root_path", "") + path) if path else ""
    except Exception as error:
        pass_on(error)
        return ""


def wrap_run_asgi(original, hook, state):
    async def run_asgi(self, app, *args, **kwargs):
        return await original(self, observed_app(app, state, getattr(self, "transport", None)), *args, **kwargs)

    return run_asgi


def wrap_asgi_call(original, hook, state):
    async def __call__(self, scope, receive, send):
        if MARK in scope:  # The server's hook has recorded it.
            return await original(self, scope, receive, send)

        async def app(scope, receive, send):
            return await original(self, scope, receive, send)

        return await observed_app(app, state)(scope, receive, send)

    return __call__


def wrap_handle(original, hook, state):
    """Called for a request, or for a whole connection: handlers that replace ``handle_one_request`` (wsgiref, Django's
    server) have sent the last byte of an answer long before, if the connection was kept."""
    def handle(self, *args, **kwargs):
        try:
            return original(self, *args, **kwargs)
        finally:
            _end_served()

    return handle


def _end_served():
    request, serving.request = serving.request, None
    if request is not None:
        request.end()


def wrap_parse(original, hook, state):
    """Called after the request's first line was read; before that the thread only waited for it."""
    def parse_request(self, *args, **kwargs):
        parsed = original(self, *args, **kwargs)
        try:
            if parsed and _recorder.current is not None:
                _end_served()
                sock = self.connection
                serving.request = Request(route_name(self.command, self.path), arrival_ns=arrived_ns(sock), handled=True, fd=sock.fileno())
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return parsed

    return parse_request


def wrap_flush_headers(original, hook, state):
    def flush_headers(self, *args, **kwargs):
        serving.sends_head = True
        try:
            return original(self, *args, **kwargs)
        finally:
            serving.sends_head = False

    return flush_headers


def wrap_socket_write(original, hook, state):
    def write(self, *args, **kwargs):
        request, began_ns = serving.request, monotonic_ns()
        if request is not None and not serving.sends_head:
            request.answered(0)
        try:
            return original(self, *args, **kwargs)
        finally:
            if request is not None and waits.sent_ns < began_ns:  # TLS does not send by the socket's methods
                waits.sent_ns, waits.sent_fd = monotonic_ns(), request.fd

    return write


class _Body:
    """The body of a WSGI answer; closing it ends the request."""

    def __init__(self, body, request):
        self.body, self.request = body, request

    def __iter__(self):
        for chunk in self.body:
            if chunk:
                self.request.answered()
            yield chunk

    def close(self):
        try:
            close = getattr(self.body, "close", None)
            if close is not None:
                close()
        finally:
            self.request.end()


def wrap_wsgi(original, hook, state):
    def wsgi_app(self, environ, start_response):
        request = None
        try:
            if serving.request is None and MARK not in environ and _recorder.current is not None:
                environ[MARK] = True
                name = route_name(environ.get("REQUEST_METHOD", ""), environ.get("PATH_INFO", ""))
                sock = environ.get("gunicorn.socket")
                known = {} if sock is None else {"arrival_ns": arrived_ns(sock), "fd": sock.fileno()}
                request = Request(name, handled=True, **known)
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        if request is None:
            return original(self, environ, start_response)
        body = None
        try:
            body = original(self, environ, start_response)
        finally:
            if type(body).__name__ != "ClosingIterator":  # a server may look for its own file wrapper
                request.end()
        return _Body(body, request) if request.word else body

    return wsgi_app


def wrap_aiohttp(original, hook, state):
    async def _handle_request(self, request, *args, **kwargs):
        record = None
        try:
            if _recorder.current is not None:
                transport = getattr(self, "transport", None)
                name = route_name(request.method, request.path)
                record = Request(name, arrival_ns=_arrived(transport), handled=True, fd=_descriptor(transport))
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        try:
            return await original(self, request, *args, **kwargs)
        finally:
            if record is not None:
                record.end(name=_resource(request))
                _answered(transport)

    return _handle_request


def _resource(request):
    """The pattern of an aiohttp route, or "" """
    try:
        resource = request.match_info.route.resource
        return route_name(request.method, resource.canonical) if resource is not None else ""
    except Exception as error:
        pass_on(error)
        return ""


def wrap_tornado_headers(original, hook, state):
    """Called once the head of a request is read."""
    def headers_received(self, start_line, headers):
        try:
            if _recorder.current is not None and headers.get("Upgrade", "").lower() != "websocket":
                sock = self.connection.stream.socket
                record = Request(route_name(start_line.method, start_line.path), arrival_ns=arrived_ns(sock), handled=True, fd=sock.fileno())
                self.request._inferscope_request = record
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return original(self, start_line, headers)

    return headers_received


def _wrap_tornado(tell):
    """Tells a request's record of a call that has ended."""
    def wrap(original, hook, state):
        def called(self, *args, **kwargs):
            try:
                return original(self, *args, **kwargs)
            finally:
                record = getattr(self.request, "_inferscope_request", None)
                if record is not None:
                    tell(record)

        return called

    return wrap


class _Handlers:
    """A generic handler of gRPC whose calls are recorded."""

    def __init__(self, inner, state):
        self._inner, self._state = inner, state

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def service(self, details):
        return _observed_rpc(self._inner.service(details), details.method, self._state)


def wrap_generic_handlers(original, hook, state):
    def add_generic_rpc_handlers(self, generic_rpc_handlers):
        try:
            observed = tuple(_Handlers(one, state) if hasattr(one, "service") else one for one in generic_rpc_handlers)
        except Exception as error:
            state.failed(error)
            observed = generic_rpc_handlers
        return original(self, observed)

    return add_generic_rpc_handlers


def wrap_registered_handlers(original, hook, state):
    def add_registered_method_handlers(self, service_name, method_handlers):
        try:
            observed = {method: _observed_rpc(handler, "/%s/%s" % (service_name, method), state)
                        for method, handler in method_handlers.items()}
        except Exception as error:
            state.failed(error)
            observed = method_handlers
        return original(self, service_name, observed)

    return add_registered_method_handlers


def _observed_rpc(handler, method, state):
    """A handler of one method, which has a function for one of four shapes: unary or stream, in and out."""
    try:
        shape = handler and "%s_%s" % tuple("stream" if one else "unary" for one in (handler.request_streaming, handler.response_streaming))
        behavior = shape and getattr(handler, shape)
        if behavior and hasattr(handler, "_replace") and not hasattr(behavior, "experimental_non_blocking"):
            name = route_name("gRPC", method.decode() if isinstance(method, bytes) else method)
            return handler._replace(**{shape: _observed_behavior(behavior, name, handler.response_streaming, state)})
    except Exception as error:
        state.failed(error)
    return handler


def wrap_grpc_call(original, hook, state):
    """Called by the thread that gets calls, before one of the pool is free for it."""
    def _handle_call(rpc_event, *args, **kwargs):
        try:
            if _recorder.current is not None and rpc_event.success:  # At a server's end the event has no call: peer() would crash.
                if len(_arrivals) >= MOST_ARRIVALS:
                    _arrivals.clear()
                _arrivals[id(rpc_event)] = peers.arrived_ns(rpc_event.call.peer().decode())
        except Exception as error:
            state.failed(error)
        return original(rpc_event, *args, **kwargs)

    return _handle_call


def _observed_behavior(behavior, name, streams, state):
    """gRPC asks which kind of function a handler is; the wrapper is of the same kind."""
    from inspect import isasyncgenfunction, iscoroutinefunction

    def begin(request, context):
        if _recorder.current is None:
            return None
        state.recorded += 1
        return Request(name, arrival_ns=_arrivals.pop(id(getattr(context, "_rpc_event", None)), 0), handled=True)

    def end(request):
        if request is not None:
            request.end()

    async def awaited(*args):
        request = begin(*args)
        try:
            return await behavior(*args)
        finally:
            end(request)

    async def generated(*args):
        request = begin(*args)
        try:
            async for message in behavior(*args):
                yield message
                if request is not None:
                    request.answered()
        finally:
            end(request)

    def called(*args):
        request = begin(*args)
        try:
            return behavior(*args)
        finally:
            end(request)

    def begun(*args):
        request = begin(*args)
        try:
            return iterated(behavior(*args), request)
        except BaseException:
            end(request)
            raise

    def iterated(messages, request):
        try:
            for message in messages:
                yield message
                if request is not None:
                    request.answered()
        finally:
            end(request)

    if iscoroutinefunction(behavior):
        return awaited
    return generated if isasyncgenfunction(behavior) else begun if streams else called


def wrap_user_call(original, hook, state):
    """Ray Serve also calls the constructor and checks of health like this; only a request has an id."""
    async def _call_func_or_gen(self, callable, *args, **kwargs):
        request = None
        try:
            if _recorder.current is not None and sys.modules["ray.serve.context"]._get_serve_request_context().request_id:
                request = Request(callable.__qualname__)
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        try:
            return await original(self, callable, *args, **kwargs)
        finally:
            if request is not None:
                request.end()

    return _call_func_or_gen


HOOKS = (
    Hook("uvicorn.protocols.http.h11_impl", "RequestResponseCycle.run_asgi", wrap=wrap_run_asgi),
    Hook("uvicorn.protocols.http.httptools_impl", "RequestResponseCycle.run_asgi", wrap=wrap_run_asgi),
    Hook("uvicorn.protocols.http.h11_impl", "H11Protocol.data_received", wrap=wrap_data_received, optional=True),
    Hook("uvicorn.protocols.http.h11_impl", "H11Protocol.connection_lost", wrap=wrap_connection_lost, optional=True),
    Hook("uvicorn.protocols.http.httptools_impl", "HttpToolsProtocol.data_received", wrap=wrap_data_received, optional=True),
    Hook("uvicorn.protocols.http.httptools_impl", "HttpToolsProtocol.connection_lost", wrap=wrap_connection_lost, optional=True),
    Hook("aiohttp.web_protocol", "RequestHandler.data_received", wrap=wrap_data_received, optional=True),
    Hook("aiohttp.web_protocol", "RequestHandler.connection_lost", wrap=wrap_connection_lost, optional=True),
    Hook("starlette.applications", "Starlette.__call__", wrap=wrap_asgi_call),
    Hook("aiohttp.web_protocol", "RequestHandler._handle_request", wrap=wrap_aiohttp),
    Hook("tornado.web", "_HandlerDelegate.headers_received", wrap=wrap_tornado_headers),
    Hook("tornado.web", "RequestHandler.flush", wrap=_wrap_tornado(lambda record: record.answered(sent=True))),
    Hook("tornado.web", "RequestHandler.finish", wrap=_wrap_tornado(Request.end)),
    Hook("tornado.web", "_HandlerDelegate.on_connection_close", wrap=_wrap_tornado(Request.end)),
    Hook("grpc._server", "_handle_call", wrap=wrap_grpc_call, optional=True),
    Hook("grpc._server", "_Server.add_generic_rpc_handlers", wrap=wrap_generic_handlers),
    Hook("grpc._server", "_Server.add_registered_method_handlers", wrap=wrap_registered_handlers, optional=True),
    Hook("grpc.aio._server", "Server.add_generic_rpc_handlers", wrap=wrap_generic_handlers),
    Hook("grpc.aio._server", "Server.add_registered_method_handlers", wrap=wrap_registered_handlers, optional=True),
    Hook("ray.serve._private.replica", "UserCallableWrapper._call_func_or_gen", wrap=wrap_user_call),
    Hook("flask.app", "Flask.wsgi_app", wrap=wrap_wsgi),
    Hook("http.server", "BaseHTTPRequestHandler.parse_request", wrap=wrap_parse),
    Hook("http.server", "BaseHTTPRequestHandler.handle_one_request", wrap=wrap_handle),
    Hook("http.server", "BaseHTTPRequestHandler.flush_headers", wrap=wrap_flush_headers),
    Hook("socketserver", "BaseServer.finish_request", wrap=wrap_handle),
    Hook("socketserver", "_SocketWriter.write", wrap=wrap_socket_write),
)
