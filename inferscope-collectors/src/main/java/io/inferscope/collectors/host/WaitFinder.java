package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.DescriptorKinds;
import io.inferscope.collectors.procfs.PipePeers;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.ProcText;
import io.inferscope.collectors.procfs.ServerSockets;
import io.inferscope.collectors.procfs.SocketPeers;
import io.inferscope.collectors.procfs.SystemCalls;
import io.inferscope.collectors.procfs.SystemCalls.Arguments;
import io.inferscope.collectors.procfs.SystemCalls.Call;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the reason of a sleeping thread's wait, from {@code /proc/TID/syscall}: {@code number arg0 ... arg5 sp pc}
 * (proc(5)).
 */
final class WaitFinder {
    private static final int FUTEX_VECTOR_ADDRESS = 8; // struct futex_waitv: u64 val, u64 uaddr (linux/futex.h)
    private static final int FUTEX_VECTOR_BYTES = 16;

    /** Calls that wait until a peer takes what was sent, or answers. */
    private static final Set<String> SENDS =
            Set.of("write", "writev", "sendto", "sendmsg", "sendmmsg", "sendfile", "connect");

    private final SystemCalls calls;
    private final ProcFiles files;
    private final DescriptorKinds descriptors;
    private final PipePeers peers;
    private final SocketPeers sockets;
    private final ServerSockets servers;
    private final Supplier<Collection<Integer>> observed;
    private final PolledDescriptors polled;
    private final Futexes futexes;
    private final TargetMemory memory;
    private final long[] arguments = new long[4];

    /**
     * @param observed the observed processes, among which the other end of a socket is looked for
     */
    WaitFinder(
            OperatingSystem system,
            TargetMemory memory,
            InterpreterLocks interpreters,
            Supplier<Collection<Integer>> observed) {
        this.observed = observed;
        files = new ProcFiles(system);
        calls = SystemCalls.of(System.getProperty("os.arch", ""));
        descriptors = new DescriptorKinds(system);
        peers = new PipePeers(system, files);
        sockets = new SocketPeers(system, files);
        servers = new ServerSockets(system, files);
        polled = new PolledDescriptors(memory, files);
        futexes = new Futexes(memory, interpreters, files::hasThread);
        this.memory = memory;
    }

    /**
     * The cause.
     *
     * @param futex the futex wait behind it, if any
     * @param timeoutNs of a wait for nothing but a wake-up, or for several sockets, such as an event loop's until its
     *     next timer; 0 for none
     */
    record Found(WaitCause cause, Futexes.@Nullable Wait futex, long timeoutNs) {
        private Found(WaitReason reason, String call) {
            this(new WaitCause(reason, call), null, 0);
        }
    }

