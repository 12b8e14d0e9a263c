package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.Kernel;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the process at the other end of a TCP connection within this machine. {@code /proc/PID/net/tcp} lists both ends,
 * each with the other's address as its remote one, and with the inode that the links of descriptors name.
 *
 * <p>The lists and the descriptors are read only for a socket that is not known yet: at most once a second, and more
 * rarely, down to every 32 s, while nothing is found.
 */
public final class SocketPeers {
    /** No process was found. */
    public static final int NOBODY = 0;

    private static final String SOCKET = "socket:[";
    private static final String[] LISTS = {"tcp", "tcp6"};
    private static final String ESTABLISHED = "01"; // include/net/tcp_states.h
    private static final int LOCAL = 1; // Columns of the lists.
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int MAX_LIST_BYTES = 1 << 20;
    private static final int MAX_LINKS = 2048;
    private static final int MAX_KNOWN = 4096;

    /** A connection is listed without the inode of an end that was not accepted yet, so it is searched for again. */
    private static final int MOST_SEARCHES = 3;

    private static final long SHORTEST_PERIOD_NS = 1_000_000_000L;
    private static final long LONGEST_PERIOD_NS = 32_000_000_000L;

    private final Kernel kernel;
    private final ProcFiles files;

    /** By the link of a socket's descriptor, which holds its inode. */
    private final Map<String, Integer> peers = new HashMap<>();

    private final Map<String, Integer> searches = new HashMap<>();
    private long nextSearchNs = Long.MIN_VALUE;
    private long periodNs = SHORTEST_PERIOD_NS;

    public SocketPeers(Kernel kernel, ProcFiles files) {
        this.kernel = kernel;
        this.files = files;
    }

    /**
     * Returns the process that alone holds the other end of a socket, {@link #NOBODY} if none of them does or it is not
     * known yet.
     *
     * @param among the processes to look among
     */
    public int peer(int pid, long descriptor, Collection<Integer> among) {
        String socket = among.size() < 2 ? null : kernel.readLink("/proc/" + pid + "/fd/" + descriptor);
        if (socket == null || !socket.startsWith(SOCKET)) {
            return NOBODY;
        }
        Integer known = peers.get(socket);
        long nowNs = kernel.monotonicNs();
        if (known == null && nowNs >= nextSearchNs && searches.merge(socket, 1, Integer::sum) <= MOST_SEARCHES) {
            search(pid, among);
            known = peers.get(socket);
            periodNs = known == null ? Math.min(LONGEST_PERIOD_NS, 2 * periodNs) : SHORTEST_PERIOD_NS;
            nextSearchNs = nowNs + periodNs;
        }
        return known == null || !among.contains(known) ? NOBODY : known;
    }

    private void search(int pid, Collection<Integer> among) {
        if (peers.size() + searches.size() > MAX_KNOWN) {
            peers.clear();
            searches.clear();
        }
        Map<String, String> byEnds = new HashMap<>();
        for (String list : LISTS) {
            files.eachLine("/proc/" + pid + "/net/" + list, MAX_LIST_BYTES, line -> add(byEnds, line));
        }
        if (byEnds.isEmpty()) {
            return;
        }
        Map<String, Integer> holders = holders(among);
        byEnds.forEach((ends, socket) -> {
            int blank = ends.indexOf(' ');
            String other = byEnds.get(ends.substring(blank + 1) + ' ' + ends.substring(0, blank));
            int holder = other == null ? NOBODY : holders.getOrDefault(other, NOBODY);
            if (holder != NOBODY) {
                peers.put(socket, holder);
            }
        });
    }

    private static void add(Map<String, String> byEnds, String line) {
        String[] words = line.trim().split(" +", INODE + 2);
        if (words.length > INODE && words[STATE].equals(ESTABLISHED) && !words[INODE].equals("0")) {
            byEnds.put(plain(words[LOCAL]) + ' ' + plain(words[REMOTE]), SOCKET + words[INODE] + ']');
        }
    }

    /** An IPv4 address in the list of IPv6 sockets, {@code ::ffff:a.b.c.d}, as that of IPv4 sockets shows it. */
    private static String plain(String address) {
        String mapped = "0000000000000000FFFF0000";
        return address.startsWith(mapped) ? address.substring(mapped.length()) : address;
    }

    /** Returns which of the processes holds each socket; {@link #NOBODY} if several do. */
    private Map<String, Integer> holders(Collection<Integer> among) {
        Map<String, Integer> holders = new HashMap<>();
        int links = 0;
        for (int pid : among) {
            String folder = "/proc/" + pid + "/fd";
            @Nullable String @Nullable [] names = kernel.list(folder);
            for (int i = 0; names != null && i < names.length && links < MAX_LINKS; i++, links++) {
                String target = kernel.readLink(folder + '/' + names[i]);
                if (target != null && target.startsWith(SOCKET)) {
                    holders.merge(target, pid, (one, other) -> one.equals(other) ? one : NOBODY);
                }
            }
        }
        return holders;
    }
}
