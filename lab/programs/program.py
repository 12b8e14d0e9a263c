"""Programs that use what a recorder inside Python might disturb: program.py NAME [ARGUMENT...]. Each prints the same every time."""
import os
import sys


def busy(n=20000):
    return sum(i * i % 7 for i in range(n))


def threads():
    import threading
    found, local = [], threading.local()

    def work(number):
        local.value = number
        found.append((local.value, busy(), threading.current_thread().name))

    started = [threading.Thread(target=work, args=(n,), name="worker %d" % n) for n in range(50)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    print(sorted(found)[-1], threading.active_count(), len(os.listdir("/proc/self/task")))
    threading.Thread(target=lambda: __import__("time").sleep(100), daemon=True).start()
    timer = threading.Timer(0.2, print, ("after main",))
    timer.start()


def broken_thread():
    import threading
    thread = threading.Thread(target=lambda: 1 / 0, name="broken")
    thread.start()
    thread.join()
    threading.excepthook = lambda found: print("own hook", found.exc_type.__name__)
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def fork():
    for n in range(20):
        pid = os.fork()
        if pid == 0:
            if n == 7:
                sys.exit(n)  # Runs what atexit has, and writes what is buffered.
            os._exit(n)
        print(n, os.waitpid(pid, 0)[1] >> 8, flush=True)
    import threading
    thread = threading.Thread(target=lambda: os.waitpid(os.fork() or os._exit(busy(10)), 0))
    thread.start()
    thread.join()
    order = []
    os.register_at_fork(before=lambda: order.append("before"), after_in_parent=lambda: order.append("parent"))
    os.waitpid(os.fork() or os._exit(0), 0)
    print(order)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child left")


def square(n):
    import threading
    return n * n, threading.current_thread() is threading.main_thread()


def processes(method):
    import multiprocessing
    context = multiprocessing.get_context(method)
    with context.Pool(3) as pool:
        print(pool.map(square, range(20)))
    queue = context.Queue()
    process = context.Process(target=queue.put, args=("from a child",))
    process.start()
    print(queue.get(), process.join(), process.exitcode)
    process = context.Process(target=sys.exit, args=(9,))
    process.start()
    process.join()
    value, lock = context.Value("i", 0), context.Lock()
    several = [context.Process(target=add, args=(value, lock)) for _ in range(4)]
    for one in several:
        one.start()
    for one in several:
        one.join()
    print(process.exitcode, value.value, multiprocessing.active_children())


def add(value, lock):
    for _ in range(100):
        with lock:
            value.value += 1


def shared():
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import Manager, shared_memory
    memory = shared_memory.SharedMemory(create=True, size=100)
    memory.buf[0] = 7
    again = shared_memory.SharedMemory(memory.name)
    print(again.buf[0])
    again.close()
    memory.close()
    memory.unlink()
    with Manager() as manager:
        shared_list = manager.list([1])
        shared_list.append(2)
        print(list(shared_list))
    for pool in (ProcessPoolExecutor(2), ThreadPoolExecutor(2)):
        with pool:
            print(list(pool.map(square, range(5)))[-1][0])
            try:
                pool.submit(int, "x").result()
            except ValueError as error:
                print(error)


async def chat():
    import asyncio
    async def serve(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def ask(n):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"word %d\n" % n)
        answer = await reader.read()
        writer.close()
        return answer

    print(await asyncio.gather(*map(ask, range(20))))
    server.close()
    process = await asyncio.create_subprocess_exec("sh", "-c", "cat; exit 3", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    print(await process.communicate(b"through"), process.returncode)
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, busy))
    import signal
    handled = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, handled.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(handled.wait(), 20)
    try:
        await asyncio.wait_for(asyncio.sleep(100), 0.05)
    except asyncio.TimeoutError:
        print("in time", len(asyncio.all_tasks()), type(loop).__module__)
    asyncio.create_task(asyncio.sleep(100))
    raise KeyError("out of the loop")


def event_loop(debug=""):
    import asyncio
    asyncio.run(chat(), debug=bool(debug))


def uvloop():
    import asyncio
    import uvloop
    if hasattr(asyncio, "Runner"):
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(chat())
    uvloop.install()
    asyncio.run(chat())


