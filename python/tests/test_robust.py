"""What programs do to an interpreter, with hooks inside it: none of it may show, and none of it may break."""

import ast
import contextvars
import functools
import gc
import os
import signal
import sys
import threading
import unittest
from unittest import mock

from inferscope import _mapped, _signals
from inferscope._recorder import Recorder
from inferscope._spool import create
from support import PYTHON_FOLDER, Observed

ENGINE = """\
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
class InferenceSession:
    def __init__(self, path): pass
    def run(self, outputs, feed): return feed
    def run_deep(self, n): return down(n)
"""
MODULE = "onnxruntime.capi.onnxruntime_inference_collection"


PROGRAMS_OF_THEIR_OWN = ("__main__.py", "standalone.py", "trace/", "shapes/recover.py", "_shape_recover.py")
# What catches exceptions and keeps even those of the program's handlers of signals: how often, and why.
KEPT = {
    "_where.py:": (1, "runs before the program does"),
    "_probe.py:start": (1, "runs before the program does"),
    "shapes/startup.py:start": (1, "runs before the program does"),
    "_recorder.py:on_gc": (1, "called by the collector, which drops what it raises"),
    "_probe.py:_after_fork": (1, "called by the fork, which drops what it raises"),
    "_probe.py:finish": (1, "called at the interpreter's end, when nobody is left to catch anything"),
    "_probe.py:finish_windows": (1, "called at the interpreter's end, when nobody is left to catch anything"),
    "shapes/recording.py:finish": (1, "called at the interpreter's end, when nobody is left to catch anything"),
    "shapes/output.py:_run": (2, "runs in a thread of its own, in which no handlers run"),
    "_pieces.py:drive": (1, "thrown into the program's own generator"),
    "_pieces.py:wrapper": (1, "thrown into the program's own generator"),
}
# Called with what was caught, these pass it on if it is the program's.
PASS_ON = {"pass_on", "failed", "fail", "problem", "close", "unreadable_outputs"}


def handlers_of(tree, function=""):
    """Each handler of exceptions, with the function it is in."""
    for node in ast.iter_child_nodes(tree):
        inside = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        if isinstance(node, ast.ExceptHandler):
            yield inside, node
        yield from handlers_of(node, inside)


