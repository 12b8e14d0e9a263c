package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the process at the other end of a connection within this machine. {@code /proc/PID/net/tcp} lists both ends of
 * a TCP connection, each with the other's address as its remote one, and with the inode that the links of descriptors
 * name; of Unix sockets, such as those of Python's multiprocessing, the kernel tells each one's other end.
 *
 * <p>A child inherits its parent's descriptors, often both ends of a pair. A thread that waits for one end only waits
 * for the other process that holds the other end; of several ends, those that its own process can write to are to wake
 * itself.
 *
 * <p>The lists and the descriptors are read only for a socket that is not known yet: at most once a second, and more
 * rarely, down to every 32 s, while nothing is found.
 */
public final class SocketPeers {
    /** No process was found. */
    public static final int NOBODY = 0;

    private static final String SOCKET = "socket:[";
    private static final String EVENT = "anon_inode:[eventfd]";
    private static final String[] LISTS = {"tcp", "tcp6"};
    private static final String ESTABLISHED = "01"; // include/net/tcp_states.h
    private static final int LOCAL = 1; // Columns of the lists.
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int MAX_LIST_BYTES = 1 << 20;
    private static final int MAX_LINKS = 2048;
    private static final int MAX_KNOWN = 4096;

    /** The process itself holds the other end. */
    private static final int ITSELF = -1;

    /** Only a thread of the process ends a wait: an eventfd, or a pair of Unix sockets, as those that wake event loops. */
    private static final int WRITTEN_BY_ITSELF = -2;

    /** How long the answer for a descriptor is reused: an event loop waits for the same ones again and again. */
    private static final long REMEMBERED_NS = 1_000_000_000L;

    /** A connection is listed without the inode of an end that was not accepted yet, so it is searched for again. */
    private static final int MOST_SEARCHES = 3;

    private static final long SHORTEST_PERIOD_NS = 1_000_000_000L;
    private static final long LONGEST_PERIOD_NS = 32_000_000_000L;

    private final OperatingSystem system;
    private final ProcFiles files;

    /** By the link of a socket's descriptor, which holds its inode: the processes that hold the other end. */
    private final Map<String, Set<Integer>> peers = new HashMap<>();

    /** Those of them that are TCP connections. */
    private final Set<String> connections = new HashSet<>();

    private final Map<Long, Answer> remembered = new HashMap<>();

    private final Map<String, Integer> searches = new HashMap<>();
    private long nextSearchNs = Long.MIN_VALUE;
    private long periodNs = SHORTEST_PERIOD_NS;

    public SocketPeers(OperatingSystem system, ProcFiles files) {
        this.system = system;
        this.files = files;
    }

    private record Answer(int peer, long untilNs) {}

    /**
     * Returns the process that a thread waits for that waits for one socket: the only other process that holds the
     * other end; {@link #NOBODY} if none or several of them do, or it is not known yet.
     *
     * @param among the processes to look among
     */
    int peer(int pid, long descriptor, Collection<Integer> among) {
        if (among.size() < 2) {
            return NOBODY;
        }
        String link = system.readLink("/proc/" + pid + "/fd/" + descriptor);
        Set<Integer> others = new TreeSet<>(link == null ? Set.of() : holders(pid, link, among));
        others.remove(pid);
        return others.size() == 1 ? others.iterator().next() : NOBODY;
    }

    /**
     * Returns the process at the other end of all sockets that a thread waits for together; {@link #NOBODY} if it is
     * not known for one of them, such as one that listens, or differs. Other descriptors, and sockets to wake the
     * process itself, do not count.
     *
     * @param among the processes to look among
     */
    public int peerOfAll(int pid, List<Integer> descriptors, Collection<Integer> among) {
        if (descriptors.size() == 1) {
            return peer(pid, descriptors.get(0), among);
        }
        int found = NOBODY;
        for (int descriptor : among.size() < 2 ? List.<Integer>of() : descriptors) {
            int peer = remembered(pid, descriptor, among);
            if (peer == NOBODY || (peer > NOBODY && found != NOBODY && found != peer)) {
                return NOBODY;
            }
            found = peer < NOBODY ? found : peer;
        }
        return found;
    }

    /**
     * Returns whether the other ends of all sockets among some descriptors are the process's own: they are to wake
     * itself.
     *
     * @param among the processes to look among
     */
    public boolean areToWakeItself(int pid, List<Integer> descriptors, Collection<Integer> among) {
        return descriptors.stream().allMatch(descriptor -> remembered(pid, descriptor, among) < NOBODY);
    }

    /**
     * Returns whether all of some descriptors are eventfds, or Unix sockets whose other ends are the process's own:
     * only one of its threads writes to them.
     *
     * @param among the processes to look among
     */
    public boolean areWrittenByItself(int pid, List<Integer> descriptors, Collection<Integer> among) {
        return descriptors.stream().allMatch(descriptor -> remembered(pid, descriptor, among) == WRITTEN_BY_ITSELF);
    }