def rpc():
    """Calls, an unknown method, a limit, and a server that stops."""
    import concurrent.futures

    import grpc

    def echo(request, context):
        return request

    method = grpc.unary_unary_rpc_method_handler(echo)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), maximum_concurrent_rpcs=2)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Service", {"Echo": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel("127.0.0.1:%d" % port) as channel:
        for name in ("/Service/Echo", "/Service/None"):
            try:
                print(channel.unary_unary(name)(b"text", timeout=10))
            except grpc.RpcError as error:
                print(error.code())
    server.stop(None).wait()


def gevent():
    from gevent import monkey
    monkey.patch_all()
    import subprocess
    import threading
    import gevent.pool
    from gevent.server import StreamServer
    from gevent.socket import create_connection
    server = StreamServer(("127.0.0.1", 0), lambda socket, _: socket.sendall(socket.recv(100).upper()))
    server.start()

    def ask(n):
        with create_connection(server.address[:2]) as connection:
            connection.sendall(b"word %d" % n)
            return connection.recv(100)

    print(gevent.pool.Pool(5).map(ask, range(20)))
    print(subprocess.run(["sh", "-c", "exit 4"]).returncode, gevent.get_hub().loop.activecnt >= 0)
    thread = threading.Thread(target=lambda: print(type(threading.current_thread()).__name__, busy()))
    thread.start()
    thread.join()
    print(gevent.with_timeout(0.05, gevent.sleep, 100, timeout_value="in time"))
    gevent.spawn(lambda: 1 / 0).join()


def eventlet():
    import eventlet
    eventlet.monkey_patch()
    import socket
    listening = eventlet.listen(("127.0.0.1", 0))
    eventlet.spawn(eventlet.serve, listening, lambda one, _: one.sendall(one.recv(100).upper()))

    def ask(n):
        with socket.create_connection(listening.getsockname()) as connection:
            connection.sendall(b"word %d" % n)
            return connection.recv(100)

    print(list(eventlet.GreenPool(5).imap(ask, range(20))))
    eventlet.sleep(0.05)


def trio():
    import trio

    async def main():
        sent, received = trio.open_memory_channel(0)

        async def feed():
            async with sent:
                for n in range(5):
                    await sent.send(n)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(feed)
            print([n async for n in received])
        print((await trio.run_process(["sh", "-c", "echo from a child"], capture_stdout=True)).stdout)
        print(await trio.to_thread.run_sync(busy))
        with trio.move_on_after(0.05):
            await trio.sleep(100)
        raise ValueError("out of the loop")

    trio.run(main)


def greenlet():
    import greenlet
    order = []

    def one():
        order.append(1)
        second.switch()
        order.append(3)

    def two():
        order.append(2)
        first.switch()

    first, second = greenlet.greenlet(one), greenlet.greenlet(two)
    first.switch()
    seen = []
    greenlet.settrace(lambda event, _: seen.append(event))
    first, second = greenlet.greenlet(one), greenlet.greenlet(two)
    first.switch()
    greenlet.settrace(None)
    print(order, seen)


def children():
    import subprocess
    programs = os.path.dirname(os.path.abspath(__file__))
    read, write = os.pipe()
    for more in ({"close_fds": False}, {"env": {}}, {"pass_fds": (write,)}, {"start_new_session": True}, {"restore_signals": False},
                 {"preexec_fn": os.getpid}, {"cwd": "/"}, {"umask": 0o77} if sys.version_info >= (3, 9) else {}):
        out = subprocess.run(["sh", os.path.join(programs, "state.sh")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout
        print(sorted(more), out.decode())
    print(subprocess.run([sys.executable, "-c", "import sys; print(sys.argv)", "a b", ""], stdout=subprocess.PIPE).stdout)
    print(subprocess.run([sys.executable, "-IS", "-c", "import sys; print(len(sys.path), sys.flags)"], stdout=subprocess.PIPE).stdout)
    print(subprocess.getstatusoutput("echo $0; exit 3"), os.system("exit 5"), os.popen("echo popen").read())
    print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 6"), os.waitpid(os.posix_spawnp("sh", ["sh", "-c", "exit 7"], os.environ), 0)[1])
    try:
        subprocess.run(["sleep", "100"], timeout=0.1)
    except subprocess.TimeoutExpired as error:
        print(error.cmd, error.output)
    try:
        subprocess.Popen(["/nonexistent"])
    except OSError as error:
        print(error)


def signals():
    import select
    import signal
    import threading
    import time
    seen = []
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPROF, signal.SIGVTALRM, signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: seen.append(got))
        os.kill(os.getpid(), number)
    print(list(map(int, seen)))
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    signal.raise_signal(signal.SIGUSR1)
    print(list(os.read(read, 10)))
    signal.set_wakeup_fd(-1)
    del seen[:]
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
    while len(seen) < 20 or len(set(seen)) < 2:
        busy(1000)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR2)).start()
    print(int(signal.sigwait([signal.SIGUSR2])))
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("rung")))
    signal.alarm(1)
    try:
        time.sleep(100)
    except TimeoutError as error:
        print(error)
    begun = time.monotonic()
    print(select.select([read], [], [], 0.05), time.monotonic() - begun < 50)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(100)


