"""Hook tables on stand-ins that have the libraries' module, class and method names."""

import unittest

from support import Observed, judged


def nested(spool, *names):
    """Whether each named span lies inside the one before it."""
    spans = [spool.spans(name)[0] for name in names]
    return all(outer["start_ns"] <= inner["start_ns"] and inner["end_ns"] <= outer["end_ns"] for outer, inner in zip(spans, spans[1:]))


class CompileTest(Observed):
    def test_a_compilation_of_jax_says_which_function_and_for_which_arguments(self):
        self.library("jax._src.compiler", """\
            def compile_or_get_cached(backend, computation, devices): return computation
            """)
        spool = self.run_source("""\
            from types import SimpleNamespace as Some
            from jax._src import compiler
            def program(*rows):
                main = Some(attributes={"sym_name": '"main"', "function_type": "(%s) -> (tensor<4xf32>)" % ", ".join(rows)})
                inner = Some(attributes={"sym_name": '"tanh"', "function_type": "() -> ()"})
                return Some(operation=Some(attributes={"sym_name": '"jit_forward"'}), body=Some(operations=[inner, main]))
            for length in 3, 4:
                compiler.compile_or_get_cached(None, program("tensor<%dx4xf32>" % length, "tensor<4xf32>"), ())
            compiler.compile_or_get_cached(None, computation=Some(operation=Some(attributes={"sym_name": '"pmap_step"'})), devices=())
            """)
        self.assertEqual(["tensor<3x4xf32>, tensor<4xf32>", "tensor<4x4xf32>, tensor<4xf32>"],
                         [span["detail"] for span in spool.spans("jax.jit forward")])
        self.assertEqual({8}, {span["activity"] for span in spool.spans("jax.jit forward")})
        self.assertEqual(1, len(spool.spans("jax.jit pmap_step")))

    def test_a_trace_of_tensorflow_says_which_function_and_for_which_arguments_but_no_texts(self):
        tracing = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
        self.library(tracing, """\
            def _create_concrete_function(function_type, type_context, func_graph, tracing_options): return function_type
            """)
        spool = self.run_source("""\
            from types import SimpleNamespace as Some
            from %s import _create_concrete_function as create
            class TensorSpec: shape, dtype = (4, None), Some(name="float32")
            class Literal:
                def __init__(self, value): self.value = value
            class List: components_tuple = TensorSpec(), Literal(3)
            class Dict: mapping = {"x": TensorSpec()}
            for scale in 0.5, 0.75:
                given = {"ids": TensorSpec(), "scale": Literal(scale), "name": Literal("secret"), "some": List(), "kept": Dict()}
                create(Some(parameters={name: Some(type_constraint=one) for name, one in given.items()}), None, None, Some(name="score"))
            """ % tracing)
        rest = "some[0] [4, None] float32, some[1]=3, kept[x] [4, None] float32"
        self.assertEqual(["ids [4, None] float32, scale=%s, %s" % (scale, rest) for scale in (0.5, 0.75)],
                         [span["detail"] for span in spool.spans("tf.function score")])
        self.assertEqual({8}, {span["activity"] for span in spool.spans("tf.function score")})


class MediaTest(Observed):
    def test_lazy_images_are_decoded_once_and_nested_calls_count_once(self):
        self.library("PIL.Image", """\
            class Image:
                tile = ()
                def load(self): return 5
                def convert(self, mode): self.load(); return self
                def resize(self, size): self.load(); return self.convert("RGB")
                def getpixel(self, at): return self.load()
            def open(file):
                from . import ImageFile
                return ImageFile.ImageFile()
            """)
        self.library("PIL.ImageFile", """\
            from .Image import Image
            class ImageFile(Image):
                tile = (1,)
                def load(self):
                    self.tile = ()
                    return 5
            """)
        spool = self.run_source("""\
            from PIL import Image
            image = Image.open("x.jpg")
            assert [image.getpixel(n) for n in range(100)] == [5] * 100
            image.resize((2, 2))
            """)
        self.assertEqual((1, 1, 1, 0), tuple(len(spool.spans("PIL." + name)) for name in ("open", "decode", "resize", "convert")))
        self.assertEqual({2}, {span["activity"] for span in spool.spans() if span["name"].startswith("PIL.")})

    def test_compiled_functions_stay_callable_as_attributes_of_classes(self):
        self.library("cv2", "from math import hypot as imdecode\nfrom math import gcd as resize\n")
        spool = self.run_source("""\
            import pickle
            import cv2
            class Loader:
                decode = cv2.imdecode
            assert Loader().decode(3, 4) == Loader.decode(3, 4) == 5 and cv2.resize(4, 6) == 2
            assert cv2.imdecode.__name__ == "hypot" and "hypot" in (cv2.imdecode.__doc__ or "") + cv2.imdecode.__qualname__
            try:
                cv2.resize("x", 1)
            except TypeError:
                pass
            """)
        self.assertEqual((2, 2), (len(spool.spans("cv2.imdecode")), len(spool.spans("cv2.resize"))))
        self.assertEqual([0, 2], [span["flags"] for span in spool.spans("cv2.resize")])


