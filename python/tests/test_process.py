"""Processes that end, fork, spawn and die in every way a program can."""

import signal
import unittest

from support import Observed, environment


class EndTest(Observed):
    def test_a_killed_program_loses_nothing_that_was_stored(self):
        spool = self.run_source("""\
            import os, signal
            from inferscope import scope, mark_event
            for step in range(3000):
                with scope("done"):
                    pass
            mark_event("last", {"n": 1})
            with scope("open"):
                os.kill(os.getpid(), signal.SIGKILL)
            """, exit_code=-signal.SIGKILL)
        self.assertFalse(spool.closed)
        self.assertEqual(3000, len([span for span in spool.spans("done") if span["end_ns"]]))
        self.assertEqual([0], [span["end_ns"] for span in spool.spans("open")])
        self.assertEqual('{"n": 1}', spool.of("MARK")[0]["metadata"])
        self.assertEqual({0}, {block.flags for block in spool.blocks})

    def test_os_exit_leaves_a_readable_file(self):
        spool = self.run_source("""\
            import os
            from inferscope import scope
            with scope("open"):
                os._exit(5)
            """, exit_code=5)
        self.assertFalse(spool.closed)
        self.assertEqual(1, len(spool.spans("open")))

    def test_every_ordinary_end_closes_the_spool(self):
        endings = {"sys.exit(4)": 4, "raise ValueError": 1, "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)": -2}
        for number, (ending, code) in enumerate(endings.items()):
            with self.subTest(ending):
                path = self.script("import os, signal, sys, time\n%s\n" % ending, "end%d.py" % number)
                self.run_python(path, exit_code=code)
                spool = [s for s in self.spools() if s.of("PROCESS")[0]["program"] == path.name][0]
                self.assertTrue(spool.closed)
                span = spool.spans(path.name)[0]
                self.assertEqual(9, span["activity"])
                self.assertGreater(span["end_ns"], span["start_ns"])
                overhead = spool.of("OVERHEAD")[0]
                self.assertTrue(0 < overhead["cpu_ns"] < 1e9 and overhead["events"] >= 2)

    def test_a_daemon_thread_that_never_ends_breaks_nothing(self):
        done = self.run_python(self.script("""\
            import threading, time
            from inferscope import scope
            def spin():
                while True:
                    with scope("spin"):
                        time.sleep(0)
            threading.Thread(target=spin, daemon=True).start()
            time.sleep(0.05)
            """))
        self.assertEqual(b"", done.stderr)
        self.assertTrue(self.only_spool().closed)