def traces():
    import faulthandler
    import signal
    import threading
    import time
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, chain=False, all_threads=False)
    os.kill(os.getpid(), signal.SIGUSR1)
    faulthandler.dump_traceback(all_threads=True)
    faulthandler.dump_traceback_later(0.1, exit=False)
    waiting = threading.Event()
    waiting.wait(0.5)
    faulthandler.cancel_dump_traceback_later()
    time.sleep(0.01)
    faulthandler.dump_traceback_later(0.2, exit=True)
    waiting.wait(100)


def inner(n):
    return [n, sum(range(n))]


def tracing():
    import cProfile
    import io
    import threading
    events = []

    def record(frame, event, _):
        if frame.f_code.co_filename == __file__:
            events.append((frame.f_code.co_name, event))
        return record

    sys.settrace(record)
    inner(3)
    sys.settrace(None)
    sys.setprofile(lambda frame, event, _: events.append((frame.f_code.co_name, event)))
    inner(4)
    sys.setprofile(None)
    threading.setprofile(lambda frame, event, _: events.append((frame.f_code.co_name, event)) if frame.f_code is inner.__code__ else None)
    thread = threading.Thread(target=inner, args=(5,))
    thread.start()
    thread.join()
    threading.setprofile(None)
    print(events)
    profile = cProfile.Profile()
    profile.runcall(inner, 6)
    print(sorted((str(entry.code), entry.callcount) for entry in profile.getstats()))
    if hasattr(sys, "monitoring"):
        tool, events = sys.monitoring.PROFILER_ID, []
        sys.monitoring.use_tool_id(tool, "own")
        sys.monitoring.register_callback(tool, sys.monitoring.events.PY_START, lambda code, _: events.append(code.co_name))
        sys.monitoring.set_events(tool, sys.monitoring.events.PY_START)
        inner(7)
        sys.monitoring.set_events(tool, 0)
        print(events)
    import trace
    tracer = trace.Trace(count=1, trace=0)
    tracer.runfunc(inner, 8)
    print(sorted(tracer.results().counts.values()))
    import bdb
    import pdb
    try:
        pdb.Pdb(stdin=io.StringIO("s\ns\nw\nq\n"), stdout=sys.stdout).runcall(inner, 9)
    except bdb.BdbQuit:
        print("quit")


def memory():
    import gc
    import tracemalloc
    import weakref
    phases = []
    gc.callbacks.append(lambda phase, _: phases.append(phase))
    gc.collect()
    print(phases)
    tracemalloc.start()
    kept = [bytearray(1000) for _ in range(1000)]
    files = {trace.traceback[0].filename for trace in tracemalloc.take_snapshot().traces}
    print(sorted(os.path.basename(name) for name in files if name == __file__), len(kept))

    class Cycle:
        def __del__(self):
            print("deleted")

    cycle = Cycle()
    cycle.itself, reference = cycle, weakref.ref(cycle)
    del cycle
    print(gc.collect() > 0, reference())
    print(sys.getrefcount(object()), gc.get_objects().__len__() > 0, sys.getsizeof([]))


def ending(how="0"):
    import atexit
    import logging
    import threading
    for n in range(3):
        atexit.register(print, "atexit", n)
    threading.Thread(target=busy, args=(500000,)).start()
    logging.warning("logged")
    sys.stdout.write("not flushed, ")
    if how == "text":
        sys.exit("a reason")
    if how == "raise":
        raise ValueError("raised")
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "abort":
        os.abort()
    if how == "_exit":
        os._exit(77)
    if how == "hook":
        sys.excepthook = lambda kind, value, _: print("own", kind.__name__, value)
        raise ValueError("raised")
    if how == "atexit":
        atexit.register(lambda: 1 / 0)
    elif how == "closed":
        sys.stdout.close()
    else:
        sys.exit(int(how))