class ClientTest(Observed):
    @judged
    def test_clients_keep_method_and_path_and_nothing_else(self):
        self.library("urllib3.connectionpool", """\
            class HTTPConnectionPool:
                def urlopen(self, method, url, body=None): return 200
            """)
        self.library("requests.sessions", """\
            from urllib3.connectionpool import HTTPConnectionPool
            class Request:
                def __init__(self, method, url): self.method, self.url = method, url
            class Session:
                def send(self, request, **options): return HTTPConnectionPool().urlopen(request.method, "/raw?secret")
            """)
        self.library("httpx._client", """\
            import asyncio, time
            class Client:
                def send(self, request): return 200
            class AsyncClient:
                async def send(self, request):
                    time.sleep(0.001)
                    await asyncio.sleep(0.3)
                    return 200
            """)
        spool = self.run_source("""\
            import asyncio, types
            from requests.sessions import Request, Session
            from httpx._client import AsyncClient, Client
            from urllib3.connectionpool import HTTPConnectionPool
            assert Session().send(Request("get", "https://user:secret@secret.host:8/v1/x?secret=1#secret")) == 200
            url = types.SimpleNamespace(path="/v2/y", host="secret")
            assert Client().send(types.SimpleNamespace(method="POST", url=url)) == 200
            assert asyncio.run(AsyncClient().send(types.SimpleNamespace(method="PUT", url=url))) == 200
            assert HTTPConnectionPool().urlopen("DELETE", url="/z?secret") == 200
            """)
        self.assertEqual([("HTTP GET", "/v1/x"), ("HTTP POST", "/v2/y"), ("HTTP DELETE", "/z")],
                         [(span["name"], span["detail"]) for span in spool.spans() if span["name"].startswith("HTTP") and span["name"] != "HTTP PUT"])
        puts = spool.spans("HTTP PUT")
        self.assertTrue(puts and sum(put["end_ns"] - put["start_ns"] for put in puts) < 200_000_000, "the loop's other time is not the client's")
        self.assertNotIn(b"secret", spool.data)


class AnnotationTest(Observed):
    def test_nvtx_ranges_and_marks_are_scopes_of_the_user(self):
        self.library("nvtx.nvtx", """\
            open_ranges = []
            def push_range(message=None, color=None): open_ranges.append(message)
            def pop_range(): open_ranges.pop()
            def start_range(message=None): return 77
            def end_range(handle): assert handle == 77
            def mark(message=None): pass
            class Attributes:
                def __init__(self, message): self.message = message
            class annotate:
                def __init__(self, message): self.attributes = Attributes(message)
                def __enter__(self): return self
                def __exit__(self, *error): return False
            """)
        spool = self.run_source("""\
            import threading
            from nvtx import nvtx
            nvtx.push_range("outer")
            nvtx.push_range(message="inner")
            nvtx.pop_range()
            nvtx.pop_range()
            try:
                nvtx.pop_range()
            except IndexError:
                pass
            else:
                raise SystemExit(3)
            handle = nvtx.start_range("crossing")
            thread = threading.Thread(target=nvtx.end_range, args=(handle,))
            thread.start(); thread.join()
            with nvtx.annotate("block"):
                nvtx.mark("here")
            """)
        names = ("outer", "inner", "crossing", "block")
        self.assertEqual([1] * 4, [span["flags"] for name in names for span in spool.spans(name)])
        self.assertTrue(all(span["end_ns"] >= span["start_ns"] for name in names for span in spool.spans(name)))
        self.assertTrue(nested(spool, "outer", "inner"))
        self.assertEqual(["here"], [mark["name"] for mark in spool.of("MARK")])


