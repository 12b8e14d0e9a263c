package io.inferscope.timeline.spool;

import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.spool.DeviceClock.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Intervals in which the agent ran but received no records, so device work is unknown. The agent may have paused for
 * the program's own profiler. With each request for completed buffers, it also makes a CUDA call of its own, of which
 * it must receive a record. If no record arrives, another profiler receives the records, or they were not delivered.
 *
 * <pre>
 *   readings  r  r  r  r  r  r  r  r  r      the agent is alive
 *   heard     h  h  h           h  h  h      its own calls
 *                    |---------|             unrecorded
 * </pre>
 */
final class UnrecordedTime {
    /** Five of the agent's rounds of 200 ms: fewer may be missing on a machine that is busy. */
    private static final long LONG_NS = 1_000_000_000L;

    /** This many readings show that the agent itself ran. A busy machine or a stopped program also delays it. */
    private static final int ROUNDS = 4;

    private static final long CLOSE_NS = 50_000_000L;

    /**
     * A little more than one of the agent's rounds: the time at a window's edges before its first call and after its
     * last one.
     */
    private static final long EDGE_NS = 250_000_000L;

    private static final int MAX_NAMED = 3;

    private final DeviceClock clock;
    private final boolean closedCleanly;
    private final List<Long> heardNs = new ArrayList<>();
    private final Intervals.Builder lost = new Intervals.Builder(4);
    private final Map<Long, Long> pauses = new TreeMap<>();
    private final Intervals.Builder silent = new Intervals.Builder(4);
    private final Intervals.Builder asked = new Intervals.Builder(4);
    private boolean hasUnplacedWork;
    private boolean hasUnplacedCalls;

    /** {@code closedCleanly}: everything that was ready was delivered. */
    UnrecordedTime(DeviceClock clock, boolean closedCleanly) {
        this.clock = clock;
        this.closedCleanly = closedCleanly;
    }

    void heard(long deviceNs, long fileOffset) {
        long axisNs = clock.toAxisNs(deviceNs, fileOffset);
        if (axisNs != DeviceClock.UNPLACED) {
            recorded(axisNs);
        }
    }

    /** Adds the time of any recorded call, of the agent or of the program. */
    void recorded(long axisNs) {
        if (heardNs.isEmpty() || Math.abs(axisNs - heardNs.get(heardNs.size() - 1)) > CLOSE_NS) {
            heardNs.add(axisNs);
        }
    }

    /** Adds a pause of the agent for the program's own profiler. {@code endNs} 0: until the end, as far as is known. */
    void paused(long startNs, long endNs) {
        pauses.merge(startNs, endNs, Math::max);
    }

    /**
     * Adds an interval to which the user limited the recording. {@code endNs} 0: until the end. Time outside is not a
     * loss.
     */
    void only(long startNs, long endNs) {
        long lastNs = endNs == 0 ? Long.MAX_VALUE : endNs;
        if (startNs < lastNs) {
            asked.add(startNs, lastNs);
        }
    }

    /** Adds a stretch in which CUPTI recorded no calls, so that none may be missing; with its edges, as for windows. */
    void silent(long startNs, long endNs) {
        silent.add(startNs - EDGE_NS, endNs + EDGE_NS);
    }

