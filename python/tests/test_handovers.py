"""Hand-overs between threads and processes, as they lie in the spools."""

import json
import textwrap
import unittest

from support import Observed, judged


def gives(spools, name):
    return [record for spool in spools for record in spool.of("HAND_OVER") if record["name"] == name and record["direction"] == 0]


def takes(spools, name):
    return [record for spool in spools for record in spool.of("HAND_OVER") if record["name"] == name and record["direction"] == 1]


class HandOverTest(Observed):
    def record(self, source, name="program.py"):
        self.run_python(self.script(source, name))
        spools = self.spools()
        for spool in spools:
            self.assert_sound(spool)
            failed = [(c["source"], c["missing"]) for c in spool.of("COVERAGE") if c["missing"]]
            self.assertEqual([], failed)
        return spools

    def assert_joined(self, spools, name, waited_ns):
        """Every taker that waited that long has a giver of its key in another thread, not before it began to wait."""
        waiting = [take for take in takes(spools, name) if take["time_ns"] - take["wait_start_ns"] >= waited_ns]
        for take in waiting:
            before = [give for give in gives(spools, name) if give["key"] == take["key"] and give["time_ns"] <= take["time_ns"]]
            self.assertTrue(before, take)
            giver = max(before, key=lambda give: give["time_ns"])
            self.assertGreaterEqual(giver["time_ns"], take["wait_start_ns"])
            self.assertNotEqual(giver["tid"], take["tid"])
        return waiting


