package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds steps by what a thread launches, where no range tells.
 *
 * <pre>
 *   launches   a b b b c D    a b b b c D    a b b b c D     D: an exchange, a copy to the host or a synchronisation
 *   pieces     [  x     ]     [  x     ]     [  x     ]      equal sets of launched operations
 *   steps      111111111122222222222222233333333333333
 * </pre>
 *
 * <p>What recurs without an exchange between host and device are layers. The launches are therefore divided by the exchanges, and the
 * pieces compared as multisets of names; a step is the smallest number of pieces after which the pieces recur. A switch to
 * another kernel on the way, as when a context grows, breaks one comparison and no more.
 */
final class LaunchLoops {
    private static final int MOST_PIECES = 64;
    private static final int LEAST_STEPS = 5;
    private static final int LEAST_OPERATIONS = 3;
    private static final double EQUAL = 0.8;

    private final Timeline timeline;
    private final int track;
    private long[] endsNs = {};
    private long[] hashes = {};
    private int[] operations = {};

    private LaunchLoops(Timeline timeline, int track) {
        this.timeline = timeline;
        this.track = track;
    }

    static Optional<Loop> of(Timeline timeline, int track, DeviceActivity device, ByName synchronisations) {
        LaunchLoops loops = new LaunchLoops(timeline, track);
        loops.findPieces(device, synchronisations);
        int period = loops.period();
        return period == 0 ? Optional.empty() : Optional.of(loops.loop(period));
    }

    private void findPieces(DeviceActivity device, ByName synchronisations) {
        int[] exchanges = exchanges(device, synchronisations);
        long[] all = new long[exchanges.length];
        int[] counts = new int[exchanges.length];
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            if (launch >= 0 && timeline.track(launch) == track) {
                int piece = Arrays.binarySearch(exchanges, launch);
                piece = piece < 0 ? -piece - 1 : piece;
                if (piece < all.length) {
                    all[piece] += mixed(timeline.nameId(device.row(i)));
                    counts[piece]++;
                }
            }
        }
        keepThoseThatLaunch(exchanges, all, counts);
    }

    private void keepThoseThatLaunch(int[] exchanges, long[] all, int[] counts) {
        int size = (int) Arrays.stream(counts).filter(count -> count > 0).count();
        endsNs = new long[size];
        hashes = new long[size];
        operations = new int[size];
        int at = 0;
        for (int i = 0; i < exchanges.length; i++) {
            if (counts[i] > 0) {
                hashes[at] = all[i];
                operations[at] = counts[i];
                endsNs[at++] = timeline.endNs(exchanges[i]);
            } else if (at > 0) {
                endsNs[at - 1] = Math.max(endsNs[at - 1], timeline.endNs(exchanges[i]));
            }
        }
    }

    /** Returns the calls of the thread that copy to the host or wait for the device, ascending. */
    private int[] exchanges(DeviceActivity device, ByName synchronisations) {
        boolean[] copies = new boolean[timeline.endRow(track) - timeline.firstRow(track)];
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            if (launch >= 0 && timeline.track(launch) == track && timeline.kind(device.row(i)) == RowKind.MEMCPY_D2H) {
                copies[launch - timeline.firstRow(track)] = true;
            }
        }
        int[] rows = new int[copies.length];
        int count = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row).isApiCall()
                    && (copies[row - timeline.firstRow(track)] || synchronisations.testRow(row))) {
                rows[count++] = row;
            }
        }
        return Arrays.copyOf(rows, count);
    }

    /** Spreads a name id over 64 bits (the finaliser of SplitMix64), so that sums of them tell multisets apart. */
    private static long mixed(int nameId) {
        long z = (nameId + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns after how many pieces they recur, 0 when they do not. The first quarter is not asked: it may be start-up. */
    private int period() {
        int from = hashes.length / 4;
        for (int period = 1; period <= MOST_PIECES && (hashes.length - from) >= LEAST_STEPS * period; period++) {
            int equal = 0;
            for (int i = from; i + period < hashes.length; i++) {
                equal += hashes[i] == hashes[i + period] ? 1 : 0;
            }
            if (equal >= EQUAL * (hashes.length - from - period) && operationsFrom(from, period) >= LEAST_OPERATIONS) {
                return period;
            }
        }
        return 0;
    }

    private long operationsFrom(int from, int period) {
        long sum = 0;
        for (int i = hashes.length - period; i < hashes.length; i++) {
            sum += operations[Math.max(from, i)];
        }
        return sum;
    }

    /** A step begins with the piece that launches most. */
    private Loop loop(int period) {
        long[] launched = new long[period];
        for (int i = 0; i < hashes.length; i++) {
            launched[i % period] += operations[i];
        }
        int first = 0;
        for (int i = 1; i < period; i++) {
            first = launched[i] > launched[first] ? i : first;
        }
        List<Step> steps = new ArrayList<>();
        for (int i = first; i + period <= hashes.length; i += period) {
            if (i > 0) {
                steps.add(new Step("step", "", endsNs[i - 1], endsNs[i + period - 1], null));
            }
        }
        return new Loop(Loop.Source.LAUNCHES, track, steps);
    }
}
