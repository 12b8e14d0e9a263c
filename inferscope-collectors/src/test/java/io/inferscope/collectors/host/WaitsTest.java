package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.fixture.NamingProgram;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Until;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What real threads wait for, found from outside. One program has a thread asleep in each kind of call. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class WaitsTest {
    private static final String SLEEPERS = """
            import ctypes, fcntl, multiprocessing, os, select, signal, socket, subprocess, sys, tempfile, threading, time
            libc = ctypes.CDLL(None, use_errno=True)
            mutex = ctypes.create_string_buffer(64); libc.pthread_mutex_init(mutex, None)
            pipe, sockets, event = os.pipe(), socket.socketpair(), libc.eventfd(0, 0)
            timer = libc.timerfd_create(1, 0)
            held = threading.Event()
            def holder(): libc.pthread_mutex_lock(mutex); held.set(); libc.pause()
            def poll(*fds):
                poll = select.poll()
                for fd in fds: poll.register(fd, select.POLLIN)
                poll.poll()
            def epoll(*fds):
                epoll = select.epoll()
                for fd in fds: epoll.register(fd, select.EPOLLIN)
                epoll.poll()
            def child(): os.waitpid(os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '1000'), 0)
            def pidfd(): poll(os.pidfd_open(os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '1000')))
            shared = multiprocessing.Lock()
            shared.acquire()
            # Two open files of one process keep each other out by flock; by record locks only two processes do.
            locked = tempfile.TemporaryFile()
            fcntl.flock(locked, fcntl.LOCK_EX)
            server = socket.create_server(('127.0.0.1', 0))
            client = socket.create_connection(server.getsockname())
            accepted = server.accept()[0]
            other = os.fork()
            if other == 0:
                fcntl.lockf(locked, fcntl.LOCK_EX)
                os.write(pipe[1], b'locked')
                signal.pause()
            accepted.close()
            # A client that no observed process is: it connects and asks nothing.
            idle = socket.create_server(('127.0.0.1', 0))
            asker = subprocess.Popen([sys.executable, '-c', 'import socket, sys, time; s = socket.create_connection(("127.0.0.1", int(sys.argv[1]))); time.sleep(1000)', str(idle.getsockname()[1])])
            asked = idle.accept()[0]
            ended = os.pipe(); holds = subprocess.Popen(['sleep', '1000'], pass_fds=[ended[1]]); os.close(ended[1])
            print('other', other)
            os.read(pipe[0], 6)
            def piped(): return subprocess.Popen(['sleep', '1000'], stdout=subprocess.PIPE).stdout
            # Python joins through a lock of its own; C's pthread_join waits for the thread id to be cleared.
            before, joined = set(os.listdir('/proc/self/task')), ctypes.c_ulong()
            libc.pthread_create(ctypes.byref(joined), None, libc.pause, None)
            print('joined', (set(os.listdir('/proc/self/task')) - before).pop())
            def join(): libc.pthread_join(joined, None)
            jobs = dict(
                holder=holder, mutex=lambda: libc.pthread_mutex_lock(mutex), join=join,
                condition=threading.Event().wait, timedCondition=lambda: threading.Event().wait(1000), sharedLock=shared.acquire, sleep=lambda: time.sleep(1000),
                selectSleep=lambda: select.select([], [], [], 1000),
                readPipe=lambda: os.read(pipe[0], 1), readEvent=lambda: os.read(event, 8), readSocket=lambda: sockets[0].recv(1),
                pollPipe=lambda: poll(pipe[0]), pollBoth=lambda: poll(pipe[0], sockets[0].fileno()), pollTimer=lambda: poll(timer),
                selectPipe=lambda: select.select([pipe[0]], [], []), epollSocket=lambda: epoll(sockets[0].fileno(), client.fileno()),
                loop=lambda: epoll(sockets[0].fileno()),
                epollPipe=lambda: epoll(pipe[0]), child=child, pidfd=pidfd,
                flock=lambda: fcntl.flock(os.open('/proc/self/fd/%d' % locked.fileno(), os.O_RDWR), fcntl.LOCK_EX),
                lockf=lambda: fcntl.lockf(locked, fcntl.LOCK_EX),
                readPeer=lambda: client.recv(1), pollPeer=lambda: poll(client.fileno()),
                readChild=lambda: piped().read(), pollChild=lambda: poll(piped().fileno()),
                loopChild=lambda: epoll(sockets[0].fileno(), piped().fileno()), servesWithChild=lambda: epoll(server.fileno(), piped().fileno()),
                pollEnd=lambda: poll(ended[0]), accept=idle.accept, servesAll=lambda: epoll(idle.fileno(), asked.fileno(), event), reads=lambda: asked.recv(1),
                servesAndAsks=lambda: epoll(idle.fileno(), client.fileno()))
            threads = {}
            for name, job in jobs.items():
                threads[name] = threading.Thread(target=job, daemon=True)
                threads[name].start()
                if name == 'holder': held.wait()
            for name, thread in threads.items(): print(name, thread.native_id)
            # Until all have come to rest. One that still waits for the GIL, or for a CPU, is switched or runs meanwhile.
            def looks():
                return [[line for line in open('/proc/self/task/%d/status' % thread.native_id) if 'State' in line or 'switches' in line]
                        for thread in threads.values()]
            earlier = []
            while looks() != earlier or any('sleeping' not in one[0] for one in earlier):
                earlier = looks()
                time.sleep(0.3)
            print('ready 0', flush=True)
            sys.stdin.read()
            """;

    private static final Map<String, Integer> ids = new HashMap<>();
    private static Process program;

    @BeforeAll
    static void start() throws Exception {
        program = NamingProgram.start(SLEEPERS, ids);
    }

    @AfterAll
    static void end() {
        NamingProgram.end(program);
    }

    @ParameterizedTest
    @CsvSource({
        "mutex, LOCK",
        "condition, FUTEX",
        "sleep, TIMER",
        "selectSleep, TIMER",
        "readPipe, PIPE",
        "readEvent, PIPE",
        "readSocket, SOCKET",
        "pollPipe, PIPE",
        "pollBoth, SOCKET",
        "pollTimer, TIMER",
        "selectPipe, PIPE",
        "epollSocket, SOCKET",
        "loop, PIPE",
        "epollPipe, PIPE",
        "child, CHILD_PROCESS",
        "pidfd, CHILD_PROCESS",
        "flock, LOCK",
        "lockf, LOCK",
        "readChild, CHILD_PROCESS",
        "pollChild, CHILD_PROCESS",
        "loopChild, CHILD_PROCESS",
        "servesWithChild, SOCKET"
    })
    void callAndWhatItWaitsOnNameTheReason(String name, WaitReason expected) {
        assertThat(cause(name, NoStacks.NONE).reason()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"readPeer", "pollPeer"})
    void processAtTheOtherEndOfAConnectionIsNamed(String name) {
        WaitCause cause = cause(name, NoStacks.NONE);
        assertThat(cause.reason()).isEqualTo(WaitReason.SOCKET);
        assertThat(cause.holderTid()).isEqualTo(ids.get("other"));
    }

    @Test
    void ownerOfAMutexIsNamed() {
        WaitCause cause = cause("mutex", NoStacks.NONE);
        assertThat(cause.holderTid()).isEqualTo(ids.get("holder"));
        assertThat(cause.futexAddress()).isNotZero();
    }

    @Test
    void joinedThreadIsNamedButItsEndIsNoLock() {
        WaitCause cause = cause("join", NoStacks.NONE);
        assertThat(cause.reason()).isEqualTo(WaitReason.FUTEX);
        assertThat(cause.holderTid()).isEqualTo(ids.get("joined"));
    }

    @Test
    void conditionHasNoHolder() {
        assertThat(cause("condition", NoStacks.NONE).holderTid()).isZero();
    }

    /** A queue's consumer, rather than a thread that sleeps at most so long, or that another process may wake. */
    @ParameterizedTest
    @CsvSource({"condition, true", "timedCondition, false", "sharedLock, false", "sleep, false"})
    void waitsThatOnlyTheirOwnProcessEndsAreMarked(String name, boolean expected) {
        assertThat(cause(name, NoStacks.NONE).detail().equals(WaitDetail.ENDED_BY_OWN_PROCESS.text()))
                .isEqualTo(expected);
    }

    /** A connection that the process opened itself, or whose other end is observed, is no client's. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "accept | accepts",
                "servesAll | accepts, or reads of a client",
                "reads | accepts, or reads of a client",
                "servesAndAsks | epoll_wait",
                "readPeer | recvfrom",
                "epollSocket | epoll_wait"
            })
    void waitsOfServersForTheirClientsAreMarked(String name, String expected) {
        assertThat(cause(name, NoStacks.NONE).detail()).isEqualTo(expected);
    }

    /** Of a pipe the program holds both ends. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loop | polls, no connection",
                "epollPipe | polls, no connection",
                "selectPipe | polls, no connection",
                "pollEnd | poll",
                "readPipe | read"
            })
    void loopsThatOnlyTheirOwnProcessWakesAreMarked(String name, String expected) {
        assertThat(cause(name, NoStacks.NONE).detail()).isEqualTo(expected);
    }

    @Test
    void interpreterIsAskedWhetherTheFutexIsItsLock() {
        long address = cause("condition", NoStacks.NONE).futexAddress();
        WaitCause cause = cause("condition", gilAt(address, 77));
        assertThat(cause).isEqualTo(new WaitCause(WaitReason.GIL, "futex", address, 77));
    }

    @Test
    void threadDoesNotWaitForItself() {
        long address = cause("condition", NoStacks.NONE).futexAddress();
        assertThat(cause("condition", gilAt(address, ids.get("condition"))).holderTid())
                .isZero();
    }

    @Test
    void memoryThatCannotBeReadLeavesThePlainReason() {
        Futexes.Wait nowhere = new Futexes.Wait((int) program.pid(), ids.get("mutex"), 8, 0, 2, true);
        LinuxSystem system = new LinuxSystem();
        Futexes futexes = new Futexes(new TargetMemory(system), NoStacks.NONE, (pid, tid) -> true);
        assertThat(futexes.cause(nowhere, "futex")).isEqualTo(new WaitCause(WaitReason.FUTEX, "futex", 8, 0));
    }

    private static InterpreterLocks gilAt(long gilAddress, int holder) {
        return new InterpreterLocks() {
            @Override
            public boolean isGil(int pid, long futexAddress) {
                return pid == program.pid() && futexAddress == gilAddress;
            }

            @Override
            public int gilHolder(int pid) {
                return holder;
            }
        };
    }

    /** Nothing else can end the wait: there is no other thread to wake the loop, nor a connection. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"asyncio.sleep(1000)|TIMER", "asyncio.to_thread(time.sleep, 1000)|PIPE"})
    void anEventLoopWithoutThreadsAndConnectionsAwaitsItsTimer(String awaited, WaitReason expected) throws Exception {
        Map<String, Integer> own = new HashMap<>();
        Process loop = NamingProgram.start("""
                import asyncio, os, time
                async def main():
                    asyncio.get_running_loop().call_later(1000, print)
                    print('ready', os.getpid(), flush=True)
                    await %s
                asyncio.run(main())
                """.formatted(awaited), own);
        try {
            int pid = own.get("ready");
            Until.holds(() -> cause(pid, pid, NoStacks.NONE).reason() == expected);
        } finally {
            NamingProgram.end(loop);
        }
    }

    private static WaitCause cause(String name, InterpreterLocks interpreters) {
        return cause((int) program.pid(), ids.get(name), interpreters);
    }

    private static WaitCause cause(int pid, int tid, InterpreterLocks interpreters) {
        LinuxSystem system = new LinuxSystem();
        TargetMemory memory = new TargetMemory(system);
        SampledThread.Context context = new SampledThread.Context(
                system,
                new WaitFinder(system, memory, interpreters, () -> List.of(pid, ids.get("other"))),
                new NumaWatch(system, discarded -> {}),
                new PerfWatch(system, discarded -> {}, false),
                new HostCounts());
        WaitCause[] last = {WaitCause.UNKNOWN};
        StateAccount account = new StateAccount(new StateAccount.Lag(0), 0, 0, 0, interval -> last[0] = interval.cause);
        SampledThread thread = new SampledThread(context, pid, tid, account);
        thread.sample();
        thread.sample();
        thread.finish();
        memory.close(pid);
        return last[0];
    }
}