class ThreadHandOverTest(HandOverTest):
    def test_items_of_a_queue_are_numbered_in_order_on_both_sides(self):
        spools = self.record("""\
            import queue, threading, time
            items, results = queue.Queue(2), []
            def work():
                while True:
                    item = items.get()
                    if item is None:
                        return
                    results.append(item)
            workers = [threading.Thread(target=work) for _ in range(2)]
            [w.start() for w in workers]
            for item in range(20):
                time.sleep(0.002)
                items.put(item)
            [items.put(None) for _ in workers]
            [w.join() for w in workers]
            assert sorted(results) == list(range(20))
            """)
        given, taken = gives(spools, "Queue"), takes(spools, "Queue")
        self.assertEqual(list(range(1, 23)), sorted(give["number"] for give in given))
        self.assertEqual(list(range(1, 23)), sorted(take["number"] for take in taken))
        self.assertEqual(1, len({record["key"] for record in given + taken}))
        times = {give["number"]: give["time_ns"] for give in given}
        self.assertTrue(all(times[take["number"]] <= take["time_ns"] for take in taken))
        self.assertEqual({"program.py:13", "program.py:14"}, {give["where"].split()[0] for give in given})
        self.assertEqual({0}, {record["means"] for record in given + taken})

    def test_a_brief_thread_counts_its_own_time(self):
        spools = self.record("""\
            import threading, time
            def work():
                until = time.thread_time() + 0.03
                while time.thread_time() < until:
                    pass
                time.sleep(0.05)
            class Own(threading.Thread):
                def run(self):
                    work()
            threads = [threading.Thread(target=work), Own()]
            [t.start() for t in threads]
            [t.join() for t in threads]
            """)
        lives = [record for spool in spools for record in spool.of("THREAD_STATE")]
        self.assertEqual(2, len({life["tid"] for life in lives}))
        for life in lives:
            self.assertEqual(0, life["pid"])
            self.assertGreaterEqual(life["on_cpu_ns"], 30_000_000)
            self.assertLessEqual(life["on_cpu_ns"] + life["runnable_ns"] + 45_000_000, life["end_ns"] - life["start_ns"])

    def test_a_loop_waits_at_the_line_that_awaits_an_answer(self):
        spools = self.record("""\
            import asyncio
            async def answer(reader, writer):
                while await reader.readline():
                    await asyncio.sleep(0.05)
                    writer.write(b"yes\\n")
            async def idle(queue):
                await queue.get()
            async def main():
                server = await asyncio.start_server(answer, "127.0.0.1", 0)
                others = [asyncio.create_task(idle(asyncio.Queue())) for _ in range(3)]
                reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
                for _ in range(4):
                    writer.write(b"?\\n")
                    await reader.readline()
                writer.close()
                [other.cancel() for other in others]
            asyncio.run(main())
            """)
        awaited = [span for spool in spools for span in spool.of("SPAN") if span["name"] == "asyncio await"]
        self.assertTrue(awaited)
        self.assertEqual({"program.py:14 main"}, {span["where"] for span in awaited})
        self.assertTrue(all(span["end_ns"] - span["start_ns"] > 2_000_000 for span in awaited))

    @judged
    def test_waits_between_two_searches_of_one_line_are_at_that_line(self):
        spools = self.record("""\
            import asyncio, time
            async def answer(reader, writer):
                while await reader.readline():
                    await asyncio.sleep(0.004)
                    writer.write(b"yes\\n")
            async def serve(ready):
                server = await asyncio.start_server(answer, "127.0.0.1", 0)
                ready.append(server.sockets[0].getsockname())
                await server.serve_forever()
            import threading
            ready = []
            threading.Thread(target=lambda: asyncio.run(serve(ready)), daemon=True).start()
            while not ready:
                time.sleep(0.01)
            async def main():
                reader, writer = await asyncio.open_connection(*ready[0])
                for _ in range(200):
                    writer.write(b"?\\n")
                    await reader.readline()
            asyncio.run(main())
            """)
        awaited = [span for spool in spools for span in spool.of("SPAN") if span["name"] == "asyncio await"]
        ours = [span for span in awaited if span["where"] == "program.py:19 main"]
        self.assertGreater(len(ours), 150)

    def test_queues_with_an_order_of_their_own_have_no_numbers(self):
        spools = self.record("""\
            import queue
            class Own(queue.Queue):
                def _put(self, item): self.queue.appendleft(item)
            for kind in (queue.LifoQueue, queue.PriorityQueue, Own):
                q = kind()
                q.put(1), q.put(2)
                assert {q.get(), q.get_nowait()} == {1, 2} and q.empty()
            """)
        self.assertEqual({0}, {record["number"] for record in gives(spools, "Queue") + takes(spools, "Queue")})
        self.assertEqual((4, 6), (len(gives(spools, "Queue")), len(takes(spools, "Queue"))))

    @judged
    def test_a_full_queue_waits_for_the_one_that_takes(self):
        spools = self.record("""\
            import queue, threading, time
            items = queue.Queue(1)
            def slow():
                for _ in range(2):
                    while not items.not_full._waiters: time.sleep(0.001)
                    time.sleep(0.02)
                    items.get()
                items.get()
            thread = threading.Thread(target=slow)
            thread.start()
            for item in range(3): items.put(item)
            thread.join()
            """)
        self.assertEqual(2, len(self.assert_joined(spools, "Queue: room", 5_000_000)))

    @judged
    def test_events_conditions_and_semaphores_name_who_woke_the_waiter(self):
        spools = self.record("""\
            import threading, time
            event, condition, semaphore = threading.Event(), threading.Condition(), threading.Semaphore(0)
            ready = []
            def once_waited_for(inner):
                while not inner._waiters: time.sleep(0.001)
                time.sleep(0.02)
            def waker():
                once_waited_for(event._cond)
                event.set()
                once_waited_for(condition)
                with condition:
                    ready.append(1)
                    condition.notify_all()
                once_waited_for(semaphore._cond)
                semaphore.release()
            threading.Thread(target=waker).start()
            assert event.wait()
            with condition: condition.wait_for(lambda: ready)
            semaphore.acquire()
            assert not threading.Event().wait(0.001)
            for _ in range(1000):
                event.set()
                with condition: condition.notify()
            """)
        for name in ("Event", "Condition", "Semaphore"):
            self.assertLessEqual(1, len(self.assert_joined(spools, name, 10_000_000)), name)
        self.assertEqual(1, len(gives(spools, "Condition")), "signals that nobody waits for leave no record")

    @judged
    def test_executors_and_futures(self):
        spools = self.record("""\
            import concurrent.futures as futures, time
            jobs = []
            def work(n):
                while len(jobs) <= n or not (jobs[n]._condition._waiters or jobs[n]._waiters): time.sleep(0.001)
                time.sleep(0.02)
                return n
            with futures.ThreadPoolExecutor(1) as pool:
                jobs.extend(pool.submit(work, n) for n in range(3))
                assert [job.result() for job in jobs] == [0, 1, 2]
                jobs.append(pool.submit(lambda: 1 / (work(3) - 3)))
                try:
                    jobs[3].result()
                except ZeroDivisionError:
                    pass
                else:
                    raise SystemExit(3)
                assert jobs[0].result() == 0
                jobs.append(pool.submit(work, 4))
                list(futures.as_completed(jobs[4:]))
            """)
        self.assertEqual(4, len(self.assert_joined(spools, "Future", 5_000_000)))
        self.assertEqual(4, len(takes(spools, "Future")), "a result that is there already is nobody's wait")
        given = {give["key"]: give for give in gives(spools, "Executor.submit")}
        taken = {take["key"]: take for take in takes(spools, "Executor.submit")}
        self.assertEqual((5, set(given)), (len(given), set(taken)))
        self.assertTrue(all(given[key]["time_ns"] <= take["time_ns"] for key, take in taken.items()))
        completed = [take for take in self.assert_joined(spools, "Event", 10_000_000) if take["where"] == "program.py:19 <module>"]
        self.assertEqual(1, len(completed), "as_completed; starting a thread waits for an event too")

    @judged
    def test_threads_start_and_join(self):
        spools = self.record("""\
            import threading, time
            class Own(threading.Thread):
                def run(self): time.sleep(0.3)
            own = Own(name="own")
            own.start()
            own.join(0.001)
            own.join()
            own.join()
            """)
        tid = next(thread["tid"] for thread in spools[0].of("THREAD") if thread["name"] == "own")
        self.assertEqual([tid], [take["tid"] for take in takes(spools, "Thread.start")])
        self.assertEqual([tid], [give["tid"] for give in gives(spools, "Thread.join")])
        self.assertLessEqual(1, len(self.assert_joined(spools, "Thread.join", 10_000_000)))

    @judged
    def test_native_code_without_a_frame_of_python_waits_too(self):
        """As in Ray, whose threads of C++ ask Python's futures."""
        spools = self.record("""\
            import _thread, concurrent.futures, queue, time
            future, items = concurrent.futures.Future(), queue.Queue()
            for wait in (future.result, items.get):
                _thread.start_new_thread(wait, ())
            time.sleep(0.2)
            for give, value in ((future.set_result, 1), (items.put, 2)):
                _thread.start_new_thread(give, (value,))
            until = time.monotonic() + 20
            while _thread._count() and time.monotonic() < until:
                time.sleep(0.01)
            """)
        for name in ("Future", "Queue"):
            self.assertEqual([None], [record["where"] for record in takes(spools, name)])
            self.assertEqual([None], [record["where"] for record in gives(spools, name)])

    def test_an_asyncio_loop_knows_which_thread_woke_it(self):
        spools = self.record("""\
            import asyncio, time
            async def main():
                loop = asyncio.get_running_loop()
                assert await loop.run_in_executor(None, lambda: time.sleep(0.3) or 7) == 7
            asyncio.run(main())
            """)
        self.assertLessEqual(1, len(self.assert_joined(spools, "asyncio wake-up", 20_000_000)))

    @judged
    def test_a_turn_of_a_loop_after_which_something_is_due_is_recorded(self):
        """Also where the task waits for descriptors itself, as subprocess.run and connections do."""
        spool = self.record("""\
            import asyncio, inferscope, multiprocessing, time
            near, far = multiprocessing.Pipe()
            def compute(seconds):
                end = time.perf_counter() + seconds
                while time.perf_counter() < end: near.poll(0)
            async def main():
                for _ in range(5):
                    asyncio.get_running_loop().call_later(0.01, int)
                    compute(0.06)
                    await asyncio.sleep(0.02)
            async def alone():
                compute(0.1)
                await asyncio.sleep(0.5)
            asyncio.run(main())
            inferscope.mark("alone")
            asyncio.run(alone())
            """)[0]
        alone_ns = next(mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "alone")
        turns = [(mark["time_ns"], json.loads(mark["metadata"])) for mark in spool.of("MARK") if mark["name"] == "event loop turn"]
        late = [turn for _, turn in turns if turn["ns"] >= 60_000_000]
        self.assertGreaterEqual(len(late), 3, turns)
        self.assertEqual([], [turn for time_ns, turn in turns if time_ns > alone_ns], "nobody else was due")

    @judged
    def test_what_a_task_sends_at_the_end_of_its_turn_was_not_due_before(self):
        """A client and its server on one loop: the client waits for the answer, not for the loop."""
        spool = self.record("""\
            import asyncio, inferscope, time
            async def serve(reader, writer):
                while early := await reader.readline():
                    if early == b"early\\n":
                        writer.write(b"answer\\n")
                    time.sleep(0.06)
                    if early != b"early\\n":
                        writer.write(b"answer\\n")
                writer.close()
            async def main():
                server = await asyncio.start_server(serve, "127.0.0.1", 0)
                reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
                for request in [b"late\\n"] * 3 + [b"early\\n"] * 3:
                    if request == b"early\\n":
                        inferscope.mark("early")
                    writer.write(request)
                    await reader.readline()
                    await asyncio.sleep(0.1)
                writer.close()
            asyncio.run(main())
            """)[0]
        early_ns = next(mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "early")
        turns = [mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "event loop turn"]
        self.assertEqual([], [turn for turn in turns if turn < early_ns])
        self.assertGreaterEqual(len([turn for turn in turns if turn > early_ns]), 2)

    def test_the_time_between_two_runs_of_a_loop_is_no_turn(self):
        spool = self.record("""\
            import asyncio, inferscope, time
            loop = asyncio.new_event_loop()
            async def tick():
                while True: await asyncio.sleep(0.005)
            async def start(): asyncio.ensure_future(tick())
            loop.run_until_complete(start())
            for _ in range(3):
                loop.run_until_complete(asyncio.sleep(0.01))
                inferscope.mark("outside")
                time.sleep(0.06)
            loop.run_until_complete(asyncio.sleep(0.01))
            """)[0]
        outside = [mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "outside"]
        turns = [(mark["time_ns"] - json.loads(mark["metadata"])["ns"], mark["time_ns"])
                 for mark in spool.of("MARK") if mark["name"] == "event loop turn"]
        self.assertEqual(3, len(outside))
        self.assertEqual([], [turn for turn in turns for time_ns in outside if turn[0] < time_ns < turn[1]])

    @judged
    def test_a_loop_that_waits_for_a_timer_alone_names_the_line_that_set_it(self):
        spool = self.record("""\
            import asyncio, inferscope
            async def poll(seen):
                while not seen:
                    await asyncio.sleep(0.01)
            async def outer(seen):
                await poll(seen)
            async def main():
                seen = []
                asyncio.get_running_loop().call_later(0.05, seen.append, 1)
                await asyncio.gather(outer(seen))
                inferscope.mark("server")
                server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
                for _ in range(3):
                    await asyncio.sleep(0.01)
                server.close()
            asyncio.run(main())
            """)[0]
        server_ns = next(mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "server")
        timers = [(span["start_ns"], span["where"]) for span in spool.of("SPAN") if span["name"] == "asyncio timer"]
        self.assertIn("program.py:4 poll", [where for _, where in timers])
        self.assertLessEqual({where for _, where in timers}, {"program.py:4 poll", None}, "that of call_later has no task")
        self.assertEqual([], [where for start_ns, where in timers if start_ns > server_ns], "a request may end these waits")

    def test_a_loop_with_sockets_waits_for_the_timer_of_a_task(self):
        """A client that pauses between its requests, and a server whose handler pauses."""
        self.library("aiohttp.web_protocol", """\
            class RequestHandler:
                async def _handle_request(self, request): return await request()
            """)
        spool = self.record("""\
            import asyncio, inferscope, socket
            from aiohttp.web_protocol import RequestHandler
            async def pause(): await asyncio.sleep(0.02)
            async def answer(reader, writer): await reader.read()
            async def idle():
                while True: await asyncio.sleep(0.02)
            async def client():
                ours, other = socket.socketpair()
                reader, writer = await asyncio.open_connection(sock=ours)
                for _ in range(5): await pause()
                inferscope.mark("awaits")
                reading = asyncio.ensure_future(reader.read(1))
                for _ in range(5): await pause()
                other.close(); await reading; writer.close()
                server = await asyncio.start_server(answer, "127.0.0.1", 0)
                class Request:
                    method, path, match_info = "GET", "/slow", None
                    async def __call__(self):
                        for _ in range(5): await asyncio.sleep(0.02)
                inferscope.mark("serves")
                await asyncio.ensure_future(RequestHandler()._handle_request(Request()))
                inferscope.mark("idle")
                for _ in range(5): await pause()
                server.close()
            asyncio.run(client())
            """)[0]
        marks = sorted((mark["time_ns"], mark["name"]) for mark in spool.of("MARK"))
        found = {}
        for span in spool.of("SPAN"):
            if span["name"] == "asyncio timer":
                phase = [name for time_ns, name in marks if time_ns <= span["start_ns"]][-1:]
                found.setdefault("".join(phase), set()).add(span["where"])
        self.assertEqual({"", "serves"}, set(found))
        self.assertEqual({"program.py:3 pause"}, found[""])
        self.assertTrue(all(where.startswith("program.py:19 ") for where in found["serves"]), found)
        self.assertEqual(["GET /slow"], [request["name"] for request in spool.of("REQUEST")])

    def test_waits_for_a_timer_between_two_searches_are_at_its_line(self):
        """Pauses of 2 ms beside many tasks: to look at all of these after each would take too much of the loop's time."""
        spool = self.record("""\
            import asyncio, socket
            async def pause(seconds): await asyncio.sleep(seconds)
            async def client():
                ours, other = socket.socketpair()
                reader, writer = await asyncio.open_connection(sock=ours)
                event = asyncio.Event()
                others = [asyncio.ensure_future(event.wait()) for _ in range(300)]
                for _ in range(50): await pause(0.002)
                for _ in range(3): await pause(0.3)
                event.set()
                await asyncio.gather(*others)
                other.close(); writer.close()
            asyncio.run(client())
            """)[0]
        timers = [span["where"] for span in spool.of("SPAN") if span["name"] == "asyncio timer"]
        self.assertEqual({"program.py:2 pause"}, set(timers))
        self.assertGreater(len(timers), 40)

    def test_a_request_waits_for_the_timer_of_a_batch(self):
        self.library("aiohttp.web_protocol", """\
            class RequestHandler:
                async def _handle_request(self, request): return await request()
            """)
        spool = self.record("""\
            import asyncio
            from aiohttp.web_protocol import RequestHandler
            async def collect(queue):
                items = [await queue.get()]
                try:
                    while True: items.append(await asyncio.wait_for(queue.get(), 0.02))
                except asyncio.TimeoutError:
                    return items
            async def batches(queue):
                while True:
                    for item in await collect(queue): item.set_result(1)
            async def main():
                queue, loop = asyncio.Queue(), asyncio.get_running_loop()
                server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
                batcher = asyncio.ensure_future(batches(queue))
                class Request:
                    method, path, match_info = "GET", "/slow", None
                    async def __call__(self):
                        future = loop.create_future()
                        queue.put_nowait(future)
                        return await future
                for _ in range(5): await asyncio.ensure_future(RequestHandler()._handle_request(Request()))
                batcher.cancel()
            asyncio.run(main())
            """)[0]
        timers = [span["where"] for span in spool.of("SPAN") if span["name"] == "asyncio timer"]
        self.assertEqual({"program.py:6 collect"}, set(timers))

    def test_a_request_over_streams_waits_for_the_timer_of_a_batch(self):
        """The client is another process. While it pauses, the handler awaits the network, and no request waits."""
        spool = self.record("""\
            import asyncio, sys
            CLIENT = "import socket, sys, time; sock = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\\n" \\
                     "for pause in (0, 0, 0, 0.2, 0): time.sleep(pause); sock.sendall(b'x%c' % 10); sock.recv(1)"
            waiting = []
            async def batches():
                while True:
                    await asyncio.sleep(0.02)
                    for item in waiting: item.set_result(1)
                    waiting.clear()
            async def answer(reader, writer):
                while await reader.readline():
                    waiting.append(asyncio.get_running_loop().create_future())
                    await waiting[-1]
                    writer.write(b"y")
            async def main():
                server = await asyncio.start_server(answer, "127.0.0.1", 0)
                port = server.sockets[0].getsockname()[1]
                batcher = asyncio.ensure_future(batches())
                client = await asyncio.create_subprocess_exec(sys.executable, "-Ic", CLIENT, str(port))
                await client.wait()
                batcher.cancel()
            asyncio.run(main())
            """)[0]
        timers = [span for span in spool.of("SPAN") if span["name"] == "asyncio timer"]
        self.assertEqual({"program.py:7 batches"}, {span["where"] for span in timers})
        self.assertLessEqual(len(timers), 5, "one for each request, and none while the client pauses")

    def test_tasks_that_wait_for_a_limit_are_counted(self):
        """Semaphore, lock and full queue; while the loop sleeps, and while it waits for a socket. A consumer that waits for
        work is no limit."""
        spool = self.record("""\
            import asyncio, itertools, inferscope, socket
            left = itertools.count(11, -1)
            async def turn(limit):
                async with limit:
                    inferscope.mark(f"left {next(left)}")
                    await asyncio.sleep(0.01)
            async def answered(limit, reader, other):
                async with limit:
                    asyncio.get_running_loop().call_later(0.01, other.send, b"x")
                    await reader.readexactly(1)
            async def feed(queue):
                for _ in range(8): await queue.put(1)
            async def eat(queue):
                while True:
                    await asyncio.sleep(0.01)
                    await queue.get()
            async def main():
                inferscope.mark("phase 1")
                await asyncio.gather(*(turn(semaphore) for semaphore in [asyncio.Semaphore(2)] * 12))
                inferscope.mark("phase 2")
                ours, other = socket.socketpair()
                reader, writer = await asyncio.open_connection(sock=ours)
                await asyncio.gather(*(answered(lock, reader, other) for lock in [asyncio.Lock()] * 6))
                writer.close()
                inferscope.mark("phase 3")
                queue = asyncio.Queue(1)
                eater = asyncio.ensure_future(eat(queue))
                await feed(queue)
                inferscope.mark("phase 4")
                await asyncio.sleep(0.1)
            asyncio.run(main())
            """)[0]
        found, phase, left = {}, "", 12
        for mark in sorted(spool.of("MARK"), key=lambda mark: mark["time_ns"]):
            if mark["name"].startswith("phase"):
                phase = mark["name"]
            elif mark["name"].startswith("left"):
                left = int(mark["name"].split()[1])
            elif mark["name"] == "event loop limit":
                found.setdefault(phase, []).append(json.loads(mark["metadata"]) | {"left": left})
        at = {"phase 1": ("Semaphore", "program.py:4 turn"), "phase 2": ("Lock", "program.py:8 answered"), "phase 3": ("Queue", "program.py:12 feed")}
        self.assertEqual(at, {name: (limits[0]["kind"], limits[0]["at"]) for name, limits in found.items()})
        for limit in found["phase 1"]:
            self.assertEqual(limit["left"], limit["tasks"])
        self.assertEqual({1}, {limit["tasks"] for limit in found["phase 3"]})
        self.assertTrue(all(limit["ns"] > 2_000_000 for limits in found.values() for limit in limits))

    def test_what_another_thread_or_no_timer_ends_is_no_wait_for_a_timer(self):
        """A future of an executor, a thread that wakes the loop by itself, and a loop that only waits for the GIL."""
        for source in ("""\
            async def main():
                loop = asyncio.get_running_loop()
                answer = loop.run_in_executor(None, time.sleep, 0.1)
                while not answer.done(): await asyncio.wait({answer}, timeout=0.01)
            """, """\
            async def main():
                loop, woken = asyncio.get_running_loop(), asyncio.Event()
                threading.Timer(0.02, loop.call_soon_threadsafe, (woken.set,)).start()
                await woken.wait()
                for _ in range(10): await asyncio.sleep(0.01)
            """, """\
            async def main():
                asyncio.get_running_loop().call_later(1000, int)
                threading.Thread(target=lambda: sum(range(10_000_000)), daemon=True).start()
                for _ in range(40): await asyncio.sleep(0)
            """):
            for spool in self.spool_folder.glob("*.spool"):
                spool.unlink()
            spool = self.record("import asyncio, threading, time\n" + textwrap.dedent(source) + "asyncio.run(main())\n")[0]
            self.assertEqual([], [span["where"] for span in spool.of("SPAN") if span["name"] == "asyncio timer"], source)

    def test_a_loop_waits_for_timers_again_when_no_other_thread_wakes_it_any_more(self):
        """After an earlier loop has ended its executor, and after a job that outlived its future."""
        for before in ("asyncio.run(to_thread())", ""):
            for spool in self.spool_folder.glob("*.spool"):
                spool.unlink()
            spool = self.record("""\
                import asyncio, inferscope, threading
                async def to_thread():
                    await asyncio.get_running_loop().run_in_executor(None, int)
                    for _ in range(20): await asyncio.sleep(0.01)
                async def main():
                    loop, goes_on = asyncio.get_running_loop(), threading.Event()
                    if not %r:
                        try:
                            await asyncio.wait_for(loop.run_in_executor(None, goes_on.wait), 0.02)
                        except asyncio.TimeoutError:
                            pass
                        for _ in range(3): await asyncio.sleep(0.01)
                    inferscope.mark("alone")
                    goes_on.set()
                    for _ in range(20): await asyncio.sleep(0.01)
                %s
                asyncio.run(main())
                """ % (before, before))[0]
            alone_ns = next(mark["time_ns"] for mark in spool.of("MARK") if mark["name"] == "alone")
            timers = sorted(span["start_ns"] for span in spool.of("SPAN") if span["name"] == "asyncio timer")
            self.assertTrue([start_ns for start_ns in timers if start_ns > alone_ns], before)
            self.assertTrue(before or alone_ns < timers[0], "the job may end a wait")

    def test_objects_that_a_timer_calls_with_are_not_asked(self):
        spool = self.record("""\
            import asyncio
            class Client:
                asked = 0
                def __getattr__(self, name):
                    Client.asked += 1
                    raise AttributeError(name)
            async def main():
                for _ in range(20):  # A thread that runs late finds both timers over, and waits for neither.
                    asyncio.get_running_loop().call_later(0.01, lambda client: None, Client())
                    await asyncio.sleep(0.02)
            asyncio.run(main())
            assert Client.asked == 0
            """)[0]
        timers = [span for span in spool.of("SPAN") if span["name"] == "asyncio timer"]
        self.assertEqual({None, "program.py:10 main"}, {span["where"] for span in timers})
        self.assertTrue(all(span["end_ns"] - span["start_ns"] < 21_000_000 for span in timers), "no longer than the timer")

    def test_the_size_of_hand_overs_is_capped_and_the_rest_counted(self):
        from support import environment

        path = self.script("import queue\nq = queue.Queue()\nfor _ in range(30000):\n    q.put(1); q.get()\n")
        self.run_python(path, env=environment(self.spool_folder, INFERSCOPE_SPOOL_MAX_BYTES=4 << 20))
        spool = self.only_spool()
        kept = len(spool.of("HAND_OVER"))
        told = spool.coverage("hand-overs")[0]
        self.assertEqual((kept, 60000 - kept), (told["recorded"], told["missing"]))
        self.assertTrue(0 < kept * 64 <= 1 << 20, kept)
        self.assertEqual(0, spool.header.dropped)


    def test_what_is_lost_is_told_with_its_cause(self):
        """Of hundreds, one finds another thread enlarging the file; later ones may find that the file cannot grow."""
        for cause, loses in (("another thread was enlarging the file", "spool.grow_lock.acquire()"),
                             ("the file could not grow", "spool.stopped = True")):
            with self.subTest(cause):
                told = self.run_source("""\
                    import queue, threading
                    from inferscope import _recorder, _spool
                    recorder, items = _recorder.current, queue.Queue()
                    spool, _spool.GROW_WAIT_S = recorder.spool, 0.001
                    def lose():
                        LOSES
                    threads = [threading.Thread(target=lose)]
                    [thread.start() or thread.join() for thread in threads]
                    while not recorder.hand_overs_missing: items.put(items.qsize())
                    """.replace("LOSES", loses)).coverage("hand-overs")[0]
                self.assertLess(100, told["recorded"])
                self.assertEqual((1, cause), (told["missing"], told["why"]))
                for path in self.spool_folder.iterdir():
                    path.unlink()

    def test_a_condition_works_whatever_recording_does(self):
        """Each record fails; or recording ends while a thread waits."""
        for fails in ("recorder.hand_over = fails", "_probe.finish"):
            with self.subTest(fails):
                self.run_python(self.script("""\
                    import threading
                    from inferscope import _probe, _recorder
                    def fails(*arguments): raise RuntimeError("no record")
                    recorder, condition, woken = _recorder.current, threading.Condition(), []
                    def wait():
                        with condition: woken.append((condition.wait(), condition.wait(0)))
                    for _ in range(20):
                        thread = threading.Thread(target=wait, daemon=True)
                        thread.start()
                        while not condition._waiters: pass
                        FAILS
                        with condition: condition.notify()
                        thread.join(20)
                    assert woken == [(True, False)] * 20, woken
                    """.replace("FAILS", fails if "=" in fails else fails + "()")))