class ForkTest(Observed):
    def test_a_forked_child_writes_its_own_file_and_leaves_its_parents_alone(self):
        self.run_python(self.script("""\
            import os, sys, threading
            from inferscope import scope
            with scope("around fork"):
                pid = os.fork()
                with scope("child" if pid == 0 else "parent"):
                    pass
            if pid == 0:
                sys.exit(7)
            assert os.waitpid(pid, 0)[1] >> 8 == 7
            """))
        spools = {spool.of("PROCESS")[0]["seen"]: spool for spool in self.spools()}
        parent, child = spools["boot"], spools["fork"]
        for spool in (parent, child):
            self.assert_sound(spool)
            self.assertTrue(spool.closed)
        self.assertEqual(parent.header.pid, child.of("PROCESS")[0]["parent_pid"])
        self.assertEqual((0, 1), (len(parent.spans("child")), len(parent.spans("parent"))))
        self.assertEqual((1, 0), (len(child.spans("child")), len(child.spans("parent"))))
        self.assertEqual({child.header.pid}, {span["tid"] for span in child.spans()})
        self.assertEqual(1, len(parent.spans("around fork")))

    def test_forked_children_that_record_nothing_leave_no_file(self):
        self.run_python(self.script("""\
            import gc, os, sys, time
            from inferscope import scope
            def child(work):
                pid = os.fork()
                if pid == 0:
                    work()
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
            def lives_on():
                time.sleep(0.03)
                gc.collect()
            def forks_again():
                child(lambda: scope("grandchild").__enter__())
            for _ in range(40):
                child(lambda: None)
            child(lives_on)
            child(forks_again)
            pid = os.fork()
            if pid == 0:
                time.sleep(0.03)
                sys.exit(0)
            os.waitpid(pid, 0)
            """))
        boot, *forked = sorted(self.spools(), key=lambda spool: spool.of("PROCESS")[0]["seen"])
        self.assertEqual(["fork"] * 3, [spool.of("PROCESS")[0]["seen"] for spool in forked])
        self.assertEqual(2, sum(spool.of("PROCESS")[0]["parent_pid"] == boot.header.pid for spool in forked))
        self.assertEqual([0, 0, 1], sorted(len(spool.spans("grandchild")) for spool in forked))
        self.assertEqual([False, False, True], sorted(spool.closed for spool in forked))

    def test_the_files_of_forked_children_have_a_limit_together(self):
        source = """\
            import os
            from inferscope import scope
            for _ in range(30):
                pid = os.fork()
                if pid == 0:
                    with scope("work"): os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
            """
        self.run_python(self.script(source), env=environment(self.spool_folder, INFERSCOPE_SPOOL_MAX_BYTES=1 << 17))
        boot, *forked = sorted(self.spools(), key=lambda spool: spool.of("PROCESS")[0]["seen"])
        self.assertEqual(20, len(forked), "of 64 KiB each in ten times 128 KiB")
        self.assertEqual([(2, 10)], [(c["status"], c["missing"]) for c in boot.coverage("forked processes")])

    def test_forking_while_threads_record_leaves_no_lock_behind(self):
        self.run_python(self.script("""\
            import os, threading
            from inferscope import scope, mark_event
            stop = False
            def work():
                count = 0
                while not stop:
                    count += 1
                    with scope("busy %d" % count):
                        mark_event("m")
            threads = [threading.Thread(target=work) for _ in range(3)]
            [t.start() for t in threads]
            for _ in range(30):
                pid = os.fork()
                if pid == 0:
                    for step in range(50):
                        with scope("child %d" % step):
                            mark_event("child")
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
            stop = True
            [t.join() for t in threads]
            """), timeout_s=120)
        children = [spool for spool in self.spools() if spool.of("PROCESS")[0]["seen"] == "fork"]
        self.assertEqual([50] * 30, [len(spool.of("MARK")) for spool in children])
        self.assertEqual([0] * 30, [spool.lost_bytes for spool in children])

    def test_multiprocessing_children_are_recorded_and_close_their_files(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                path = self.script("""\
                    import multiprocessing
                    from inferscope import scope
                    def work(n):
                        with scope("work %s"):
                            return n * n
                    if __name__ == "__main__":
                        with multiprocessing.get_context("%s").Pool(2) as pool:
                            assert pool.map(work, range(8)) == [n * n for n in range(8)]
                            pool.close()
                            pool.join()
                    """ % (method, method), method + ".py")
                self.run_python(path)
                spools = [spool for spool in self.spools() if spool.spans("work " + method)]
                self.assertEqual(8, sum(len(spool.spans("work " + method)) for spool in spools))
                self.assertNotIn(False, [spool.closed for spool in spools])

    def test_exec_starts_a_new_file_for_the_new_program(self):
        second = self.script("from inferscope import scope\nwith scope('second'): pass\n", "second.py")
        first = self.script("""\
            import os, sys
            from inferscope import scope
            with scope("first"):
                os.execv(sys.executable, [sys.executable, %r])
            """ % str(second), "first.py")
        self.run_python(first)
        spools = {spool.of("PROCESS")[0]["program"]: spool for spool in self.spools()}
        self.assertEqual({"first.py", "second.py"}, set(spools))
        self.assertEqual(spools["first.py"].header.pid, spools["second.py"].header.pid)
        self.assertTrue(spools["second.py"].closed and not spools["first.py"].closed)

    def test_a_daemon_that_closes_all_descriptors_keeps_recording_and_its_own_files(self):
        spool = self.run_source("""\
            import os
            from inferscope import scope
            os.closerange(3, 64)
            mine = [os.open("mine%d" % i, os.O_CREAT | os.O_RDWR) for i in range(40)]
            for _ in range(30000):
                with scope("after"):
                    pass
            assert all(os.fstat(fd).st_size == 0 for fd in mine)
            """)
        self.assertEqual(30000, len(spool.spans("after")))


class NameTest(Observed):
    def test_the_interpreter_span_says_what_runs_and_never_its_arguments(self):
        self.script("pass\n", "module_name.py")
        cases = {
            ("-c", "pass", "--password=secret"): "-c",
            ("-Bum", "module_name", "secret"): "-m module_name",
            ("-W", "ignore", "-X", "dev", "-mmodule_name", "secret"): "-m module_name",
            ("module_name.py", "secret"): "module_name.py",
        }
        for arguments, name in cases.items():
            with self.subTest(name):
                self.run_python(*arguments)
        spools = self.spools()
        self.assertEqual(sorted(cases.values()), sorted(s.spans()[0]["name"] for s in spools))
        for spool in spools:
            self.assertNotIn(b"secret", spool.data)


if __name__ == "__main__":
    unittest.main()