class EngineTest(Observed):
    VLLM = {
        "vllm.v1.core.sched.scheduler": """\
            class Out: total_num_scheduled_tokens = 9
            class Scheduler:
                def schedule(self): return Out()
                def update_from_output(self, output, result): return result
            """,
        "vllm.v1.worker.gpu_model_runner": """\
            class GPUModelRunner:
                def _prepare_inputs(self, output): return output
                def execute_model(self, output): self._prepare_inputs(output); return self._sample(output)
                def _sample(self, output): return [1]
            """,
        "vllm.v1.worker.gpu_worker": """\
            from vllm.v1.worker.gpu_model_runner import GPUModelRunner
            class Worker:
                def __init__(self, config, local_rank, rank): self.local_rank, self.rank = local_rank, rank
                def load_model(self): self.runner = GPUModelRunner()
                def execute_model(self, output): return self.runner.execute_model(output)
            """,
        "vllm.v1.engine.detokenizer": """\
            class BaseIncrementalDetokenizer:
                def update(self, ids): return "text"
            class FastIncrementalDetokenizer(BaseIncrementalDetokenizer): pass
            """,
        "vllm.v1.engine.output_processor": """\
            from vllm.v1.engine.detokenizer import FastIncrementalDetokenizer
            class OutputProcessor:
                def process_outputs(self, outputs): return FastIncrementalDetokenizer().update(outputs)
            """,
        "vllm.v1.engine.core": """\
            class EngineCore:
                def __init__(self, scheduler, worker): self.scheduler, self.worker = scheduler, worker
                def step(self):
                    output = self.scheduler.schedule()
                    return self.scheduler.update_from_output(output, self.worker.execute_model(output))
            class EngineCoreProc(EngineCore):
                def __init__(self, *parts): super().__init__(*parts)
            """,
    }

    def test_a_step_of_vllm_divides_into_its_parts(self):
        for name, source in self.VLLM.items():
            self.library(name, source)
        spool = self.run_source("""\
            from vllm.v1.core.sched.scheduler import Scheduler
            from vllm.v1.engine.core import EngineCoreProc
            from vllm.v1.engine.output_processor import OutputProcessor
            from vllm.v1.worker.gpu_worker import Worker
            worker = Worker({}, local_rank=1, rank=3)
            worker.load_model()
            core = EngineCoreProc(Scheduler(), worker)
            for _ in range(2): assert OutputProcessor().process_outputs(core.step()) == "text"
            """)
        for name, activity in (("step", 0), ("schedule", 0), ("forward", 4), ("prepare inputs", 2), ("sample", 4), ("update", 0),
                               ("process outputs", 3), ("detokenize", 3)):
            self.assertEqual([activity] * 2, [span["activity"] for span in spool.spans("vllm." + name)], name)
        self.assertTrue(nested(spool, "vllm.step", "vllm.forward", "vllm.sample"))
        self.assertTrue(nested(spool, "vllm.process outputs", "vllm.detokenize"))
        self.assertEqual([9, 9], [span["value"] for span in spool.spans("vllm.schedule")])
        self.assertEqual([8], [span["activity"] for span in spool.spans("vllm.load model")])
        notes = {note["key"]: note["value"] for note in spool.of("NOTE")}
        self.assertEqual({"rank": "3", "local_rank": "1", "role": "vllm engine core and worker"}, notes)

    def test_sglangs_scheduler_process_names_its_rank_and_its_steps(self):
        self.library("sglang.srt.model_executor.model_runner", """\
            class ModelRunner:
                def forward(self, batch): return batch
                def sample(self, logits, batch): return [1]
            """)
        self.library("sglang.srt.managers.scheduler", """\
            from sglang.srt.model_executor.model_runner import ModelRunner
            class Scheduler:
                def recv_requests(self): return [1]
                def process_input_requests(self, requests): pass
                def get_next_batch_to_run(self): return [1]
                def run_batch(self, batch): runner = ModelRunner(); return runner.sample(runner.forward(batch), batch)
                def process_batch_result(self, batch, result): pass
                def event_loop_normal(self, steps):
                    for _ in range(steps):
                        self.process_input_requests(self.recv_requests())
                        batch = self.get_next_batch_to_run()
                        self.process_batch_result(batch, self.run_batch(batch))
            def run_scheduler_process(server_args, port_args, gpu_id, tp_rank, dp_rank=None):
                Scheduler().event_loop_normal(3)
            """)
        self.run_python(self.script("""\
            import multiprocessing
            from sglang.srt.managers.scheduler import run_scheduler_process
            if __name__ == "__main__":
                process = multiprocessing.get_context("spawn").Process(target=run_scheduler_process, args=({}, {}, 0, 5))
                process.start()
                process.join()
                assert process.exitcode == 0
            """))
        worker = next(spool for spool in self.spools() if spool.spans("sglang.forward"))
        self.assertEqual([("rank", "5"), ("role", "sglang scheduler")], [(note["key"], note["value"]) for note in worker.of("NOTE")])
        for name in ("receive", "process inputs", "schedule", "forward", "model forward", "sample", "process results"):
            self.assertEqual(3, len(worker.spans("sglang." + name)), name)
        self.assertTrue(nested(worker, "sglang.forward", "sglang.model forward"))

    def test_the_shared_memory_of_vllms_workers_hands_over_to_each_reader(self):
        self.library("vllm.distributed.device_communicators.shm_broadcast", """\
            import queue
            class Memory: name = "psm_1"
            class Buffer: shared_memory = Memory
            class MessageQueue:
                buffer, items = Buffer, queue.SimpleQueue()
                def enqueue(self, item): self.items.put(item)
                def dequeue(self): return self.items.get()
            """)
        spool = self.run_source("""\
            import threading, time
            from vllm.distributed.device_communicators.shm_broadcast import MessageQueue
            writer, reader = MessageQueue(), MessageQueue()
            thread = threading.Thread(target=lambda: [reader.dequeue(), reader.dequeue()])
            thread.start()
            for _ in range(2):
                time.sleep(0.02)
                writer.enqueue(1)
            thread.join()
            """)
        records = [record for record in spool.of("HAND_OVER") if record["name"] == "shared memory"]
        self.assertEqual([0, 1, 0, 1], [record["direction"] for record in sorted(records, key=lambda record: record["time_ns"])])
        self.assertEqual(1, len({record["key"] for record in records}))
        self.assertGreaterEqual(max(record["time_ns"] - record["wait_start_ns"] for record in records if record["direction"] == 1), 15_000_000)

    def test_a_version_that_lacks_targets_says_so(self):
        self.library("vllm.v1.engine.core", "class EngineCore: pass\n")
        spool = self.run_source("import vllm.v1.engine.core\n")
        self.assertEqual([(1, "not in this version")],
                         [(c["status"], c["why"]) for c in spool.coverage("hook:vllm.v1.engine.core.EngineCore.step")])