class ProcessHandOverTest(HandOverTest):
    @judged
    def test_queues_between_forked_processes_have_one_key_on_both_sides(self):
        self.check_queues_between_processes("fork")

    @judged
    def test_queues_between_spawned_processes_have_one_key_on_both_sides(self):
        self.check_queues_between_processes("spawn")

    def check_queues_between_processes(self, method):
        spools = self.record("""\
            import multiprocessing, time
            def work(inputs, outputs):
                for item in iter(inputs.get, None):
                    time.sleep(0.2)
                    outputs.put(item + 1)
            if __name__ == "__main__":
                context = multiprocessing.get_context("%s")
                inputs, outputs = context.Queue(), context.SimpleQueue()
                process = context.Process(target=work, args=(inputs, outputs))
                process.start()
                time.sleep(0.02)
                for item in range(3):
                    inputs.put(item)
                    assert outputs.get() == item + 1
                inputs.put(None)
                process.join()
            """ % method)
        waited = self.assert_joined(spools, "Connection", 10_000_000)
        self.assertEqual(3, sum(take["where"] == "program.py:14 <module>" for take in waited))
        self.assertEqual(1, len(takes(spools, "Process end")))
        started = takes(spools, "Process start")[0]
        self.assertIn(started["pid"], {spool.header.pid for spool in spools})

    @judged
    def test_both_ends_of_a_duplex_pipe_find_one_another(self):
        spools = self.record("""\
            import multiprocessing, time
            def work(end):
                time.sleep(0.3)
                end.send("hello")
                assert end.recv() == "thanks"
            if __name__ == "__main__":
                context = multiprocessing.get_context("fork")
                here, there = context.Pipe()
                process = context.Process(target=work, args=(there,))
                process.start()
                assert here.poll(300) and here.recv() == "hello"
                here.send("thanks")
                process.join()
            """)
        self.assertLessEqual(1, len(self.assert_joined(spools, "Connection", 10_000_000)))
        self.assertEqual(2, len({take["key"] for take in takes(spools, "Connection")}))

    def test_what_an_item_receives_while_it_is_unpickled_is_a_wait_of_its_own(self):
        """So does a tensor in shared memory, whose file comes over another connection."""
        spools = self.record("""\
            import multiprocessing, threading, time
            def fetched():
                return inner.recv()
            class Item:
                def __reduce__(self):
                    return fetched, ()
            queue, (inner, feed) = multiprocessing.get_context("fork").SimpleQueue(), multiprocessing.Pipe()
            feed.send("content")
            giver = threading.Timer(0.1, queue.put, (Item(),))
            giver.start()
            assert queue.get() == "content"
            giver.join()
            """)
        outer, nested = sorted(takes(spools, "Connection"), key=lambda take: take["time_ns"])
        self.assertGreaterEqual(nested["wait_start_ns"], max(give["time_ns"] for give in gives(spools, "Connection")))
        self.assertLess(outer["wait_start_ns"], nested["wait_start_ns"])

    def test_a_poll_that_does_not_wait_is_no_wait(self):
        spools = self.record("""\
            import multiprocessing
            (here, there), (other, mark) = multiprocessing.Pipe(), multiprocessing.Pipe()
            assert not here.poll() and not here.poll(0)
            mark.send("after the poll")
            there.send("hello")
            assert here.recv() == "hello"
            """)
        after = min(give["time_ns"] for give in gives(spools, "Connection"))
        self.assertEqual([True], [take["wait_start_ns"] >= after for take in takes(spools, "Connection")])

    @judged
    def test_pools_of_processes(self):
        spools = self.record("""\
            import concurrent.futures as futures, multiprocessing, time
            def work(n):
                time.sleep(0.1)
                return n * n
            if __name__ == "__main__":
                with futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
                    assert list(pool.map(work, range(6))) == [n * n for n in range(6)]
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    assert pool.map(work, range(6)) == [n * n for n in range(6)]
            """)
        pids = {record["tid"] for spool in spools for record in spool.of("HAND_OVER") if record["name"] == "Connection"}
        self.assertGreaterEqual(len(pids), 5)
        self.assertLessEqual(1, len(self.assert_joined(spools, "Future", 10_000_000)))

    @judged
    def test_subprocesses_end_and_wake_who_waits(self):
        spools = self.record("""\
            import subprocess, sys
            assert subprocess.run(["sleep", "0.3"]).returncode == 0
            assert subprocess.run(["sh", "-c", "sleep 0.3; echo x"], stdout=subprocess.PIPE).stdout == b"x\\n"
            process = subprocess.Popen(["sleep", "0.001"])
            process.wait(); process.wait()
            """)
        self.assertEqual(3, len(takes(spools, "Popen end")))
        self.assertLessEqual(2, len(self.assert_joined(spools, "Popen end", 20_000_000)))

    @judged
    def test_sockets_to_this_machine(self):
        spools = self.record("""\
            import socket, threading, time
            def serve(server):
                connection, _ = server.accept()
                assert connection.recv(100) == b"ask"
                time.sleep(0.3)
                connection.sendall(b"answer")
                connection.close()
            server = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=serve, args=(server,)).start()
            client = socket.create_connection(server.getsockname())
            client.sendall(b"ask")
            assert client.recv(100) == b"answer" and client.recv(100) == b""
            near, far = socket.socketpair()
            near.send(b"x")
            assert far.recv(1) == b"x"
            """)
        self.assertLessEqual(1, len(self.assert_joined(spools, "socket", 10_000_000)))
        self.assertEqual(4, len(takes(spools, "socket")))
        self.assertEqual({give["key"] for give in gives(spools, "socket")}, {take["key"] for take in takes(spools, "socket")})

    def test_what_a_loop_runs_before_it_reads_a_ready_socket_is_no_wait(self):
        spools = self.record("""\
            import asyncio, threading, time
            def work():
                end = time.monotonic() + 0.2
                while time.monotonic() < end:
                    pass
            async def answer(reader, writer):
                while await reader.readline():
                    asyncio.get_running_loop().call_soon(work)
                    time.sleep(0.1)  # Meanwhile the next line comes: the loop finds it at once, works, and then reads it.
            async def main():
                server = await asyncio.start_server(answer, "127.0.0.1", 0)
                def ask():
                    import socket
                    client = socket.create_connection(server.sockets[0].getsockname())
                    for _ in range(3):
                        client.sendall(b"?\\n")
                        time.sleep(0.05)
                asker = threading.Thread(target=ask)
                asker.start()
                await asyncio.sleep(2)
                asker.join()
                server.close()
            asyncio.run(main())
            """)
        read = takes(spools, "socket")
        self.assertGreaterEqual(len(read), 2)
        self.assertGreater(0.19e9, max(take["time_ns"] - take["wait_start_ns"] for take in read[1:]))

    def test_who_waits_in_accept_waits_for_the_one_that_connects(self):
        self.check_waits_for_a_connection("")

    def test_who_selects_before_accept_waits_for_the_one_that_connects(self):
        self.check_waits_for_a_connection("selectors.DefaultSelector.select(selector)")

    def check_waits_for_a_connection(self, waits):
        spools = self.record("""\
            import selectors, socket, threading, time
            server = socket.create_server(("127.0.0.1", 0))
            selector = selectors.DefaultSelector()
            selector.register(server, selectors.EVENT_READ)
            def connect():
                time.sleep(0.1)
                socket.create_connection(server.getsockname())
            threading.Thread(target=connect).start()
            %s
            server.accept()
            """ % waits)
        accepted, = takes(spools, "socket")
        connected, = gives(spools, "socket")
        self.assertEqual(connected["key"], accepted["key"])
        self.assertNotEqual(connected["tid"], accepted["tid"])
        self.assertLess(accepted["wait_start_ns"], connected["time_ns"])
        self.assertLessEqual(connected["time_ns"], accepted["time_ns"])


if __name__ == "__main__":
    unittest.main()
