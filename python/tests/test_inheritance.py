"""What a program inherits, with and without ``inferscope run``, started in the ways in which users start programs."""

import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from support import REPOSITORY, environment, tagged

LAUNCHER = REPOSITORY / "scripts" / "inferscope"

# Prints all that a process inherits: signals, user, groups, capabilities, seccomp, umask and CPUs (status), limits, group, session, terminal and priority
# (stat), environment, descriptors, folders, name spaces. $1 is the process that was started.
PROGRAM = r"""#!/bin/sh
started=$$
[ "$1" = plain ] || started=$PPID
cat /proc/self/status /proc/self/limits /proc/self/oom_score_adj /proc/self/coredump_filter /proc/self/timerslack_ns /proc/self/personality \
    /proc/self/cgroup /proc/self/loginuid 2>/dev/null
set -- $(cut -d')' -f2- /proc/self/stat | cut -d' ' -f4-7,17-18,39-40)
[ $1 != $2 ] || echo group leads the session
[ $1 != $started ] || echo group led by the program
[ $1 != $4 ] || echo group in the foreground
[ $3 = 0 ] || echo terminal
[ $2 = $started ] || [ $3 != 0 ] || echo group $1 session $2
echo priority $5 nice $6 real-time $7 policy $8
ionice -p $$
tr '\0' '\n' </proc/self/environ
find /proc/self/cwd /proc/self/root /proc/self/fd /proc/self/ns -type l -printf '%p -> %l\n' 2>/dev/null
true
"""

# Start modes: a shell script in which "$@" starts the program.
MODES = {
    "foreground": '"$@"',
    "background of a script": '"$@" & wait $!',
    "nohup": 'nohup "$@"',
    "nice, taskset and others": 'nice -n 5 ionice -c 3 chrt -b 0 taskset -c 0 "$@"',
    "ulimit and umask": 'ulimit -Sn 400; ulimit -c 0; ulimit -Ss 4096; ulimit -Su 3000; ulimit -Sv 9000000; umask 027; "$@"',
    "setsid": 'setsid -w "$@"',
    "ignored signals": "trap '' HUP USR1 USR2 PIPE ALRM TERM XFSZ TTOU RTMIN+3 RTMAX-1; \"$@\"",
    "descriptors and folder": 'mkdir -p "a b"; cd "a b"; "$@" 5<../program 77>file 8</proc/cpuinfo 0<&-',
    "standard error closed": '"$@" 2>&-',
    "few variables": 'env -i PATH="$PATH" "$@"',
    "variables that bash changes": 'env IFS=/ SHELLOPTS=errexit:noglob:braceexpand BASHOPTS=extglob RANDOM=1 A.B=c ODD="$(printf "\\351 a=b")" "$@"',
    "variables of the JVM and the linker": 'LC_ALL=C JAVA_TOOL_OPTIONS="-Dpw=secret -Xmx1k" _JAVA_OPTIONS= JDK_JAVA_OPTIONS=-version LD_BIND_NOW=1 '
    'MALLOC_ARENA_MAX=1 GLIBC_TUNABLES=glibc.malloc.check=0 SHLVL=7 "$@"',
    "core dumps": 'ulimit -Sc 100; "$@"',
    "process attributes": 'echo 300 >/proc/self/oom_score_adj; echo 0x1 >/proc/self/coredump_filter; "$@"',
}

ADDED = r"(INFERSCOPE_SPOOL_DIR|INFERSCOPE_SPOOL_MAX_BYTES|PYTHONPATH|(CUDA|NVTX)_INJECTION64_PATH)=.*"
OF_EACH_PROCESS = r"(Pid|PPid|Tgid|NStgid|NSpid|NSpgid|NSsid|Vm\w+|Rss\w+|SigQ|\w*voluntary_ctxt_switches|Cpu\w*_seconds):.*"




class InheritanceTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inheritance "))
        self.addCleanup(shutil.rmtree, str(self.folder))
        (self.folder / "program").write_text(PROGRAM)
        (self.folder / "program").chmod(0o700)
        self.program = '"%s/program"' % self.folder
        self.observed = '"%s" run -o "%s/r.md" --trace "%s/t.json" --' % (LAUNCHER, self.folder, self.folder)

    def shell(self, script, before=()):
        """Returns what a script of bash prints, which the words ``before`` start, and its exit code."""
        with open(str(self.folder / "err"), "wb") as err:
            done = subprocess.run([*before, "bash", "-c", script], cwd=str(self.folder), env=environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=err, timeout=100)
        return done.stdout.decode("utf-8", "backslashreplace"), done.returncode

    def errors(self):
        return (self.folder / "err").read_text()

    def assert_equal(self, mode, before=()):
        """Both are started in the same way, and print the same but for what every process has of its own and what the recorders need."""
        both = []
        for words in ("%s plain" % self.program, "%s %s under" % (self.observed, self.program)):
            output, code = self.shell("set -- %s\n%s" % (words, mode), before)
            self.assertEqual(0, code, self.errors())
            lines = [line for line in output.splitlines() if not re.fullmatch(OF_EACH_PROCESS, line) and not re.fullmatch(ADDED, line)]
            both.append(sorted(re.sub(r"/proc/\d+/|pipe:\[\d+\]", "...", line) for line in lines))
        self.assertGreater(len(both[0]), 80)
        self.assertEqual(*both)

    @tagged("process", "built")
    def test_a_program_inherits_the_same_blocked_signals(self):
        block = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [1, 2, 3, 11, 12, 13, 15, 35]); os.execvp(sys.argv[1], sys.argv[1:])"
        masks = [self.shell("%s grep SigBlk /proc/self/status" % words, (sys.executable, "-c", block)) for words in ("exec", "exec " + self.observed)]
        self.assertEqual([("SigBlk:\t0000000400005c07\n", 0)] * 2, masks)

    @tagged("process", "built")
    def test_a_program_on_a_terminal_inherits_the_same(self):
        """As the foreground of a session of its own, whose terminal is a new one each time."""
        self.assert_equal('printf "%q " "$@" >words; script -qec "sh words >out" /dev/null >/dev/null; cat out')

    @tagged("process", "built")
    def test_a_signal_reaches_a_server_that_a_script_started_in_the_background(self):
        """There, SIGINT is inherited as ignored: a server that handles it ends by it, and another program ignores it."""
        server = self.folder / "server.py"
        server.write_text("""import os, signal, sys, time
def end(number, frame):
    os.write(1, signal.Signals(number).name.encode() + b"\\n")
    sys.exit(3)
for number in sys.argv[1:]:
    signal.signal(int(number), end)
os.write(1, b"ready\\n")  # At once: without a buffer, print writes the end of the line on its own.
end_s = time.monotonic() + 100
while len(sys.argv) > 1 and time.monotonic() < end_s: time.sleep(0.01)
time.sleep(1)
""")
        script = """rm -f out; %s %s server.py %s >out & while ! grep -qs ready out; do sleep 0.01; done; kill -%s $!; wait $!; code=$?; cat out; exit $code"""
        on_terminal = "printf '%%s' %s >script; script -qec 'bash script >said' /dev/null >/dev/null; code=$?; cat said; exit $code"
        for handled, sent, expected in (("2", "INT", ("ready\nSIGINT\n", 3)), ("", "INT", ("ready\n", 0)), ("", "TERM", ("ready\n", 143))):
            for words in ("", self.observed):
                text = script % (words, sys.executable, handled, sent)
                for started in (text, on_terminal % shlex.quote(text))[:2 if handled else 1]:
                    self.assertEqual(expected, self.shell(started), (started, self.errors()))

    @tagged("process", "built")
    def test_the_loss_of_its_terminal_reaches_a_program_that_leads_the_session(self):
        """As with ``ssh -t host inferscope run ...``."""
        program = """sh -c 'trap "echo hung up >said; exit 3" HUP; echo >ready; for i in $(seq 600); do sleep 0.1; done'"""
        for words in ("", self.observed):
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(str(self.folder))
                os.execvpe("bash", ["bash", "-c", "exec %s %s" % (words, program)], environment())
            while not (self.folder / "ready").exists():
                time.sleep(0.01)
            os.close(terminal)
            _, status = os.waitpid(pid, 0)
            self.assertEqual(("hung up\n", 3), ((self.folder / "said").read_text(), os.waitstatus_to_exitcode(status)))
            (self.folder / "ready").unlink()
            (self.folder / "said").unlink()

    @tagged("process", "built")
    def test_a_jvm_that_crashes_leaves_output_and_folder_of_the_program_alone(self):
        """Its last words, which hold all arguments, are for standard error and a private file; it leaves no core dump."""
        private = self.folder / "tmp"
        private.mkdir()
        script = "export TMPDIR=%s XDG_RUNTIME_DIR=; ulimit -Sc unlimited; taskset -c %d %s %s; sleep 1"  # On one CPU, it crashes before its next step.
        words = "sh -c 'kill -SEGV $PPID; ulimit -c; echo done >done; sleep 0.5; echo out'"
        before = set(os.listdir(str(self.folder))) | {"done", "err"}
        output, _ = self.shell(script % ("'%s'" % private, min(os.sched_getaffinity(0)), self.observed, words))
        self.assertEqual("unlimited\nout\n", output)
        self.assertIn("A fatal error has been detected", self.errors())
        self.assertEqual([], [name for name in os.listdir(str(self.folder)) if name not in before and name.startswith(("hs_err", "core"))])
        self.assertEqual(["inferscope-%d" % os.getuid()], os.listdir(str(private)))
        self.assertEqual(0o700, (private / os.listdir(str(private))[0]).stat().st_mode & 0o777)

    @tagged("process", "built")
    def test_the_program_and_the_witness_of_signals_are_the_only_children_of_their_parent(self):
        """Even if the launcher's own programs take long to end. GroupWitness.java says what the witness is for."""
        slow = self.folder / "slow"
        slow.mkdir()
        (slow / "stat").write_text("#!/bin/sh\n/usr/bin/stat \"$@\"\nexec >&- 2>&-\nsleep 2\n")
        (slow / "stat").chmod(0o700)
        listed = "for child in $(cat /proc/$PPID/task/*/children); do grep -qa 'proces[s] group' /proc/$child/cmdline || echo $child; done; echo $$"
        output, code = self.shell("PATH=\"%s:$PATH\"; %s sh -c %s" % (slow, self.observed, shlex.quote(listed)))
        *children, program = output.split()
        self.assertEqual((children, code), ([program], 0), self.errors())

    @tagged("process", "built")
    def test_a_closed_standard_stream_stays_closed(self):
        """However many pipes the launcher opens: bash leaves those of a process substitution under such a number."""
        (self.folder / "list").write_text("#!/bin/sh\nfor fd in 0 1 2; do readlink /proc/$$/fd/$fd >&3; done; echo end >&3; exit 5\n")
        (self.folder / "list").chmod(0o700)
        for closed in ("2>&-", "0<&-", "1>&-", "0<&- 2>&-", "0<&- 1>&- 2>&-"):
            both = [self.shell("exec 3>seen; %s '%s/list' %s" % (words, self.folder, closed)) + ((self.folder / "seen").read_text(),)
                    for words in ("", self.observed)]
            self.assertEqual(*both, closed)

    @tagged("process", "built")
    def test_a_working_folder_that_has_been_deleted_ends_with_125(self):
        output, code = self.shell("mkdir gone; cd gone; rmdir ../gone; %s echo hi" % self.observed)
        self.assertEqual(("", 125), (output, code), self.errors())
        self.assertIn("inferscope: the working folder has been deleted", self.errors())

    @tagged("process", "built")
    def test_a_jvm_that_does_not_start_ends_with_125(self):
        output, code = self.shell("ulimit -v 900000; %s echo hi" % self.observed)
        self.assertEqual(("", 125), (output, code), self.errors())
        self.assertIn("inferscope: the JVM does not start: Error occurred during initialization of VM", self.errors())

    @tagged("process", "built")
    def test_a_user_whose_processes_run_out_gets_125_or_the_program(self):
        other = ("setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups")
        self.folder.chmod(0o777)
        if subprocess.run([*other, "test", "-r", str(LAUNCHER)], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("only root can start it as another user")
        for limit in (3, 13, 15, 17):
            result = self.shell("ulimit -u %d; %s sh -c 'echo hi; exit 7'" % (limit, self.observed), other)
            self.assertIn(result, [("", 125), ("hi\n", 7)], "%d: %s" % (limit, self.errors()))

    @tagged("process", "built")
    def test_a_control_group_whose_processes_run_out_gives_125_or_the_program(self):
        group = pathlib.Path("/sys/fs/cgroup/pids" if os.path.isdir("/sys/fs/cgroup/pids") else "/sys/fs/cgroup") / self.folder.name.replace(" ", "-")
        try:
            group.mkdir()
        except OSError:
            self.skipTest("no control group can be made here")
        self.addCleanup(group.rmdir)
        if not (group / "pids.max").exists():
            self.skipTest("control groups do not limit processes here")
        for limit, options in ((2, ""), (8, ""), (8, "--stacktrace --log-level debug"), (12, ""), (18, "")):
            (group / "pids.max").write_text(str(limit))
            observed = self.observed.replace(" run ", " %s run " % options)
            result = self.shell("echo $$ >%s/cgroup.procs; exec %s sh -c 'echo hi; exit 7'" % (group, observed))
            self.assertIn(result, [("", 125), ("hi\n", 7)], "%d: %s" % (limit, self.errors()))


def test_of(mode):
    return tagged("process", "built")(lambda self: self.assert_equal(mode))


for name, mode in MODES.items():
    setattr(InheritanceTest, "test_a_program_inherits_the_same_" + re.sub(r"\W+", "_", name), test_of(mode))