    /** Returns the cause of a wait of thread {@code tid} by its line; null if its call is not known to block. */
    @Nullable
    Found find(int pid, int tid, byte[] line, int length) {
        Call call = calls.call((int) ProcText.number(line, 0, length, 0));
        if (call == null) {
            return null;
        }
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = ProcText.hexadecimal(line, length, i + 1);
        }
        Futexes.Wait futex = futex(call.arguments(), pid, tid, arguments);
        if (futex != null) {
            return new Found(futexes.cause(futex, call.name()), futex, 0);
        }
        List<Integer> descriptors = descriptors(call.arguments(), pid);
        WaitReason reason = reason(call, pid, tid, descriptors);
        int peer =
                reason == WaitReason.SOCKET ? sockets.peerOfAll(pid, descriptors, observed.get()) : SocketPeers.NOBODY;
        boolean mayBeForTimer = reason == WaitReason.PIPE || (reason == WaitReason.SOCKET && descriptors.size() > 1);
        long timeoutNs = mayBeForTimer ? timeoutNs(call, arguments) : 0;
        if (timeoutNs > 0 && reason == WaitReason.PIPE && isForTimer(pid, descriptors)) {
            return new Found(WaitReason.TIMER, WaitDetail.OF_LOOP.text());
        }
        String detail = reason == WaitReason.SOCKET
                ? forClients(call, pid, descriptors)
                : reason == WaitReason.PIPE && isOfLoop(call, pid, descriptors)
                        ? WaitDetail.OF_LOOP.text()
                        : call.name();
        return new Found(new WaitCause(reason, detail, 0, peer), null, timeoutNs);
    }

    /** Returns the detail of a wait for sockets: that it is for clients of the process, or the call. */
    private String forClients(Call call, int pid, List<Integer> numbers) {
        if (SENDS.contains(call.name()) || numbers.isEmpty()) {
            return call.name();
        }
        return switch (servers.waitOf(
                pid,
                numbers,
                number -> sockets.areToWakeItself(pid, List.of(number), observed.get()),
                number -> sockets.isAmong(pid, number, observed.get()))) {
            case CONNECTION -> WaitDetail.FOR_CONNECTION.text();
            case REQUEST -> WaitDetail.FOR_REQUEST.text();
            case OTHER -> call.name();
        };
    }

    /** Returns whether a thread polls nothing but what its own process writes to. */
    private boolean isOfLoop(Call call, int pid, List<Integer> polled) {
        return switch (call.arguments()) {
            case POLL, SELECT, EPOLL ->
                sockets.areToWakeItself(pid, polled, observed.get()) && peers.areOwn(pid, polled);
            default -> false;
        };
    }

    /** Returns whether nothing but its timeout can end a wait: another thread of the process could, but there is none. */
    private boolean isForTimer(int pid, List<Integer> polled) {
        return files.stat(Integer.toString(pid)).threads() == 1
                && sockets.areWrittenByItself(pid, polled, observed.get());
    }

    /** Returns the descriptors that a thread waits for, as far as they can be read. */
    private List<Integer> descriptors(Arguments kind, int pid) {
        return switch (kind) {
            case DESCRIPTOR, SOCKET -> List.of((int) arguments[0]);
            case POLL -> arguments[1] == 0 ? List.of() : polled.poll(pid, arguments[0], arguments[1]);
            case SELECT ->
                arguments[0] == 0
                        ? List.of()
                        : polled.select(pid, arguments[0], new long[] {arguments[1], arguments[2], arguments[3]});
            case EPOLL -> polled.epoll(pid, arguments[0]);
            default -> List.of();
        };
    }

    /** Returns the timeout of poll(2), epoll_wait(2) and epoll_pwait(2), in ns; 0 without one. */
    private static long timeoutNs(Call call, long[] arguments) {
        int milliseconds = switch (call.name()) {
            case "poll" -> (int) arguments[2];
            case "epoll_wait", "epoll_pwait" -> (int) arguments[3];
            default -> 0;
        };
        return Math.max(0, milliseconds) * 1_000_000L;
    }

    /** Returns the current cause of a thread that has been waiting since the last reading. */
    WaitCause again(Futexes.Wait futex, WaitCause before) {
        return futexes.again(futex, before);
    }

    private Futexes.@Nullable Wait futex(Arguments kind, int pid, int tid, long[] arguments) {
        return switch (kind) {
            case FUTEX ->
                new Futexes.Wait(pid, tid, arguments[0], (int) arguments[1], (int) arguments[2], arguments[3] != 0);
            case FUTEX_WAIT -> new Futexes.Wait(pid, tid, arguments[0], 0, (int) arguments[1], true);
            case FUTEX_VECTOR -> {
                ByteBuffer first = memory.read(pid, arguments[0], FUTEX_VECTOR_BYTES);
                long address = first == null ? 0 : first.getLong(FUTEX_VECTOR_ADDRESS);
                yield new Futexes.Wait(pid, tid, address, 0, first == null ? 0 : (int) first.getLong(0), true);
            }
            default -> null;
        };
    }

    /** The reason of a wait. A poll or select without descriptors is a sleep: Python's time.sleep before 3.11. */
    private WaitReason reason(Call call, int pid, int tid, List<Integer> numbers) {
        return switch (call.arguments()) {
            case DESCRIPTOR -> ofPipe(descriptors.reason(pid, arguments[0]), pid, tid, numbers);
            case POLL -> arguments[1] == 0 ? WaitReason.TIMER : polled(call, pid, tid, numbers);
            case SELECT -> arguments[0] == 0 ? WaitReason.TIMER : polled(call, pid, tid, numbers);
            case EPOLL -> polled(call, pid, tid, numbers);
            default -> call.reason();
        };
    }

    private WaitReason polled(Call call, int pid, int tid, List<Integer> numbers) {
        WaitReason found = descriptors.polled(pid, numbers);
        if (found == WaitReason.SOCKET && isForChild(pid, tid, numbers)) {
            return WaitReason.CHILD_PROCESS;
        }
        // As with an eventfd, nothing but a thread of its own, or the timeout, ends the wait.
        if (found == WaitReason.SOCKET && sockets.areWrittenByItself(pid, numbers, observed.get())) {
            return WaitReason.PIPE;
        }
        return found == null ? call.reason() : ofPipe(found, pid, tid, numbers);
    }

    /**
     * Returns whether an event loop that waits for no other process waits for the output of a child. Sockets are asked
     * first: their answers are remembered, and a server has many.
     */
    private boolean isForChild(int pid, int tid, List<Integer> numbers) {
        return numbers.size() > 1
                && sockets.areToWakeItself(pid, numbers, observed.get())
                && peers.isWithChild(pid, tid, numbers);
    }

    /** A thread that waits for a pipe whose other end a child holds waits for that child. */
    private WaitReason ofPipe(WaitReason found, int pid, int tid, List<Integer> numbers) {
        return found == WaitReason.PIPE && peers.isWithChild(pid, tid, numbers) ? WaitReason.CHILD_PROCESS : found;
    }
}