class ZmqTest(Observed):
    def test_both_ends_of_an_endpoint_have_one_key_per_direction(self):
        self.library("zmq.sugar.socket", """\
            class Socket:
                wires = {}
                def __init__(self, number): self.underlying = number
                def bind(self, endpoint): self.endpoint = endpoint.replace("*", "0.0.0.0")
                def connect(self, endpoint): self.endpoint = endpoint
                def getsockopt(self, option): return self.endpoint.encode()
                def send(self, data): self.wires[id(type(self))] = data
                def recv(self): return self.wires[id(type(self))]
                def close(self): pass
            """)
        spool = self.run_source("""\
            from zmq.sugar.socket import Socket
            server, client = Socket(1), Socket(2)
            server.bind("tcp://*:5555")
            client.connect("tcp://127.0.0.1:5555")
            client.send(b"ask"); assert server.recv() == b"ask"
            server.send(b"answer"); assert client.recv() == b"answer"
            client.close(); server.close()
            """)
        records = spool.of("HAND_OVER")
        self.assertEqual([0, 1, 0, 1], [record["direction"] for record in records])
        keys = [record["key"] for record in records]
        self.assertTrue(keys[0] == keys[1] and keys[2] == keys[3] and keys[0] != keys[2])

    @judged
    def test_a_wait_begins_with_the_poll_before_it_and_under_uvloop_when_the_thread_left_its_cpu(self):
        self.library("zmq.sugar.socket", """\
            class Socket:
                underlying = 1
                def bind(self, endpoint): pass
                connect = send = close = bind
                def getsockopt(self, option): return b"ipc:///tmp/x"
                def recv(self, flags=0): return b"x"
            """)
        self.library("zmq.sugar.poll", """\
            import time
            class Poller:
                def poll(self, timeout=None):
                    time.sleep(0.03)
                    return [1]
            """)
        self.library("uvloop", "")
        spool = self.run_source("""\
            import time, uvloop
            from zmq.sugar.poll import Poller
            from zmq.sugar.socket import Socket
            end = Socket()
            end.bind("ipc:///tmp/x")
            Poller().poll(); end.recv()
            end.recv()
            end.recv(1)
            end_ns = time.thread_time_ns() + 20_000_000
            while time.thread_time_ns() < end_ns: pass
            time.sleep(0.03)
            end.recv(1)
            """)
        takes = [record for record in spool.of("HAND_OVER") if record["direction"] == 1]
        waits = [record["time_ns"] - record["wait_start_ns"] for record in takes]
        self.assertGreaterEqual(waits[0], 30_000_000)
        self.assertGreaterEqual(waits[3], 30_000_000)
        for before, record in zip(takes, takes[1:3]):
            self.assertGreaterEqual(record["wait_start_ns"], before["time_ns"])


if __name__ == "__main__":
    unittest.main()