def deep():
    for limit in (1000, 10000):
        sys.setrecursionlimit(limit)
        depth = 0

        def down():
            nonlocal depth
            depth += 1
            down()

        try:
            down()
        except RecursionError as error:
            print(depth, error)
    import threading
    threading.stack_size(64 << 20)
    sys.setrecursionlimit(50000)

    def count(n):
        return 0 if n == 0 else 1 + count(n - 1)

    thread = threading.Thread(target=lambda: print(count(30000)))
    thread.start()
    thread.join()
    text = "[" * 100
    print(len(str(eval(text + "]" * 100))))


def descriptors():
    """Those that are open, those that the next ones get, and what is left when all are closed."""
    import tempfile
    first = [os.dup(1) for _ in range(5)]
    print(first, sorted(os.listdir("/proc/self/fd"), key=int), flush=True)
    os.closerange(3, 4096)
    with tempfile.TemporaryFile() as file:
        print(file.fileno())
    os.dup2(1, 100)
    os.close(0), os.close(2)
    print(os.open("/dev/null", os.O_RDWR), os.open("/dev/null", os.O_RDWR), flush=True)
    busy(500000)
    os.execvp("sh", ["sh", "-c", "ls /proc/$$/fd; echo end >&100"])


def limited():
    import resource
    import time
    for kind, value in ((resource.RLIMIT_NOFILE, 20), (resource.RLIMIT_FSIZE, 100), (resource.RLIMIT_NPROC, 50), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (value, value))
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    opened = 0
    try:
        while True:
            os.dup(0)
            opened += 1
    except OSError as error:
        print(opened, error)
    os.closerange(3, 100)
    try:
        with open("file", "wb", 0) as file:
            for _ in range(3):
                print(file.write(b"x" * 60))
    except OSError as error:
        print(error)
    time.sleep(0.1)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(54321)
        os.setuid(54321)
    os.chdir("/")
    print(os.getresuid(), os.nice(5), busy(500000))
    os.execvp("sh", ["sh", "-c", "ulimit -n; ulimit -f; nice; id -u"])


def moves():
    """Its own folder vanishes, its root changes, and it becomes another program twice."""
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")
    try:
        os.getcwd()
    except OSError as error:
        print(error)
    os.chdir("/")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, __file__, "again"])


def again():
    print(sys.argv[1:], os.getcwd(), flush=True)
    os.execvpe("sh", ["another name", "-c", "echo $0 $X; exit 8"], {"PATH": os.environ["PATH"], "X": "y"})


def daemon():
    print("parent", flush=True)
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 4096)
    os.open("daemon.new", os.O_CREAT | os.O_RDWR)
    os.dup(0), os.dup(0)
    print(os.getsid(0) == os.getpid(), busy(1000000), os.listdir("/proc/self/fd"), flush=True)
    os.rename("daemon.new", "daemon")


