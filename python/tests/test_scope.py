"""scope() and mark_event() as a program sees them, and the spans they leave."""

import collections
import json
import os
import tempfile
import unittest

from support import Observed, judged


class ScopeTest(Observed):
    def test_nested_scopes_lie_inside_one_another_and_name_their_line(self):
        spool = self.run_source("""\
            from inferscope import scope
            with scope("outer"):
                with scope("inner"):
                    pass
            """)
        outer, inner = spool.spans("outer")[0], spool.spans("inner")[0]
        self.assertTrue(outer["start_ns"] < inner["start_ns"] <= inner["end_ns"] < outer["end_ns"])
        self.assertEqual(("program.py:2 <module>", "program.py:3 <module>"), (outer["where"], inner["where"]))
        self.assertEqual((1, 1, 0), (outer["flags"], inner["flags"], inner["activity"]))
        self.assertTrue(spool.closed)

    def test_code_outside_the_folder_is_named_by_its_whole_path(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            elsewhere = os.path.realpath(elsewhere)
            with open(os.path.join(elsewhere, "away.py"), "w") as file:
                file.write("from inferscope import scope\nwith scope('away'): pass\n")
            spool = self.run_source("import sys; sys.path.append(%r); import away" % elsewhere)
            self.assertEqual(os.path.join(elsewhere, "away.py:2 <module>"), spool.spans("away")[0]["where"])

    def test_exception_sets_the_flag_and_propagates_unchanged(self):
        spool = self.run_source("""\
            from inferscope import scope
            error = KeyError("mine")
            try:
                with scope("failing"):
                    raise error
            except KeyError as caught:
                assert caught is error and caught.__context__ is None
            else:
                raise SystemExit(3)
            """)
        span = spool.spans("failing")[0]
        self.assertEqual(3, span["flags"])
        self.assertGreater(span["end_ns"], span["start_ns"])

    def test_one_object_may_be_entered_again_and_from_threads(self):
        spool = self.run_source("""\
            import threading
            from inferscope import scope
            part, barrier = scope("part"), threading.Barrier(4)
            def work():
                with part:
                    barrier.wait()
                    with part:
                        barrier.wait()
            threads = [threading.Thread(target=work, name="worker-%d" % i) for i in range(4)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            """)
        spans = spool.spans("part")
        self.assertEqual(8, len(spans))
        names = {thread["tid"]: thread["name"] for thread in spool.of("THREAD")}
        for tid in {span["tid"] for span in spans}:
            first, second = sorted((s for s in spans if s["tid"] == tid), key=lambda s: s["start_ns"])
            self.assertTrue(0 < second["end_ns"] <= first["end_ns"])
            self.assertRegex(names[tid], "^worker-[0-3]$")

    @judged
    def test_many_threads_lose_no_span_while_the_file_grows(self):
        """A thread waits 50 ms at most for another that makes the file grow."""
        spool = self.run_source("""\
            import gc, sys, threading
            from inferscope import scope
            gc.disable()  # a collection inside the growing of the file could not have a slot for its pause
            sys.setswitchinterval(1e-5)
            def work(number):
                for step in range(5000):
                    with scope("step %d" % number):
                        pass
            threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            """)
        stored = [len(spool.spans("step %d" % number)) for number in range(8)]
        if sum(stored) + spool.header.dropped != 40_000:
            raise RuntimeError("lost unnoticed: %s, %d counted" % (stored, spool.header.dropped))
        self.assertEqual([5000] * 8, stored)
        self.assertTrue(all(span["end_ns"] >= span["start_ns"] > 0 for span in spool.spans()))
        self.assertEqual(0, spool.header.dropped)
        self.assertGreater(len(spool.blocks), 3)

    def test_decorated_functions_keep_their_kind_and_identity(self):
        spool = self.run_source("""\
            import asyncio, inspect
            from inferscope import scope
            @scope("plain")
            def plain(a, b=2):
                "doc"
                return a + b
            @scope("async")
            async def waiting(a):
                await asyncio.sleep(0.01)
                return a
            @scope("generator")
            def counting(n):
                got = yield n
                return got
            assert plain(1) == 3 and plain.__name__ == "plain" and plain.__doc__ == "doc"
            assert str(inspect.signature(plain)) == "(a, b=2)"
            assert inspect.iscoroutinefunction(waiting)
            async def main():
                return await asyncio.gather(waiting(1), waiting(2))
            assert asyncio.run(main()) == [1, 2]
            g = counting(5)
            assert next(g) == 5
            try:
                g.send(7)
            except StopIteration as end:
                assert end.value == 7
            """)
        self.assertEqual((1, 4, 1), tuple(len(spool.spans(name)) for name in ("plain", "async", "generator")))
        self.assertEqual(2, len(spool.of("REQUEST")))
        self.assertTrue(all(request["end_ns"] - request["arrival_ns"] >= 9_000_000 for request in spool.of("REQUEST")))

    def test_unobserved_scope_does_nothing_and_decorates_nothing(self):
        self.run_python("-c", """if True:
            import sys
            sys.path.insert(0, %r)
            from inferscope import scope, mark_event
            def function(): return 1
            assert scope("x")(function) is function
            with scope("x") as part:
                mark_event("y", {"z": object()})
            try:
                with scope("x"):
                    raise ValueError
            except ValueError:
                pass
            """ % str(__import__("support").PYTHON_FOLDER), observed=False)
        self.assertEqual([], self.spools())

    def test_signal_handlers_and_finalisers_may_record_while_a_record_is_written(self):
        spool = self.run_source("""\
            import gc, signal
            from inferscope import scope, mark_event
            fired = 0
            def handler(number, frame):
                global fired
                fired += 1
                with scope("handler %d" % fired):
                    mark_event("fired", {"count": fired})
                signal.setitimer(signal.ITIMER_REAL, 0.0002)
            class Final:
                def __del__(self):
                    with scope("finaliser"):
                        mark_event("final %d" % id(self))
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.0002)
            gc.set_threshold(20)
            for step in range(20000):
                loop = [Final()]; loop.append(loop)
                with scope("step %d" % step):
                    mark_event("marked %d" % step, {"step": step})
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            del loop
            gc.collect()
            with scope("fired in all: %d" % fired):
                pass
            """)
        kept = collections.Counter(span["name"].split()[0] for span in spool.spans())
        fired = int(next(span["name"] for span in spool.spans() if span["name"].startswith("fired")).split()[-1])
        self.assertGreater(fired, 20)
        self.assertEqual(40000 + fired, len(spool.of("MARK")))
        self.assertEqual(20000, kept["step"])
        # What interrupts the growing of the file cannot have a slot; such losses (a pause of the collector may be
        # among them) are few and counted.
        missing = 20000 + fired - kept["finaliser"] - kept["handler"]
        self.assertTrue(0 <= missing <= spool.header.dropped, (missing, spool.header.dropped))
        self.assertLess(spool.header.dropped, 100)


class AsyncScopeTest(Observed):
    def assert_nested(self, spool):
        """No two spans of a thread overlap in part."""
        spans = sorted(spool.spans(), key=lambda span: (span["start_ns"], -span["end_ns"]))
        for number, outer in enumerate(spans):
            for inner in spans[number + 1:]:
                if inner["tid"] == outer["tid"] and inner["start_ns"] < outer["end_ns"]:
                    self.assertLessEqual(inner["end_ns"], outer["end_ns"], (outer, inner))

    def test_tasks_that_interleave_are_recorded_in_stretches_that_nest(self):
        spool = self.run_source("""\
            import asyncio, time
            from inferscope import scope, mark
            shared = scope("shared")
            def busy(seconds):
                end = time.perf_counter() + seconds
                while time.perf_counter() < end: pass
            async def job(n):
                async with scope("job %d" % n) as part:
                    assert part.name == "job %d" % n
                    busy(0.005)
                    with scope("inner %d" % n):
                        await asyncio.sleep(0.001)
                        busy(0.005)
                        await asyncio.sleep(0)
                    with shared:
                        await asyncio.sleep(0.01 * n)
                    busy(0.005)
                with scope("unsuspended %d" % n):
                    busy(0.001)
            async def main():
                with scope("main"):
                    await asyncio.gather(*(job(n) for n in range(4)))
                mark("done")
            asyncio.run(main())
            """)
        self.assert_nested(spool)
        jobs = [span for span in spool.spans() if span["name"].startswith("job ")]
        all_ns = max(job["end_ns"] for job in jobs) - min(job["start_ns"] for job in jobs)
        self.assertLessEqual(sum(job["end_ns"] - job["start_ns"] for job in jobs), all_ns, "no job runs while another does")
        for n in range(4):
            ran_ns = sum(span["end_ns"] - span["start_ns"] for span in spool.spans("job %d" % n))
            self.assertGreaterEqual(ran_ns, 14_500_000)
            request, = [request for request in spool.of("REQUEST") if request["name"] == "job %d" % n]
            self.assertGreater(request["end_ns"] - request["arrival_ns"], ran_ns)
            self.assertEqual('{"scope":true}', request["detail"])
            self.assertEqual([1], [span["flags"] for span in spool.spans("unsuspended %d" % n)])
            self.assertEqual([1] + [5] * (len(spool.spans("job %d" % n)) - 1), [span["flags"] for span in spool.spans("job %d" % n)])
            self.assertEqual({request["arrival_ns"]}, {span["value"] for span in spool.spans("job %d" % n)[1:]})
        self.assertEqual({"program.py:8 job"}, {span["where"] for span in spool.spans("job 1")})
        self.assertEqual(4, len([request for request in spool.of("REQUEST") if request["name"] == "shared"]))
        marks = [mark["name"] for mark in spool.of("MARK")]
        self.assertEqual(["done"], [name for name in marks if name != "event loop turn"], "a busy machine makes turns of the loop long")
        self.assertNotIn("unsuspended 1", [request["name"] for request in spool.of("REQUEST")])

    def need_greenlet(self):
        try:
            import greenlet  # noqa: F401
        except ImportError:
            if os.environ.get("INFERSCOPE_REQUIRE_GREENLET") == "1":
                raise
            self.skipTest("greenlet is not installed: scopes in greenlets are not tested")

    def test_gevents_locals_per_greenlet_leave_one_trace_function(self):
        """gevent.monkey.patch_all() replaces _thread's _local and get_ident, usually before the first scope."""
        self.need_greenlet()
        self.run_source("""\
            import _thread, greenlet
            class local:
                def __new__(cls):
                    self = object.__new__(cls)
                    object.__setattr__(self, "of", {})
                    return self
                def __getattribute__(self, name):
                    own = object.__getattribute__(self, "of").get(id(greenlet.getcurrent()), {})
                    return own[name] if name in own else object.__getattribute__(self, name)
                def __setattr__(self, name, value):
                    object.__getattribute__(self, "of").setdefault(id(greenlet.getcurrent()), {})[name] = value
            _thread._local, _thread.get_ident = local, lambda: id(greenlet.getcurrent())
            from inferscope import scope
            hub, seen = greenlet.getcurrent(), []
            def job():
                with scope("job"):
                    seen.append(greenlet.gettrace())
                    hub.switch()
            jobs = [greenlet.greenlet(job) for _ in range(1000)]
            for one in jobs + jobs: one.switch()
            assert len(seen) == 1000 and len(set(map(id, seen))) == 1, len(set(map(id, seen)))
            """)
        self.assertEqual(1000, len([span for span in self.only_spool().spans("job") if span["flags"] == 1]))

    def test_a_recorder_that_came_late_chains_no_trace_functions(self):
        """Where the probe was not loaded at the start of the interpreter, its own locals are per greenlet, too."""
        self.need_greenlet()
        self.run_source("""\
            import greenlet
            from inferscope import _tasks, scope
            class Forgets:
                tasks, traced = None, False
                def __setattr__(self, name, value): pass
            _tasks._step = Forgets()
            hub, seen = greenlet.getcurrent(), []
            def job():
                with scope("job"):
                    seen.append(greenlet.gettrace())
                    hub.switch()
            jobs = [greenlet.greenlet(job) for _ in range(3)]
            for one in jobs + jobs: one.switch()
            assert len(seen) == 3 and len(set(map(id, seen))) == 1, seen
            """)

    def test_a_shared_scope_in_greenlets_inside_tasks_closes_its_own(self):
        self.need_greenlet()
        spool = self.run_source("""\
            import asyncio, time
            from greenlet import greenlet, getcurrent
            from inferscope import scope
            shared = scope("shared")
            async def spawn(function, *args):  # as SQLAlchemy does
                one = greenlet(function, getcurrent())
                result = one.switch(*args)
                while not one.dead: result = one.switch(await result)
            def work(n, times):
                with scope("own %d" % n):
                    with shared:
                        for _ in range(times): getcurrent().parent.switch(asyncio.sleep(0.001))
                with scope("after %d" % n): pass
            def plain():
                with shared: pass
            async def calls(times):
                with shared:
                    await asyncio.sleep(0.001)
                    plain()
                    for _ in range(times): await asyncio.sleep(0.001)
            async def main():
                await asyncio.gather(spawn(work, 0, 2), spawn(work, 1, 8), calls(4), calls(12))
            asyncio.run(main())
            """)
        self.assert_nested(spool)
        requests = {request["name"]: request for request in spool.of("REQUEST")}
        shared = sorted((one["arrival_ns"], one["end_ns"]) for one in spool.of("REQUEST") if one["name"] == "shared")
        self.assertEqual(4, len(shared))
        for n in range(2):
            own = requests["own %d" % n]
            self.assertTrue(own["arrival_ns"] <= shared[n][0] < shared[n][1] <= own["end_ns"], (n, own, shared))
        self.assertLess(shared[2][1], shared[3][1])
        self.assertLess(shared[0][1], shared[2][1])

    def test_scopes_are_kept_where_greenlet_is_forbidden_or_another_module(self):
        for module in ("None", "type(sys)('greenlet')", "type('Strange', (), {'getcurrent': staticmethod(lambda: 7)})"):
            with self.subTest(module):
                for path in self.spool_folder.iterdir():
                    path.unlink()
                spool = self.run_source("""\
                    import asyncio, sys
                    sys.modules["greenlet"] = %s
                    from inferscope import scope
                    with scope("plain"):
                        with scope("inner"): pass
                    async def main():
                        with scope("task"): await asyncio.sleep(0)
                    asyncio.run(main())
                    """ % module)
                names = [span["name"] for span in spool.spans() if span["end_ns"]]
                self.assertEqual(["inner", "plain", "task", "task"], sorted(name for name in names if name in ("inner", "plain", "task")))
                self.assertEqual(0, spool.header.dropped)

    def test_a_greenlet_that_never_leaves_its_scope_gives_it_to_nobody(self):
        self.need_greenlet()
        spool = self.run_source("""\
            import greenlet
            from inferscope import _tasks, scope
            def leaves_open():
                scope("open").__enter__()
            def quiet():
                hub.switch()
            hub = greenlet.getcurrent()
            addresses, reused = set(), 0
            for _ in range(50):
                one = greenlet.greenlet(leaves_open)
                addresses.add(id(one))
                one.switch()
                del one
                other = greenlet.greenlet(quiet)
                reused += id(other) in addresses
                other.switch(); other.switch()
                del other
            assert reused
            assert not _tasks._parts, _tasks._parts
            """)
        self.assertEqual([1] * 50, [span["flags"] for span in spool.spans("open")])

    def test_greenlets_that_switch_are_recorded_in_stretches(self):
        self.need_greenlet()
        spool = self.run_source("""\
            import gc, greenlet, time
            from inferscope import scope, mark
            shared, ended, events = scope("shared"), [], []
            greenlet.settrace(lambda event, args: events.append(event))
            def busy(seconds):
                end = time.perf_counter() + seconds
                while time.perf_counter() < end: pass
            @scope("job")
            def job(n):
                with scope("job %d" % n):
                    busy(0.005)
                    with shared:
                        hub.switch()
                    busy(0.005)
                with scope("unsuspended"):
                    busy(0.001)
                ended.append(n)
            def dropped():
                try:
                    with scope("dropped"):
                        hub.switch()
                finally:
                    ended.append("dropped")
            hub = greenlet.getcurrent()
            with scope("main"):
                jobs = [greenlet.greenlet(job) for _ in range(3)]
                for n, one in enumerate(jobs): one.switch(n)
                busy(0.02)
                for one in jobs: one.switch()
                greenlet.greenlet(dropped).switch()
                gc.collect()
            assert ended == [0, 1, 2, "dropped"] and len(events) >= 14, (ended, events)
            """)
        self.assert_nested(spool)
        for n in range(3):
            spans = spool.spans("job %d" % n)
            self.assertEqual(([1, 5], ["program.py:10 job"] * 2), ([span["flags"] for span in spans], [span["where"] for span in spans]))
            self.assertTrue(all(span["end_ns"] - span["start_ns"] >= 4_900_000 for span in spans), spans)
            self.assertEqual(1, len([request for request in spool.of("REQUEST") if request["name"] == "job %d" % n]))
        main, = spool.spans("main")
        waited = [span for span in spool.spans() if span["name"] in ("job 0", "shared")]
        busy_ns = sum(span["end_ns"] - span["start_ns"] for span in waited)
        self.assertLess(busy_ns, main["end_ns"] - main["start_ns"] - 20_000_000, "what the hub computes is nobody's scope")
        self.assertEqual([1] * 3, [span["flags"] for span in spool.spans("unsuspended")])
        self.assertNotIn(0, [span["end_ns"] for span in spool.spans("dropped")])

    def test_cancelled_and_failing_scopes_end(self):
        spool = self.run_source("""\
            import asyncio
            from inferscope import scope
            async def waits():
                async with scope("cancelled"):
                    await asyncio.sleep(10)
            async def fails():
                with scope("failing"):
                    await asyncio.sleep(0)
                    raise KeyError("mine")
            async def main():
                task = asyncio.ensure_future(waits())
                await asyncio.sleep(0.001)
                task.cancel()
                done = await asyncio.gather(task, fails(), return_exceptions=True)
                assert [type(one).__name__ for one in done] == ["CancelledError", "KeyError"]
            asyncio.run(main())
            """)
        self.assert_nested(spool)
        for name in ("cancelled", "failing"):
            self.assertEqual(7, spool.spans(name)[-1]["flags"])
            request, = [request for request in spool.of("REQUEST") if request["name"] == name]
            self.assertTrue(request["end_ns"] and "failed" in request["detail"])

    def test_a_loop_whose_steps_are_not_seen_leaves_the_whole_only(self):
        spool = self.run_source("""\
            from inferscope import scope
            class Pause:
                def __await__(self): yield "paused"
            async def work():
                with scope("foreign"):
                    await Pause()
            first, second = work(), work()
            assert first.send(None) == second.send(None) == "paused"
            for one in (first, second):
                try:
                    one.send(None)
                except StopIteration:
                    pass
            """)
        self.assertEqual((0, 2), (len(spool.spans("foreign")), len(spool.of("REQUEST"))))
        self.assertTrue(all(request["end_ns"] for request in spool.of("REQUEST")))

    def test_unobserved_programs_may_use_all_of_it(self):
        self.run_python("-c", """if True:
            import asyncio, sys
            sys.path.insert(0, %r)
            from inferscope import mark, mark_event, scope
            assert mark is mark_event
            async def main():
                async with scope("x"):
                    await asyncio.sleep(0)
                    mark("y", {"z": 1})
            asyncio.run(main())
            """ % str(__import__("support").PYTHON_FOLDER), observed=False)
        self.assertEqual([], self.spools())


class MarkTest(Observed):
    def test_marks_carry_json_and_survive_what_json_cannot_write(self):
        spool = self.run_source("""\
            from inferscope import mark_event
            loop = []
            loop.append(loop)
            mark_event("plain")
            mark_event("data", {"tokens": 3, "odd": object()})
            mark_event("large", "x" * 5000)
            mark_event("loop", loop)
            mark_event("surrogate \\udc80", 1)
            """)
        marks = {mark["name"]: mark["metadata"] for mark in spool.of("MARK")}
        self.assertIsNone(marks["plain"])
        self.assertEqual({"tokens": 3, "odd": "object"}, json.loads(marks["data"]))
        self.assertEqual({"truncated": True, "size_bytes": 5002}, json.loads(marks["large"]))
        self.assertEqual({"unreadable": "ValueError"}, json.loads(marks["loop"]))
        self.assertEqual("1", marks["surrogate ?"])


if __name__ == "__main__":
    unittest.main()
