"""HTTP clients: requests, httpx, urllib3, aiohttp, urllib.request.

Only the path of an address is kept, as the span's detail: no host, no query, no header. Of nested clients the outermost
is recorded; asynchronous ones in pieces.
"""

from .._hook import Hook
from .._requests import route_name

GROUP = "http client"


def method_only(position, keyword):
    def name(args, kwargs):
        request = kwargs.get(keyword, args[position] if len(args) > position else "")
        return "HTTP %s" % str(getattr(request, "method", request) or "GET").upper()[:10]

    return name


def path_of(position, keyword, attribute="url"):
    """The path as the span's detail. Never empty, because a call with an empty detail is not recorded."""
    def when(args, kwargs):
        target = kwargs.get(keyword, args[position] if len(args) > position else "")
        target = getattr(target, attribute, target)
        return route_name("", getattr(target, "path", target)).strip() or "/"

    return when


def urllib_method(args, kwargs):
    target = args[1] if len(args) > 1 else kwargs.get("fullurl")
    data = args[2] if len(args) > 2 else kwargs.get("data")
    get_method = getattr(target, "get_method", None)
    return "HTTP %s" % (get_method() if get_method else "GET" if data is None else "POST")


def _row(module, path, name, when, optional=False):
    return Hook(module, path, name, 0, GROUP, when=when, optional=optional)


HOOKS = (
    _row("requests.sessions", "Session.send", method_only(1, "request"), path_of(1, "request")),
    _row("urllib3.connectionpool", "HTTPConnectionPool.urlopen", method_only(1, "method"), path_of(2, "url")),
    _row("httpx._client", "Client.send", method_only(1, "request"), path_of(1, "request")),
    _row("httpx._client", "AsyncClient.send", method_only(1, "request"), path_of(1, "request")),
    _row("aiohttp.client", "ClientSession._request", method_only(1, "method"), path_of(2, "str_or_url")),
    _row("urllib.request", "OpenerDirector.open", urllib_method, path_of(1, "fullurl", "full_url")),
)