def server():
    import http.client
    import http.server
    import threading
    import urllib.request

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.path.encode() * 100)

        def log_message(self, *words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        for n in range(20):
            print(len(urllib.request.urlopen("http://127.0.0.1:%d/%d" % (served.server_port, n)).read()))
        connection = http.client.HTTPConnection("127.0.0.1", served.server_port)
        connection.request("POST", "/")
        print(connection.getresponse().status)
        served.shutdown()


def imports():
    """The order of finders, modules made by hand, import errors, reloads, and what an interpreter warns of."""
    import importlib
    import pkgutil
    import types
    import warnings
    with open("mine.py", "w") as file:
        file.write("import sys\nvalue = len(sys._getframe().f_code.co_name)\n")
    with open("faulty.py", "w") as file:
        file.write("def f(:\n")
    with open("warning.py", "w") as file:
        file.write("import warnings\nwarnings.warn('here', DeprecationWarning, stacklevel=2)\nx = '\\d'\n")
    sys.path.insert(0, os.getcwd())
    import mine
    print(mine.value, importlib.reload(mine) is mine, mine.__spec__.loader.__class__.__name__, importlib.util.find_spec("mine").origin == mine.__file__)
    for name in ("faulty", "absent", "os.absent"):
        try:
            importlib.import_module(name)
        except (ImportError, SyntaxError) as error:
            print(type(error).__name__, error)
    warnings.simplefilter("default")
    import warning
    print(warning.__name__)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "conjured":
                return importlib.machinery.ModuleSpec(name, Finder)

        @staticmethod
        def create_module(spec):
            return types.ModuleType(spec.name)

        @staticmethod
        def exec_module(module):
            module.value = 5

    sys.meta_path.insert(0, Finder)
    import conjured
    print(conjured.value, [found.name for found in pkgutil.iter_modules([os.getcwd()])])
    import inspect
    print(inspect.getsource(busy), inspect.stack()[-1].function, inspect.getfile(mine) == mine.__file__)
    raise RuntimeError("with notes") from ValueError("its cause")


def pickles():
    import copy
    import pickle
    import queue
    import threading
    print(pickle.loads(pickle.dumps(square))(3), pickle.dumps(queue.Empty()), copy.copy(threading.Thread.run) is threading.Thread.run)
    print(repr(queue.Queue.put), queue.Queue.get.__module__, threading.Thread.start.__qualname__, threading.Lock, os.fork, sys.exit)
    import inspect
    print(inspect.signature(queue.Queue.get), inspect.signature(threading.Thread.__init__), inspect.isbuiltin(os.fork), inspect.isfunction(queue.Queue.get))
    import concurrent.futures
    import socket
    import subprocess
    for one in (subprocess.Popen.__init__, subprocess.run, socket.socket.connect, concurrent.futures.Future.result, threading.Event.wait):
        try:
            print(one.__name__, one.__qualname__, one.__doc__, inspect.signature(one))
        except ValueError as error:
            print(error)


def interpreters():
    try:
        import _interpreters as module
    except ImportError:
        import _xxsubinterpreters as module
    one = module.create()
    found = (module.exec if hasattr(module, "exec") else module.run_string)(one, "import sys, threading; print(len(sys.argv), threading.active_count(), flush=True)")
    print(found, len(module.list_all()))
    module.destroy(one)


def terminal():
    import fcntl
    import struct
    import termios
    print([os.isatty(fd) for fd in range(3)], os.tcgetpgrp(0) == os.getpgrp(), struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8)))
    print(termios.tcgetattr(0)[:4])
    print(input("name? "), input())
    import curses
    curses.wrapper(lambda screen: (screen.addstr(0, 0, "drawn"), screen.refresh()))
    import getpass
    print(len(getpass.getpass("secret? ")))


def torch_trains():
    import torch
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(20, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    data = torch.utils.data.TensorDataset(torch.randn(200, 20), torch.randn(200, 1))
    for epoch in range(3):
        for x, y in torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, num_workers=2):
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        print(epoch, loss.item())
    hooked = []
    model[0].register_forward_hook(lambda *_: hooked.append("hook"))
    with torch.profiler.profile(with_stack=True) as profile:
        model(torch.ones(2, 20))
    print(hooked, sorted({event.name for event in profile.events() if event.name.startswith("aten::")}))
    with torch.no_grad(), torch.autograd.detect_anomaly(check_nan=True):
        print(torch.jit.trace(model, torch.ones(2, 20)).code, torch.utils._python_dispatch._get_current_dispatch_mode_stack())
    torch.save(model.state_dict(), "model.pt")
    try:
        torch.ones(2, 3) @ torch.ones(2, 3)
    except RuntimeError as error:
        print(error)


def torch_rank(rank, port):
    import torch
    import torch.distributed as dist
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:%d" % port, rank=rank, world_size=2)
    found = torch.full((3,), float(rank + 1))
    dist.all_reduce(found)
    dist.barrier()
    if rank == 0:
        print(found, flush=True)
    dist.destroy_process_group()


def torch_ranks():
    import socket
    import torch
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    torch.multiprocessing.spawn(torch_rank, (port,), nprocs=2)


def torch_compiles():
    import torch
    torch.manual_seed(1)
    function = torch.compile(lambda x: torch.relu(x @ x).sum() * 2, backend="aot_eager")
    print([function(torch.randn(8, 8)).item() for _ in range(3)], torch._dynamo.utils.counters["stats"]["unique_graphs"])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
