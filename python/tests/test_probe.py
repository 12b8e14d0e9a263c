"""The probe inside programs that do not know of it: it must not show, and must never break anything."""

import errno
import os
import resource
import shutil
import struct
import subprocess
import sys
import time
import unittest
from unittest import mock

from spool_reader import Spool
from support import BOOTSTRAP, PYTHON_FOLDER, REPOSITORY, Observed, environment

sys.path.insert(0, str(PYTHON_FOLDER))

from inferscope import _recorder, _spool  # noqa: E402
from inferscope._spool_format import FILE_HEADER_CANNOT_GROW, FILE_HEADER_CLOSED, FILE_HEADER_DISK_FULL  # noqa: E402


class InvisibleTest(Observed):
    def test_an_interpreter_other_than_cpython_is_left_alone(self):
        source = "import sys; sys.implementation.name = 'pypy'; import site; site.main(); print('sitecustomize' in sys.modules, 'inferscope' in sys.modules)"
        done = self.run_python("-S", "-c", source)
        self.assertEqual((b"True False\n", b""), (done.stdout, done.stderr))
        self.assertEqual([], list(self.spool_folder.iterdir()))

    def test_output_and_exit_code_are_the_same_with_and_without(self):
        programs = {
            "ok": "print('hello'); import sys; print('err', file=sys.stderr)",
            "exit": "import sys; sys.exit('message')",
            "traceback": "def f():\n    raise RuntimeError('x')\nf()",
            "warning": "import warnings; warnings.warn('careful')",
            "unraisable": "class A:\n    def __del__(self): 1/0\n__import__('sys').unraisablehook = lambda u: print(u.exc_value)\nA()",
            "thread": "import threading\nt = threading.Thread(target=lambda: 1/0, name='t')\nt.start()\nt.join()",
        }
        for name, source in programs.items():
            with self.subTest(name):
                path = self.script(source, name + ".py")
                plain, seen = (self.run_python(path, observed=observed, exit_code=None) for observed in (False, True))
                self.assertEqual((plain.returncode, plain.stdout, plain.stderr), (seen.returncode, seen.stdout, seen.stderr))

    def test_boot_imports_these_modules_and_no_others(self):
        listing = "import sys; print(*sorted(sys.modules))"
        plain, seen = (set(self.run_python("-c", listing, observed=o).stdout.decode().split())
                       for o in (False, True))
        extra = {name for name in seen - plain if not name.startswith("inferscope")}
        self.assertLessEqual(extra, {"_struct", "_collections", "_thread", "atexit", "errno", "gc", "itertools", "mmap", "sitecustomize", "time"})
        hooks = set()
        if "threading" in plain:  # A .pth file of this interpreter imports it, and so its hooks.
            hooks = {"inferscope.hooks", "inferscope.hooks.threading_hooks", "inferscope._hook", "inferscope._handover", "inferscope._pieces"}
        self.assertEqual(hooks | {"inferscope", "inferscope._imports", "inferscope._mapped", "inferscope._probe", "inferscope._recorder", "inferscope._signals",
                          "inferscope._spool", "inferscope._spool_format", "inferscope._where"}, {n for n in seen - plain if n.startswith("inferscope")})

    def test_the_program_s_files_get_the_same_descriptors(self):
        path = self.script("""\
            import os, inferscope
            print(sorted(os.listdir("/proc/self/fd")), os.dup(1), os.dup(2), flush=True)
            if os.fork() == 0:
                for n in range(20000):
                    with inferscope.scope("of the child"): pass
                print(sorted(os.listdir("/proc/self/fd")), os.dup(1))
            else:
                os.wait()
            """)
        plain, seen = (self.run_python(path, env=env).stdout for env in (environment(PYTHONPATH=PYTHON_FOLDER), environment(self.spool_folder)))
        self.assertEqual(plain, seen)
        self.assertEqual([20000], [n for n in (len(Spool(spool).spans("of the child")) for spool in self.spool_folder.iterdir()) if n])

    def test_isolated_mode_leaves_no_trace(self):
        self.run_python("-I", "-c", "import sys; assert 'inferscope' not in sys.modules")
        self.assertEqual([], self.spools())

    def test_what_is_stored_twice_is_in_the_file_once(self):
        """In periods of whose two the first begins at boot, and the second lasts until twice the time since then."""
        path = self.script("""\
            import inferscope, os, queue, sys, time
            from inferscope import _recorder
            kind, stored = type(_recorder.current).__name__, queue.Queue()
            again = getattr(_recorder.current, "again", None)
            for n in range(3000):
                with inferscope.scope("part"): stored.put(n)
            assert [stored.get() for n in range(3000)] == list(range(3000))
            if os.fork() == 0:
                with inferscope.scope("of the child"): time.sleep(0.03)
                sys.exit(type(_recorder.current).__name__ != kind)
            print(kind, os.wait()[1], again is not None and again.spool.slots_taken(56) > 0)
            assert again is None or len(type(_recorder.current).times) == 2 and all(1 <= n < 10 for n in type(_recorder.current).times.values())
            """)
        periods = {"Twice 0 True": time.monotonic_ns() * 2 // 3, "Twice 0 False": time.monotonic_ns() * 100, "Recorder 0 False": 0}
        for told, period in periods.items():
            with self.subTest(told):
                before = set(self.spool_folder.iterdir())
                env = environment(self.spool_folder, INFERSCOPE_TWICE=period)
                self.assertEqual(told, self.run_python(path, env=env).stdout.decode().strip())
                written = [Spool(file) for file in set(self.spool_folder.iterdir()) - before]
                self.assertEqual([0, 3000], sorted(len(spool.spans("part")) for spool in written))
                self.assertEqual([0, 1], sorted(len(spool.spans("of the child")) for spool in written))
                twice = [r["value"] for spool in written for r in spool.records if r["type"] == "NOTE" and r["key"] == "probe.twice"]
                self.assertEqual([str(period)] * (2 if period else 0), twice)

    def test_disabled_and_undirected_runs_record_nothing(self):
        self.run_python("-c", "import inferscope; inferscope.scope('x')", env=environment(self.spool_folder, INFERSCOPE_ENABLED=0))
        env = environment(self.spool_folder)
        del env["INFERSCOPE_SPOOL_DIR"]
        self.run_python("-c", "import inferscope; inferscope.scope('x')", env=env)
        self.assertEqual([], self.spools())

    @unittest.skipIf(os.geteuid() != 0, "only root can act for another user")
    def test_a_process_with_the_rights_of_another_user_is_left_alone(self):
        """Whoever starts a setuid program sets its environment, and must not choose the files that it writes with its owner's rights."""
        agent = REPOSITORY / ("native/linux-%s/libinferscope-agent.so" % {"x86_64": "x86-64"}.get(os.uname().machine, os.uname().machine))
        loads_agent = "import ctypes; ctypes.CDLL(%r).InitializeInjection()" % str(agent)
        for name, source, own_files in (("probe", "import inferscope; inferscope.scope('x')", 1), ("agent", loads_agent, 2)):
            for expected, real_user in ((own_files, 0), (0, 65534)):
                for file in self.spool_folder.iterdir():
                    file.unlink()
                with self.subTest(name, real_user=real_user):
                    self.run_python("-c", source, preexec_fn=lambda: os.setresuid(real_user, 0, 0))
                    self.assertEqual(expected, len(list(self.spool_folder.iterdir())))

    @unittest.skipIf(os.geteuid() != 0, "only root can act for another user")
    def test_a_process_with_the_rights_of_another_user_passes_nothing_on(self):
        env = environment(self.spool_folder, CUDA_INJECTION64_PATH="/home/native/libinferscope-agent.so", NVTX_INJECTION64_PATH="/other/tool.so")
        done = self.run_python("-c", "import subprocess; subprocess.check_call(['env'])", env=env, preexec_fn=lambda: os.setresuid(65534, 0, 0))
        self.assertNotRegex(done.stdout.decode(), "INFERSCOPE|PYTHONPATH|libinferscope")
        self.assertIn("NVTX_INJECTION64_PATH=/other/tool.so\n", done.stdout.decode())

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_a_child_with_other_rights_gets_nothing(self):
        """By a path, by PATH and with file capabilities; a child without them gets the environment as it is."""
        env = environment(self.spool_folder, PATH="%s:%s" % (self.folder, os.environ["PATH"]), PYTHONPATH="%s:%s:/mine" % (BOOTSTRAP, PYTHON_FOLDER))
        for name in ("plain", "setuid", "setgid", "capable"):
            shutil.copy("/usr/bin/env", str(self.folder / name))
        os.chown(str(self.folder / "setuid"), 65534, 0)
        os.chown(str(self.folder / "setgid"), 0, 65534)
        (self.folder / "setuid").chmod(0o4755)
        (self.folder / "setgid").chmod(0o2755)
        try:  # CAP_NET_RAW, permitted: struct vfs_cap_data of capabilities(7)
            os.setxattr(str(self.folder / "capable"), "security.capability", struct.pack("<5I", 0x02000000, 1 << 13, 0, 0, 0))
        except OSError:
            (self.folder / "capable").chmod(0o4755)
            os.chown(str(self.folder / "capable"), 65534, 0)
            (self.folder / "capable").chmod(0o4755)
        relative = ", cwd=%r" % str(self.folder)
        for name, path in (("plain", "plain"), ("setuid", "setuid"), ("setgid", str(self.folder / "setgid")), ("capable", "capable"), ("setuid", "./setuid")):
            for given in (relative,) if path.startswith(".") else ("", ", env=dict(os.environ)"):
                with self.subTest(name, given=given):
                    source = "import os, subprocess; subprocess.run([%r]%s)" % (path, given)
                    said = self.run_python("-c", source, env=env).stdout.decode()
                    self.assertIn("PYTHONPATH=/mine\n" if name != "plain" else "PYTHONPATH=%s:" % BOOTSTRAP, said)
                    self.assertEqual(name == "plain", "INFERSCOPE_SPOOL_DIR" in said)

    def test_children_are_observed_and_the_environment_is_left_alone(self):
        env = environment(self.spool_folder)
        done = self.run_python("-c", "import os, subprocess, sys; print(sorted(os.environ.items()));"
                               "subprocess.check_call([sys.executable, '-c', 'pass'])", env=env)
        for name in ("PYTHONPATH", "INFERSCOPE_SPOOL_DIR"):
            self.assertIn(repr(env[name]), done.stdout.decode())
        self.assertEqual(2, len(self.spools()))

    def test_without_hooks_scopes_are_still_recorded(self):
        self.run_python("-c", "import sys; from inferscope import scope\nwith scope('x'): pass\n"
                        "assert not any('inferscope' in type(f).__module__ for f in sys.meta_path)",
                        env=environment(self.spool_folder, INFERSCOPE_HOOKS=0))
        self.assertEqual(1, len(self.only_spool().spans("x")))
        self.assertEqual(1, self.only_spool().coverage("hooks")[0]["status"])

    def test_long_collections_are_recorded(self):
        spool = self.run_source("import gc\nkeep = [[i] for i in range(400000)]\ngc.collect()\n")
        called, due = spool.spans("gc.collect generation 2"), spool.spans("gc generation 2")
        self.assertTrue(called and due)
        self.assertTrue(all(s["activity"] == 10 and s["end_ns"] - s["start_ns"] > 100000 for s in called + due))


class ChainTest(Observed):
    def env_with_own(self, source):
        own = self.folder / "own"
        own.mkdir(exist_ok=True)
        (own / "sitecustomize.py").write_text(source)
        with_probe, plain = environment(self.spool_folder), environment(PYTHONPATH=own)
        with_probe["PYTHONPATH"] += ":%s" % own
        return with_probe, plain

    def test_an_existing_sitecustomize_runs_as_the_module_of_that_name(self):
        env, _ = self.env_with_own("VALUE = 42\nimport sys\nassert sys.modules['sitecustomize'].VALUE == 42\n")
        self.run_python("-c", "import sitecustomize; assert sitecustomize.VALUE == 42 and 'own' in sitecustomize.__file__", env=env)
        self.assertTrue(self.only_spool().closed)

    def test_one_that_raises_is_reported_as_without_the_probe(self):
        for error in ("raise ValueError('broken')", "import no_such_module", "raise SystemExit(9)"):
            with self.subTest(error):
                env, plain_env = self.env_with_own(error + "\n")
                seen, plain = (self.run_python("-c", "import sys; print('sitecustomize' in sys.modules)", env=e, exit_code=None)
                               for e in (env, plain_env))
                self.assertEqual((plain.returncode, plain.stdout), (seen.returncode, seen.stdout))
                self.assertEqual(plain.stderr.splitlines()[-1:], seen.stderr.splitlines()[-1:])
                if "SystemExit" not in error:  # the one case in which the interpreter prints a traceback, through the probe's frames
                    self.assertEqual(plain.stderr, seen.stderr)

    def test_the_probe_named_twice_on_the_path_starts_once(self):
        env = environment(self.spool_folder)
        link = self.folder / "link"
        link.symlink_to(BOOTSTRAP)
        env["PYTHONPATH"] = "%s:%s:%s:%s" % (BOOTSTRAP, PYTHON_FOLDER, BOOTSTRAP, link)
        self.run_python("-c", "pass", env=env)
        self.assertEqual(1, len(self.only_spool().of("PROCESS")))


class FullTest(Observed):
    SOURCE = """\
        from inferscope import scope, mark_event
        for step in range(60000):
            with scope("step"):
                pass
        for step in range(3000):
            mark_event("m %d" % step, "x" * 200)
        print("finished")
        """

    def assert_finished_with_losses(self, done):
        self.assertEqual((b"finished\n", b""), (done.stdout, done.stderr))
        spool = self.only_spool()
        kept = len(spool.spans("step"))
        self.assertTrue(spool.closed)
        self.assertGreater(spool.header.dropped, 0)
        self.assertGreater(kept, 500)
        return spool

    def test_the_size_cap_drops_and_counts(self):
        done = self.run_python(self.script(self.SOURCE), env=environment(self.spool_folder, INFERSCOPE_SPOOL_MAX_BYTES=2500000))
        spool = self.assert_finished_with_losses(done)
        self.assertLessEqual(len(spool.data), 2500000)
        self.assertEqual(FILE_HEADER_CLOSED, spool.header.flags)
        self.assertGreaterEqual(spool.header.dropped, 60000 - len(spool.spans("step")))

    def test_a_file_size_limit_does_not_kill_the_program(self):
        path = self.script("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
                           + "\n".join(line[8:] for line in self.SOURCE.splitlines()))
        done = self.run_python(path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1500000, 1500000)))
        spool = self.assert_finished_with_losses(done)
        self.assertLessEqual(len(spool.data), 1500000)
        self.assertEqual(FILE_HEADER_CLOSED | FILE_HEADER_CANNOT_GROW, spool.header.flags)

    def test_an_address_space_limit_leaves_a_smaller_file(self):
        done = self.run_python(self.script(self.SOURCE), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (90 << 20, 90 << 20)))
        self.assertEqual((b"finished\n", b""), (done.stdout, done.stderr))
        self.assertEqual(60000, len(self.only_spool().spans("step")))
        self.assertLessEqual(len(self.only_spool().data), 8 << 20)

    def test_a_full_disk_does_not_kill_the_program(self):
        mounted = subprocess.call(["mount", "-t", "tmpfs", "-o", "size=1600k", "tmpfs", str(self.spool_folder)],
                                  stderr=subprocess.DEVNULL) == 0
        if not mounted:
            self.skipTest("mounting a small tmpfs needs privileges; RLIMIT_FSIZE covers the same path")
        self.addCleanup(subprocess.check_call, ["umount", str(self.spool_folder)])
        filler = self.spool_folder.parent / "spools" / "filler"
        path = self.script("open(%r, 'wb').write(bytes(300 << 10))\n" % str(filler)
                           + "\n".join(line[8:] for line in self.SOURCE.splitlines()))
        done = self.run_python(path)
        filler.unlink()
        self.assertEqual(FILE_HEADER_CLOSED | FILE_HEADER_DISK_FULL, self.assert_finished_with_losses(done).header.flags)

    def test_a_full_disk_is_asked_once(self):
        """Asking again at each record that is dropped would take a hundred times as long as storing it."""
        with mock.patch.object(_spool, "back", return_value=errno.ENOSPC) as back:
            spool = _spool.create(self.spool_folder, 1, 1, 1)
            recorder = _recorder.Recorder(spool, 1)
            for number in range(5000):
                recorder.begin("step", 0, None)
                recorder.intern("name %d" % number)
                recorder.hand_over(0, 0, "queue", number, 0, 1, 0, None)
            spool.close()
        self.assertEqual(1, back.call_count)
        read, = self.spools()
        self.assertEqual(FILE_HEADER_CLOSED | FILE_HEADER_DISK_FULL, read.header.flags)
        lost = 2 * 5000 - len(read.spans("step")) - sum(text.startswith("name ") for text in read.strings.values() if text)
        self.assertEqual((lost, 5000), (read.header.dropped, recorder.hand_overs_missing))

    def test_an_unusable_spool_folder_is_passed_over_in_silence(self):
        (self.folder / "file").write_text("")
        for folder in ("/nonexistent/folder", self.folder / "file", "/proc"):
            with self.subTest(folder):
                done = self.run_python("-c", "from inferscope import scope\nwith scope('x'): print('ran')", env=environment(folder))
                self.assertEqual((b"ran\n", b""), (done.stdout, done.stderr))

    def test_a_senseless_cap_is_no_error(self):
        for cap in ("many", "0", "-5", "100"):
            with self.subTest(cap):
                done = self.run_python("-c", "print('ran')", env=environment(self.spool_folder, INFERSCOPE_SPOOL_MAX_BYTES=cap))
                self.assertEqual((b"ran\n", b""), (done.stdout, done.stderr))


if __name__ == "__main__":
    unittest.main()