    /** No calls were recorded at any time. */
    void silent() {
        silent.add(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /**
     * Adds a record whose stamps could not be placed: its time is between the readings around it.
     *
     * @param isWork whether it is of the device's work, not of a call
     */
    void unplaced(long fileOffset, boolean isWork) {
        int after = clock.readingAfter(fileOffset);
        if (after > 0) {
            hasUnplacedWork |= isWork;
            hasUnplacedCalls |= !isWork;
            List<Reading> readings = clock.readings();
            lost.add(readings.get(after - 1).axisNs(), readings.get(after).axisNs());
        }
    }

    private Intervals stretches() {
        Intervals only = asked.build();
        return only.isEmpty() ? lostStretches(only) : lostStretches(only).intersect(only);
    }

    private Intervals lostStretches(Intervals only) {
        List<Reading> readings = clock.readings();
        if (readings.size() < 2) {
            return lost.build();
        }
        long lastNs = readings.get(readings.size() - 1).axisNs();
        pauses.forEach((startNs, endNs) -> {
            if (startNs < lastNs) {
                lost.add(startNs, endNs == 0 ? lastNs : Math.max(startNs, endNs));
            }
        });
        Intervals.Builder gaps = new Intervals.Builder(4);
        long fromNs = readings.get(0).axisNs();
        for (long ns : heardNs.stream().sorted().toList()) {
            gap(fromNs, ns, only, gaps);
            fromNs = Math.max(fromNs, ns);
        }
        if (!heardNs.isEmpty() || closedCleanly) {
            gap(fromNs, lastNs, only, gaps);
        }
        return lost.build().union(gaps.build().minus(silent.build()));
    }

    /** Adds a gap without the edges of windows: no records arrive between windows, so the edges are not a loss. */
    private void gap(long fromNs, long toNs, Intervals only, Intervals.Builder gaps) {
        if (toNs - fromNs <= LONG_NS || rounds(fromNs, toNs) < ROUNDS) {
            return;
        }
        if (only.isEmpty()) {
            gaps.add(fromNs, toNs);
        }
        for (int i = 0; i < only.count(); i++) {
            long startNs = Math.max(fromNs, only.startNs(i));
            long endNs = Math.min(toNs, only.endNs(i));
            long halfNs = only.endNs(i) / 2 - only.startNs(i) / 2;
            if (endNs - startNs > Math.min(EDGE_NS, halfNs)) {
                gaps.add(startNs, endNs);
            }
        }
    }

    private long rounds(long fromNs, long toNs) {
        return clock.readings().stream()
                .filter(reading -> reading.axisNs() > fromNs && reading.axisNs() < toNs)
                .count();
    }

    /** Returns whether stamps of device work alone could not be placed. */
    boolean hasInvalidWork() {
        return pauses.isEmpty() && hasUnplacedWork && !hasUnplacedCalls;
    }

    /** Returns whether the program's own profiler recorded in between. */
    boolean hasPauses() {
        return !pauses.isEmpty();
    }

    /** Returns whether records were off and on again. */
    boolean wasInterrupted() {
        return hasPauses() || asked.build().count() > 1;
    }

    /** Returns the time between the first and the last reading of the clocks. */
    long lengthNs() {
        List<Reading> readings = clock.readings();
        return readings.isEmpty()
                ? 0
                : readings.get(readings.size() - 1).axisNs() - readings.get(0).axisNs();
    }

    long totalNs() {
        return stretches().totalNs();
    }

    /** Returns the unrecorded intervals and the reason, in words; empty if everything was recorded. */
    String why() {
        Intervals stretches = stretches();
        if (stretches.count() == 0) {
            return "";
        }
        long originNs = clock.readings().get(0).axisNs();
        List<String> named = new ArrayList<>();
        for (int i = 0; i < Math.min(MAX_NAMED, stretches.count()); i++) {
            named.add(String.format(
                    Locale.ROOT,
                    "%.2f to %.2f s",
                    (stretches.startNs(i) - originNs) / 1e9,
                    (stretches.endNs(i) - originNs) / 1e9));
        }
        int more = stretches.count() - named.size();
        return "device work is not known from " + String.join(", ", named)
                + (more > 0 ? " and in " + more + " more stretches" : "") + " after the agent's start: " + cause();
    }

    private String cause() {
        if (!pauses.isEmpty()) {
            return "the program's own profiler, such as torch.profiler, received the records";
        }
        if (hasInvalidWork()) {
            return "the stamps of device work that libcupti made are invalid"
                    + (heardNs.isEmpty()
                            ? ", or another profiler replaced its clock"
                            : ", while those of calls are not");
        }
        if (hasUnplacedCalls) {
            return "another profiler in the process, such as torch.profiler, replaced CUPTI's clock";
        }
        return closedCleanly
                ? "no records came although the program went on; another profiler in the process, such as torch.profiler, received them"
                : "no records came although the program went on: another profiler received them, or they were not delivered before its end";
    }
}
