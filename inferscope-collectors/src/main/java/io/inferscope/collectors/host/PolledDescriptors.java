package io.inferscope.collectors.host;

import io.inferscope.collectors.procfs.ProcFiles;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads from a sleeping thread's arguments which descriptors it polls: poll(2)'s array and select(2)'s bits from the
 * process' memory, epoll(7)'s from {@code /proc/PID/fdinfo/FD}, whose lines {@code tfd: N events: ...} list what is
 * registered.
 */
record PolledDescriptors(TargetMemory memory, ProcFiles files) {
    /** Most descriptors examined: the first ones show the kind. */
    private static final int MAX_LOOKED_AT = 16;

    private static final int POLLFD_BYTES = 8;
    private static final int SETS = 3;
    private static final String REGISTERED = "tfd:";

    /** Returns the descriptors of {@code struct pollfd[count]}. */
    List<Integer> poll(int pid, long address, long count) {
        int looked = (int) Math.min(MAX_LOOKED_AT, count);
        ByteBuffer array = memory.read(pid, address, looked * POLLFD_BYTES);
        List<Integer> found = new ArrayList<>();
        for (int i = 0; array != null && i < looked; i++) {
            int descriptor = array.getInt(i * POLLFD_BYTES);
            if (descriptor >= 0) { // poll(2): negative ones are ignored.
                found.add(descriptor);
            }
        }
        return found;
    }

    /** Returns the descriptors below {@code bits} that are set in any of the three sets. */
    List<Integer> select(int pid, long bits, long[] sets) {
        List<Integer> found = new ArrayList<>();
        int bytes = (int) Math.min(128, (bits + 63) / 64 * 8); // FD_SETSIZE is 1024 bits
        for (int set = 0; set < SETS; set++) {
            ByteBuffer words = sets[set] > 0 ? memory.read(pid, sets[set], bytes) : null;
            for (int bit = 0; words != null && bit < bytes * 8 && found.size() < MAX_LOOKED_AT; bit++) {
                if ((words.get(bit / 8) >> bit % 8 & 1) != 0) {
                    found.add(bit);
                }
            }
        }
        return found;
    }

    /** Returns the descriptors registered with epoll descriptor {@code number}. */
    List<Integer> epoll(int pid, long number) {
        List<Integer> found = new ArrayList<>();
        for (String line : files.lines("/proc/" + pid + "/fdinfo/" + number)) {
            if (line.startsWith(REGISTERED) && found.size() < MAX_LOOKED_AT) {
                String[] words = line.substring(REGISTERED.length()).trim().split(" +", 2);
                found.add(Integer.parseInt(words[0]));
            }
        }
        return found;
    }
}