    /** Returns whether an observed process holds the other end of a descriptor's socket, the process itself included. */
    public boolean isAmong(int pid, int descriptor, Collection<Integer> among) {
        return remembered(pid, descriptor, among) != NOBODY;
    }

    private int remembered(int pid, int descriptor, Collection<Integer> among) {
        long key = (long) pid << 32 | descriptor;
        long nowNs = system.monotonicNs();
        Answer known = remembered.get(key);
        if (known == null || known.untilNs - nowNs < 0) {
            if (remembered.size() >= MAX_KNOWN) {
                remembered.clear();
            }
            known = new Answer(found(pid, descriptor, among), nowNs + REMEMBERED_NS);
            remembered.put(key, known);
        }
        return known.peer;
    }

    private int found(int pid, int descriptor, Collection<Integer> among) {
        String link = system.readLink("/proc/" + pid + "/fd/" + descriptor);
        if (link == null) {
            return NOBODY;
        }
        Set<Integer> holders = holders(pid, link, among);
        if (holders.contains(pid)) {
            boolean connects = link.startsWith(SOCKET) ? connections.contains(link) : !link.equals(EVENT);
            return connects ? ITSELF : WRITTEN_BY_ITSELF;
        }
        return holders.size() == 1 ? holders.iterator().next() : NOBODY;
    }

    /** Returns the processes that hold the other end of a link's socket; of what is no socket, the process itself. */
    private Set<Integer> holders(int pid, String socket, Collection<Integer> among) {
        if (!socket.startsWith(SOCKET)) {
            return Set.of(pid);
        }
        Set<Integer> known = peers.get(socket);
        long nowNs = system.monotonicNs();
        if (known == null && nowNs >= nextSearchNs && searches.merge(socket, 1, Integer::sum) <= MOST_SEARCHES) {
            search(pid, among);
            known = peers.get(socket);
            periodNs = known == null ? Math.min(LONGEST_PERIOD_NS, 2 * periodNs) : SHORTEST_PERIOD_NS;
            nextSearchNs = nowNs + periodNs;
        }
        return known == null ? Set.of() : known.stream().filter(among::contains).collect(Collectors.toSet());
    }

    private void search(int pid, Collection<Integer> among) {
        if (peers.size() + searches.size() > MAX_KNOWN) {
            peers.clear();
            connections.clear();
            searches.clear();
        }
        Map<String, String> byEnds = new HashMap<>();
        for (String list : LISTS) {
            files.eachLine("/proc/" + pid + "/net/" + list, MAX_LIST_BYTES, line -> add(byEnds, line));
        }
        Map<Integer, Integer> unix = system.unixPeers();
        if (byEnds.isEmpty() && unix.isEmpty()) {
            return;
        }
        Map<String, Set<Integer>> holders = holders(among);
        byEnds.forEach((ends, socket) -> {
            int blank = ends.indexOf(' ');
            String other = byEnds.get(ends.substring(blank + 1) + ' ' + ends.substring(0, blank));
            Set<Integer> found = other == null ? null : holders.get(other);
            if (found != null) {
                peers.put(socket, found);
                connections.add(socket);
            }
        });
        unix.forEach((inode, other) -> {
            String socket = link(Integer.toUnsignedString(inode));
            Set<Integer> found = holders.get(link(Integer.toUnsignedString(other)));
            if (found != null && holders.containsKey(socket)) {
                peers.put(socket, found);
            }
        });
    }

    private static String link(String inode) {
        return SOCKET + inode + ']';
    }

    private static void add(Map<String, String> byEnds, String line) {
        String[] words = line.trim().split(" +", INODE + 2);
        if (words.length > INODE && words[STATE].equals(ESTABLISHED) && !words[INODE].equals("0")) {
            byEnds.put(plain(words[LOCAL]) + ' ' + plain(words[REMOTE]), link(words[INODE]));
        }
    }

    /** An IPv4 address in the list of IPv6 sockets, {@code ::ffff:a.b.c.d}, as that of IPv4 sockets shows it. */
    private static String plain(String address) {
        String mapped = "0000000000000000FFFF0000";
        return address.startsWith(mapped) ? address.substring(mapped.length()) : address;
    }

    /** Returns which of the processes hold each socket. */
    private Map<String, Set<Integer>> holders(Collection<Integer> among) {
        Map<String, Set<Integer>> holders = new HashMap<>();
        int links = 0;
        for (int pid : among) {
            String folder = "/proc/" + pid + "/fd";
            @Nullable String @Nullable [] names = system.list(folder);
            for (int i = 0; names != null && i < names.length && links < MAX_LINKS; i++, links++) {
                String target = system.readLink(folder + '/' + names[i]);
                if (target != null && target.startsWith(SOCKET)) {
                    holders.computeIfAbsent(target, t -> new TreeSet<>()).add(pid);
                }
            }
        }
        return holders;
    }
}