def catches_others(handler):
    """Whether a handler catches more than exceptions that only the code around which it stands raises. TimeoutError is an OSError."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or getattr(kind, "id", "") in ("Exception", "BaseException", "OSError", "RuntimeError") for kind in kinds)


def passes_on(handler):
    if isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None:
        return True
    calls = [node for node in ast.walk(handler) if isinstance(node, ast.Call)]
    return any(getattr(call.func, "attr", getattr(call.func, "id", "")) in PASS_ON and any(getattr(one, "id", "") == handler.name for one in call.args)
               for call in calls)


class RobustTest(Observed):
    def setUp(self):
        super().setUp()
        self.library(MODULE, ENGINE)

    def test_debuggers_and_profilers_of_the_program_keep_working(self):
        for setter in ("settrace", "setprofile"):
            with self.subTest(setter):
                for path in self.spool_folder.iterdir():
                    path.unlink()
                spool = self.run_source("""\
                    import queue, sys, threading
                    from %s import InferenceSession
                    from inferscope import scope
                    seen = []
                    def tracer(frame, event, argument):
                        seen.append((frame.f_code.co_name, event))
                        return tracer
                    threading.%s(tracer)
                    sys.%s(tracer)
                    with scope("traced"):
                        assert InferenceSession("x").run(None, 5) == 5
                    q = queue.Queue()
                    t = threading.Thread(target=q.put, args=(1,))
                    t.start(); t.join()
                    sys.%s(None)
                    assert q.get() == 1 and ("run", "call") in seen and ("run", "return") in seen
                    """ % (MODULE, setter, setter, setter))
                self.assertEqual((1, 1), (len(spool.spans("traced")), len(spool.spans("InferenceSession.run"))))

    def test_a_stack_that_overflows_turns_no_hook_off(self):
        self.run_python(self.script("""\
            import sys
            from %s import InferenceSession
            session, errors = InferenceSession("x"), 0
            def dive(n):
                try:
                    return session.run(None, dive(n + 1))
                except RecursionError:
                    return n
            for _ in range(5):
                sys.setrecursionlimit(200)
                assert dive(0) > 50
            sys.setrecursionlimit(1000)
            assert session.run(None, 7) == 7
            """ % MODULE))
        spool, = self.spools()
        self.assertLessEqual(set(spool.unknown), {31}, "a record whose storing was cut short")
        self.assertEqual(0, spool.lost_bytes)
        self.assertFalse([c for c in spool.of("COVERAGE") if c["status"] == 2])
        self.assertEqual("program.py:13 <module>", spool.spans("InferenceSession.run")[-1]["where"])

    def test_interrupts_reach_the_program_once_and_leave_hooks_working(self):
        self.interrupt("KeyboardInterrupt")

    def test_timeouts_of_the_programs_own_signal_handlers_reach_it(self):
        self.interrupt("TimeoutError")

    def interrupt(self, error):
        self.run_python(self.script("""\
            import gc, signal, sys, threading, queue
            from %s import InferenceSession
            gc.disable()  # Python drops what is raised in callbacks of the collector.
            imported = []
            class Imports:  # An import in the recorder would drop what is raised in it.
                def find_spec(self, name, path, target=None):
                    imported.append(name)
            sys.meta_path.insert(0, Imports())
            session, q, raised, caught, calls = InferenceSession("x"), queue.Queue(), 0, 0, 0
            armed = False
            def interrupt(*_):
                global armed, raised
                if armed:
                    armed = False
                    raised += 1
                    raise %s
            def arm():
                global armed
                armed = True
                signal.setitimer(signal.ITIMER_REAL, 0.0005)
            def loop():  # a function: CPython 3.14 lets an interrupt at a loop's jump pass the try around the loop
                global calls
                while True:
                    assert session.run(None, 5) == 5
                    calls += 1
                    if not calls %% 20000: arm()
            signal.signal(signal.SIGALRM, interrupt)
            for _ in range(300):
                try:
                    arm()
                    loop()
                except %s:
                    caught += 1
            assert raised == caught == 300 and calls > 300, (raised, caught, calls)
            assert not imported, imported
            for _ in range(10): assert session.run(None, 1) == 1
            """ % (MODULE, error, error)))
        spool, = self.spools()
        self.assertEqual(0, spool.lost_bytes)
        self.assertLessEqual(set(spool.unknown), {31}, "a record whose storing was interrupted")
        line = spool.spans("InferenceSession.run")[-1]["where"]
        last = [span for span in spool.spans("InferenceSession.run") if span["where"] == line]
        self.assertEqual(10, len(last), (spool.header.dropped, spool.spans("InferenceSession.run")[-1], spool.of("COVERAGE")))

    def test_whatever_is_caught_in_the_programs_threads_is_passed_on_if_it_is_the_programs(self):
        found = {}
        for path in sorted((PYTHON_FOLDER / "inferscope").rglob("*.py")):
            name = path.relative_to(PYTHON_FOLDER / "inferscope").as_posix()
            if not name.startswith(PROGRAMS_OF_THEIR_OWN):
                for where, handler in handlers_of(ast.parse(path.read_text(encoding="utf-8"))):
                    if catches_others(handler) and not passes_on(handler):
                        found[name + ":" + where] = found.get(name + ":" + where, 0) + 1
        self.assertEqual({where: times for where, (times, _) in KEPT.items()}, found)

    def test_handlers_of_signals_of_every_kind_are_known(self):
        class Alarm:
            def __call__(self, *_):
                raise TimeoutError

            def ring(self, *_):
                raise TimeoutError

        alarm = Alarm()
        before = signal.getsignal(signal.SIGALRM)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        handlers = [alarm, alarm.ring, lambda *_: alarm(), functools.partial(alarm.ring, 1), functools.partial(functools.partial(alarm)),
                    mock.Mock(side_effect=TimeoutError)]
        for handler in handlers:
            with self.subTest(handler):
                signal.signal(signal.SIGALRM, handler)
                try:
                    handler(signal.SIGALRM, None)
                except TimeoutError as error:
                    with self.assertRaises(TimeoutError):
                        _signals.pass_on(error)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                try:
                    handler(signal.SIGALRM, None)
                except TimeoutError as error:
                    _signals.pass_on(error)

    def test_handlers_are_known_by_how_they_were_called(self):
        class Late(Exception):
            def __init__(self, number, frame):
                super().__init__()
                raise TimeoutError

        def late(number, frame):
            raise TimeoutError

        def once(number, *_):
            signal.signal(number, signal.SIG_DFL)
            raise TimeoutError

        def held(number, frame):
            def later():
                return frame
            raise TimeoutError(later)

        def walks(number, frame):
            while frame is not None:
                frame = frame.f_back
            raise TimeoutError

        before = signal.getsignal(signal.SIGALRM)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        partial, run = functools.partial, contextvars.copy_context().run
        for handler in (late, once, held, walks, lambda *both: once(*both), functools.lru_cache(maxsize=None)(late), partial(run, late), Late,
                        partial(late), Late.__new__(Late).__init__):
            with self.subTest(handler):
                signal.signal(signal.SIGALRM, handler)
                try:
                    signal.raise_signal(signal.SIGALRM)
                    self.fail("nothing was raised")
                except TimeoutError as error:
                    if handler is not walks:
                        signal.signal(signal.SIGALRM, signal.SIG_DFL)
                    with self.assertRaises(TimeoutError):
                        _signals.pass_on(error)

    def test_what_only_looks_at_its_caller_is_no_handler(self):
        def looks(frame, number=1):
            raise ValueError

        def other(number, frame):
            raise ValueError

        frame = sys._getframe()
        for call in (lambda: looks(frame), lambda: other(1, frame), lambda: other("1", sys._getframe())):
            try:
                call()
            except ValueError as error:
                _signals.pass_on(error)

    def test_a_lock_left_taken_by_an_interrupt_does_not_stop_recording(self):
        spool = create(self.spool_folder, os.getpid(), 1, 1)
        recorder = Recorder(spool, os.getpid())

        class Interrupted:
            """Raises what a signal handler would, right after the lock was taken."""

            def __init__(self, lock):
                self.lock = lock

            def acquire(self, blocking):
                self.lock.acquire(blocking)
                spool.other_lock = self.lock
                raise KeyboardInterrupt

            def __getattr__(self, name):
                return getattr(self.lock, name)

        spool.other_lock = Interrupted(spool.other_lock)
        with self.assertRaises(KeyboardInterrupt):
            recorder.intern("first")
        recorder.intern("second")
        other = threading.Thread(target=recorder.intern, args=("third",))
        other.start()
        other.join()
        recorder.intern("first")
        self.assertLessEqual({"first", "second", "third"}, set(self.spools()[0].strings.values()))

    def test_monkey_patching_of_threads_sockets_and_queues(self):
        """As gevent does it: the modules' classes are replaced before or after the hooks are in."""
        spool = self.run_source("""\
            import queue, select, socket, threading
            class GreenEvent:
                def __init__(self): self.flag = False
                def set(self): self.flag = True
                def wait(self, timeout=None): return self.flag
            class GreenSocket(socket.socket):
                def recv(self, size): return super().recv(size)
            class GreenThread(threading.Thread):
                def start(self): self.run()
                def join(self, timeout=None): pass
            threading.Event, socket.socket, queue.SimpleQueue = GreenEvent, GreenSocket, queue.Queue
            threading.Thread.start, threading.Thread.join = GreenThread.start, GreenThread.join
            threading.Condition.notify = threading.Condition.notify.__wrapped__
            del socket.socket.recv
            near, far = socket.socketpair()
            near.sendall(b"x"); assert far.recv(1) == b"x"
            done = threading.Event()
            thread = threading.Thread(target=done.set)
            thread.start(); thread.join(); assert done.wait()
            import concurrent.futures, multiprocessing.connection
            q = queue.Queue(); q.put(1); assert q.get() == 1
            """)
        self.assertFalse([c for c in spool.of("COVERAGE") if c["missing"]])

    def test_threads_that_work_while_the_interpreter_ends(self):
        done = self.run_python(self.script("""\
            import atexit, queue, threading, time
            from concurrent.futures import ThreadPoolExecutor
            q, event = queue.Queue(), threading.Event()
            def spin():
                while True:
                    q.put(1); q.get(); event.set(); event.wait(0)
            for _ in range(3): threading.Thread(target=spin, daemon=True).start()
            pool = ThreadPoolExecutor(2)
            jobs = [pool.submit(time.sleep, 0.02) for _ in range(6)]
            @atexit.register
            def late():
                pool.shutdown()
                assert all(job.done() for job in jobs)
                print("late")
            """))
        self.assertEqual((b"late\n", b""), (done.stdout, done.stderr))
        self.assertTrue(self.only_spool().closed)

    def test_forks_while_hand_overs_are_recorded(self):
        self.run_python(self.script("""\
            import os, queue, threading
            stop = threading.Event()
            def work():
                q = queue.Queue()
                while not stop.is_set():
                    q.put(1); q.get()
            threads = [threading.Thread(target=work) for _ in range(3)]
            [t.start() for t in threads]
            for _ in range(20):
                pid = os.fork()
                if pid == 0:
                    q = queue.Queue()
                    for _ in range(50): q.put(1); q.get()
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
            stop.set()
            [t.join() for t in threads]
            """), timeout_s=120)
        children = [spool for spool in self.spools() if spool.of("PROCESS")[0]["seen"] == "fork"]
        self.assertEqual([100] * 20, [len(spool.of("HAND_OVER")) for spool in children])
        self.assertEqual([0] * 20, [spool.lost_bytes for spool in children])

    def test_forked_children_write_no_counts_of_their_parent_into_their_file(self):
        self.run_python(self.script("""\
            import os, threading, subprocess, socket, concurrent.futures.thread
            from %s import InferenceSession
            session = InferenceSession("x")
            session.run(None, 1)
            pid = os.fork()
            if pid == 0:
                session.run(None, 2)
                raise SystemExit(0)
            assert os.waitpid(pid, 0)[1] == 0
            """ % MODULE))
        for spool in self.spools():
            self.assert_sound(spool)
            calls = spool.coverage("hook:%s.InferenceSession.run" % MODULE)
            self.assertEqual([(0, 1)], [(c["status"], c["recorded"]) for c in calls])


