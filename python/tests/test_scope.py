"""scope() and mark_event() as a program sees them, and the spans they leave."""

import collections
import json
import os
import tempfile
import unittest

from support import Observed


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
        self.assertEqual(("program.py:2", "program.py:3"), (outer["where"], inner["where"]))
        self.assertEqual((1, 1, 0), (outer["flags"], inner["flags"], inner["activity"]))
        self.assertTrue(spool.closed)

    def test_code_outside_the_folder_is_named_by_its_whole_path(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            elsewhere = os.path.realpath(elsewhere)
            with open(os.path.join(elsewhere, "away.py"), "w") as file:
                file.write("from inferscope import scope\nwith scope('away'): pass\n")
            spool = self.run_source("import sys; sys.path.append(%r); import away" % elsewhere)
            self.assertEqual(os.path.join(elsewhere, "away.py:2"), spool.spans("away")[0]["where"])

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

    def test_many_threads_lose_no_span_while_the_file_grows(self):
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
        self.assertEqual([5000] * 8, [len(spool.spans("step %d" % number)) for number in range(8)])
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
        self.assertEqual({"program.py:8"}, {span["where"] for span in spool.spans("job 1")})
        self.assertEqual(4, len([request for request in spool.of("REQUEST") if request["name"] == "shared"]))
        self.assertEqual(["done"], [mark["name"] for mark in spool.of("MARK")])
        self.assertNotIn("unsuspended 1", [request["name"] for request in spool.of("REQUEST")])

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
