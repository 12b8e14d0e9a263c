"""Scores texts with a network of matrix products in NumPy, behind one of several servers: python web_service.py --server aiohttp --port 8000

    --server flask       Werkzeug's server, a thread for each connection
    --server gunicorn    a worker process of gunicorn with two threads
    --server aiohttp     one event loop
    --server tornado     one event loop
    --server fastapi     uvicorn, one event loop
    --server grpc        gRPC with a pool of four threads; the method is /Scores/Score
    --fault blocked      every fourth request sleeps, on the event loop where there is one
"""

import argparse
import asyncio
import itertools
import json
import time

import numpy

WIDTH, LAYERS = 384, 6
numbers = itertools.count()
random = numpy.random.default_rng(1)
weights = [random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 20 for _ in range(LAYERS)]


def look_up():
    time.sleep(0.04)


def score(body):
    if OPTIONS.fault == "blocked" and next(numbers) % 4 == 3:
        look_up()
    text = json.loads(body)["prompt"].encode()
    last = numpy.tile(numpy.frombuffer(text[:WIDTH].ljust(WIDTH), numpy.uint8).astype(numpy.float32) / 128 - 1, (64, 1))
    for matrix in weights:
        last = numpy.maximum(last @ matrix, 0)
    return json.dumps({"score": float(last.sum())}).encode()


def flask_app():
    import flask

    app = flask.Flask(__name__)

    @app.post("/score")
    def scored():
        return flask.Response(score(flask.request.get_data()), mimetype="application/json")

    return app


def flask(port):
    flask_app().run("127.0.0.1", port)


def gunicorn(port):
    import gunicorn.app.base

    class Service(gunicorn.app.base.BaseApplication):
        def load_config(self):
            for name, value in (("bind", "127.0.0.1:%d" % port), ("workers", 1), ("threads", OPTIONS.threads), ("accesslog", None)):
                self.cfg.set(name, value)

        def load(self):
            return flask_app()

    Service().run()


def aiohttp(port):
    from aiohttp import web

    async def scored(request):
        return web.Response(body=score(await request.read()), content_type="application/json")

    app = web.Application()
    app.router.add_post("/score", scored)
    web.run_app(app, host="127.0.0.1", port=port, access_log=None)


def tornado(port):
    import tornado.web

    class Scored(tornado.web.RequestHandler):
        def post(self):
            self.set_header("Content-Type", "application/json")
            self.write(score(self.request.body))

    async def serve():
        tornado.web.Application([("/score", Scored)], log_function=lambda handler: None).listen(port, "127.0.0.1")
        await asyncio.Event().wait()

    asyncio.run(serve())


def fastapi(port):
    import fastapi
    import uvicorn

    app = fastapi.FastAPI()

    @app.post("/score")
    async def scored(request: fastapi.Request):
        return fastapi.Response(score(await request.body()), media_type="application/json")

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", loop=OPTIONS.loop)


def grpc(port):
    import concurrent.futures

    import grpc

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    handler = grpc.unary_unary_rpc_method_handler(lambda request, context: score(request))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Scores", {"Score": handler}),))
    server.add_insecure_port("127.0.0.1:%d" % port)
    server.start()
    server.wait_for_termination()


SERVERS = {one.__name__: one for one in (flask, gunicorn, aiohttp, tornado, fastapi, grpc)}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=SERVERS, required=True)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--fault", choices=("none", "blocked"), default="none")
    parser.add_argument("--threads", type=int, default=2, help="of gunicorn's worker")
    parser.add_argument("--loop", choices=("asyncio", "uvloop", "auto"), default="asyncio", help="of uvicorn")
    return parser.parse_args()


OPTIONS = options()


if __name__ == "__main__":
    try:
        SERVERS[OPTIONS.server](OPTIONS.port)
    except KeyboardInterrupt:
        pass