class MappingTest(Observed):
    """The mapping of a spool, whose descriptor's number the program may use for a file of its own."""

    def setUp(self):
        super().setUp()
        self.path = str(self.folder / "file")
        self.free = os.dup(1)  # The number that mmap's copy gets is the next but one: that of the file itself is first.
        os.close(self.free)
        self.buffer, _ = _mapped.create(self.path, (1 << 20,), 4096)

    def mapped(self):
        with open("/proc/self/maps") as maps:
            return self.path in maps.read()

    def test_it_holds_no_descriptor_and_lives_until_it_is_released(self):
        self.assertNotIn(self.path, [os.readlink("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)])
        del self.buffer
        gc.collect()
        self.assertEqual(sys.version_info < (3, 13), self.mapped())

    def test_released_it_is_freed(self):
        _mapped.release(self.buffer)
        del self.buffer
        self.assertFalse(self.mapped())

    def test_a_file_that_has_got_its_number_stays_open(self):
        files = [os.dup(1) for _ in range(self.free + 3)]
        _mapped.release(self.buffer)
        del self.buffer
        for fd in files:
            os.close(fd)  # Raises if it is closed.


class SlotsTest(unittest.TestCase):
    """Slots of a build without the GIL; any build can run them."""

    def test_a_number_is_taken_once_by_one_thread(self):
        slots = _mapped._SharedSlots(range(8, 8 + 3 * 20000, 3))
        taken = [[], [], []]

        def take(into):
            try:
                while True:
                    into.append(slots.__next__())
            except StopIteration:
                pass

        threads = [threading.Thread(target=take, args=(into,)) for into in taken]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(sum(taken, [])), list(range(8, 8 + 3 * 20000, 3)))
        self.assertEqual(slots.__length_hint__(), 0)

    def test_they_know_how_many_are_left(self):
        slots = _mapped._SharedSlots(range(8, 20, 3))
        self.assertEqual([slots.__length_hint__()] + [(slots.__next__(), slots.__length_hint__()) for _ in range(4)], [4, (8, 3), (11, 2), (14, 1), (17, 0)])
        with self.assertRaises(StopIteration):
            slots.__next__()
        self.assertEqual(slots.__length_hint__(), 0)


if __name__ == "__main__":
    unittest.main()
