"""Prints what a Python program finds in its interpreter and process when it begins."""
import atexit, builtins, faulthandler, gc, locale, os, resource, signal, sys, threading, time, tracemalloc, warnings  # noqa: E401

before = {name for name in sys.modules if name.partition(".")[0] in ("multiprocessing", "asyncio", "logging", "subprocess", "socket", "torch")}
print("imported", sorted(before))
for number in sorted(signal.valid_signals() if hasattr(signal, "valid_signals") else range(1, 65)):
    print(int(number), signal.getsignal(number))
print("blocked", sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))), "pending", signal.sigpending())
print("wake-up", signal.set_wakeup_fd(-1))
print("timers", [signal.getitimer(kind) for kind in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)])
for name in sorted(vars(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print("nice", os.nice(0), "CPUs", sorted(os.sched_getaffinity(0)), "policy", os.sched_getscheduler(0), "umask", os.umask(0o22))
for fd in range(3, 1024):
    try:
        print("descriptor", fd, os.readlink("/proc/self/fd/%d" % fd))
    except OSError:
        pass
print(sys.argv, sys.orig_argv if hasattr(sys, "orig_argv") else "", sys.flags, sys.executable, sys.prefix)
print([path for path in sys.path if "inferscope" not in path and "/python" != path[-7:] and "/bootstrap" != path[-10:]])
print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.dont_write_bytecode, sys.gettrace(), sys.getprofile(), sys._getframe().f_trace)
print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.unraisablehook is sys.__unraisablehook__)
print(getattr(threading, "__excepthook__", None) is threading.excepthook, threading.stack_size(), threading.active_count())
print("traced", tracemalloc.is_tracing(), "faulthandler", faulthandler.is_enabled())
print(gc.get_threshold(), gc.isenabled(), gc.get_debug(), gc.get_freeze_count(), gc.garbage)
print(warnings.filters, locale.setlocale(locale.LC_ALL), sys.getfilesystemencoding(), time.tzname)
print(sorted(globals()), sorted(set(vars(builtins)) - {"__doc__"}))
print(sys.stdin, sys.stdout, sys.stderr, sys.stdout.line_buffering)
if hasattr(sys, "monitoring"):
    print([sys.monitoring.get_tool(number) for number in range(6)])
for name, value in sorted(os.environ.items()):
    print("%s=%s" % (name, value))
