package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;

/**
 * Finds steps by the launches of a thread, if no range shows them, or by the operations of a device, if no launch is
 * recorded either. Launches are divided at exchanges of host and device: copies to the host and synchronisations.
 */
record LaunchLoops(Timeline timeline, DeviceActivity device) {
    /** Returns the loop of a thread that launches. */
    static Optional<Loop> of(Timeline timeline, int track, DeviceActivity device, NamePredicate synchronisations) {
        return new LaunchLoops(timeline, device)
                .launched(track, synchronisations)
                .loop(Loop.Source.LAUNCHES, track);
    }

    /** Returns the loop of a device whose launches are not recorded: its operations, divided by copies to the host. */
    static Optional<Loop> onDevice(Timeline timeline, DeviceActivity device) {
        return new LaunchLoops(timeline, device)
                .done()
                .loop(Loop.Source.OPERATIONS, device.track().id());
    }

    private WorkBetweenExchanges launched(int track, NamePredicate synchronisations) {
        int[] exchanges = exchanges(track, synchronisations);
        long[] hashes = new long[exchanges.length];
        int[] counts = new int[exchanges.length];
        boolean[] works = new boolean[exchanges.length];
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            if (launch >= 0 && timeline.track(launch) == track) {
                int piece = Arrays.binarySearch(exchanges, launch);
                piece = piece < 0 ? -piece - 1 : piece;
                if (piece < hashes.length) {
                    hashes[piece] += WorkBetweenExchanges.mixed(timeline.nameId(device.row(i)));
                    counts[piece]++;
                    works[piece] |= isWork(i);
                }
            }
        }
        dropCopies(counts, works);
        long[] endsNs = Arrays.stream(exchanges).mapToLong(timeline::endNs).toArray();
        return new WorkBetweenExchanges(endsNs, hashes, counts);
    }

    private WorkBetweenExchanges done() {
        long[] endsNs = new long[device.operationCount()];
        long[] hashes = new long[endsNs.length];
        int[] counts = new int[endsNs.length];
        boolean[] works = new boolean[endsNs.length];
        int piece = 0;
        for (int i = 0; i < endsNs.length; i++) {
            int row = device.row(i);
            hashes[piece] += WorkBetweenExchanges.mixed(timeline.nameId(row));
            counts[piece]++;
            works[piece] |= isWork(i);
            if (timeline.kind(row) == RowKind.MEMCPY_D2H) {
                endsNs[piece++] = timeline.endNs(row);
            }
        }
        dropCopies(counts, works);
        return new WorkBetweenExchanges(
                Arrays.copyOf(endsNs, piece), Arrays.copyOf(hashes, piece), Arrays.copyOf(counts, piece));
    }

    private boolean isWork(int operation) {
        RowKind kind = timeline.kind(device.row(operation));
        return !kind.isMemcpy() && kind != RowKind.MEMSET;
    }

    /** Copies alone are no steps: inputs are written, and results read, piece by piece, as by printing a tensor. */
    private static void dropCopies(int[] counts, boolean[] works) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = works[i] ? counts[i] : 0;
        }
    }

    /** Returns the calls of a thread that copy to the host or wait for the device, ascending. */
    private int[] exchanges(int track, NamePredicate synchronisations) {
        BitSet copies = new BitSet();
        device.launched()
                .filter(i -> timeline.kind(device.row(i)) == RowKind.MEMCPY_D2H)
                .map(device::launch)
                .forEach(copies::set);
        return timeline.rows(track)
                .filter(row -> timeline.kind(row).isApiCall())
                .filter(row -> copies.get(row) || synchronisations.testRow(row))
                .toArray();
    }
}
