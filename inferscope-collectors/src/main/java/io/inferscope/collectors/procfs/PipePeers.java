package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The processes that hold the other end of a pipe. Both ends of a pipe have one inode, which the links of descriptors
 * name; a process that keeps the other end for itself has a second descriptor with that inode.
 */
public record PipePeers(OperatingSystem system, ProcFiles files) {
    /** Most children examined; a wait for others remains a wait for a pipe. */
    private static final int MAX_CHILDREN = 16;

    private static final int MAX_DESCRIPTORS = 256;

    /**
     * Returns whether a child process that a thread started holds the other end of one of these descriptors, and its
     * own process does not.
     */
    public boolean isWithChild(int pid, int tid, Iterable<Integer> descriptors) {
        List<Integer> children = new ArrayList<>();
        files.children(pid, tid, children);
        if (children.isEmpty()) {
            return false;
        }
        for (int descriptor : descriptors) {
            String pipe = system.readLink("/proc/" + pid + "/fd/" + descriptor);
            if (pipe != null && pipe.startsWith("pipe:") && ends(pid, pipe, 2) == 1 && isHeld(children, pipe)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a process holds both ends of all pipes among some descriptors. */
    public boolean areOwn(int pid, Iterable<Integer> descriptors) {
        for (int descriptor : descriptors) {
            String pipe = system.readLink("/proc/" + pid + "/fd/" + descriptor);
            if (pipe == null || (pipe.startsWith("pipe:") && ends(pid, pipe, 2) < 2)) {
                return false;
            }
        }
        return true;
    }

    private boolean isHeld(List<Integer> children, String pipe) {
        return children.stream().limit(MAX_CHILDREN).anyMatch(child -> ends(child, pipe, 1) > 0);
    }

    /** Returns how many descriptors of a process are ends of a pipe, counted up to {@code enough}. */
    private int ends(int pid, String pipe, int enough) {
        String folder = "/proc/" + pid + "/fd";
        @Nullable String @Nullable [] names = system.list(folder);
        int found = 0;
        for (int i = 0; names != null && i < Math.min(MAX_DESCRIPTORS, names.length) && found < enough; i++) {
            found += pipe.equals(system.readLink(folder + '/' + names[i])) ? 1 : 0;
        }
        return found;
    }
}
