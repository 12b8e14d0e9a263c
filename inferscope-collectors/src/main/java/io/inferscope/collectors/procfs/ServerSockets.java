package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Tells which sockets are a server's: those that listen, and the connections that were accepted from them. Of both,
 * {@code /proc/PID/net/tcp} shows the state and the local port, which is the same; {@code /proc/PID/net/unix} shows the
 * flag and the path. A connection that a program opened itself has a port of its own.
 *
 * <p>The lists are read again for a socket that is not known yet: for at most a hundredth of the time, at most ten times
 * a second, and more rarely, down to every 32 s, while they do not contain it.
 */
public final class ServerSockets {
    private static final String SOCKET = "socket:[";
    private static final String[] LISTS = {"tcp", "tcp6"};
    private static final String LISTENS = "0A"; // include/net/tcp_states.h
    private static final String LISTENS_UNIX = "00010000"; // __SO_ACCEPTCON, include/uapi/linux/net.h
    private static final int LOCAL = 1; // Columns of the list of TCP sockets.
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int UNIX_FLAGS = 3; // Columns of the list of Unix sockets.
    private static final int UNIX_INODE = 6;
    private static final int UNIX_PATH = 7;
    private static final int MAX_LIST_BYTES = 1 << 20;
    private static final long SHORTEST_PERIOD_NS = 100_000_000L;
    private static final int PERIODS_PER_COST = 100;
    private static final long LONGEST_PERIOD_NS = 32_000_000_000L;

    private final OperatingSystem system;
    private final ProcFiles files;

    /** By the link of a descriptor: whether the socket is a server's, and whether it listens. */
    private final Map<String, Kind> known = new HashMap<>();

    private long nextReadNs = Long.MIN_VALUE;
    private long periodNs = SHORTEST_PERIOD_NS;

    private enum Kind {
        LISTENS,
        ACCEPTED,
        OTHER
    }

    /** What a thread waits for. */
    public enum Wait {
        /** Not, or not only, for clients. */
        OTHER,
        /** Only for a client to connect: there is no connection that it waits for. */
        CONNECTION,
        /** Only for clients to connect, or to send on connections that they opened. */
        REQUEST
    }

    public ServerSockets(OperatingSystem system, ProcFiles files) {
        this.system = system;
        this.files = files;
    }

    /**
     * Returns what a thread waits for that waits until one of some descriptors can be read.
     *
     * @param ofItself whether the process itself writes to what another descriptor reads, to wake the thread
     * @param observed whether an observed process holds the other end of a connection: what it does is recorded
     */
    public Wait waitOf(int pid, List<Integer> descriptors, IntPredicate ofItself, IntPredicate observed) {
        boolean serves = false;
        boolean connected = false;
        for (int descriptor : descriptors) {
            switch (kind(pid, descriptor)) {
                case LISTENS -> serves = true;
                case ACCEPTED -> {
                    if (observed.test(descriptor)) {
                        return Wait.OTHER;
                    }
                    connected = true;
                }
                case OTHER -> {
                    if (!ofItself.test(descriptor)) {
                        return Wait.OTHER;
                    }
                }
            }
        }
        return connected ? Wait.REQUEST : serves ? Wait.CONNECTION : Wait.OTHER;
    }

    private Kind kind(int pid, int descriptor) {
        String link = system.readLink("/proc/" + pid + "/fd/" + descriptor);
        if (link == null || !link.startsWith(SOCKET)) {
            return Kind.OTHER;
        }
        Kind kind = known.get(link);
        long nowNs = system.monotonicNs();
        if (kind == null && nowNs >= nextReadNs) {
            read(pid);
            kind = known.get(link);
            periodNs = kind == null ? Math.min(LONGEST_PERIOD_NS, 2 * periodNs) : SHORTEST_PERIOD_NS;
            nextReadNs = nowNs + Math.max(periodNs, PERIODS_PER_COST * (system.monotonicNs() - nowNs));
        }
        return kind == null ? Kind.OTHER : kind;
    }

    private void read(int pid) {
        known.clear();
        Map<String, String> connected = new HashMap<>();
        Set<String> listening = new HashSet<>();
        String folder = "/proc/" + pid + "/net/";
        for (String list : LISTS) {
            files.eachLine(folder + list, MAX_LIST_BYTES, line -> {
                String[] words = line.trim().split(" +", INODE + 2);
                if (words.length > INODE && words[LOCAL].indexOf(':') >= 0) {
                    String port = words[LOCAL].substring(words[LOCAL].lastIndexOf(':'));
                    add(words[INODE], port, words[STATE].equals(LISTENS), listening, connected);
                }
            });
        }
        files.eachLine(folder + "unix", MAX_LIST_BYTES, line -> {
            String[] words = line.trim().split(" +", UNIX_PATH + 1);
            if (words.length > UNIX_INODE) {
                String path = words.length > UNIX_PATH ? words[UNIX_PATH] : "";
                add(words[UNIX_INODE], path, words[UNIX_FLAGS].equals(LISTENS_UNIX), listening, connected);
            }
        });
        connected.forEach((link, end) -> known.put(link, listening.contains(end) ? Kind.ACCEPTED : Kind.OTHER));
    }

    private void add(String inode, String end, boolean listens, Set<String> listening, Map<String, String> connected) {
        String link = SOCKET + inode + ']';
        if (listens) {
            known.put(link, Kind.LISTENS);
            listening.add(end);
        } else if (!end.isEmpty()) {
            connected.put(link, end);
        }
    }
}
