package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long operations take whose launches are recorded and which themselves are missing: as long as those that the same
 * call launches inside the same operator, within three standard deviations of their sum. Operations that are missing
 * one after the other are alike, all long or all short, so their deviations add up. A copy from pageable memory takes
 * at least as long as its call.
 */
final class OperationLengths {
    private static final double DEVIATIONS = 3;

    /** Fewer operations than this do not show how much their kind varies. */
    private static final int FEW = 5;

    /** Durations of the operations of one kind of launch. */
    private static final class Kind {
        private long count;
        private double sum;
        private double squares;

        void add(double ns) {
            count++;
            sum += ns;
            squares += ns * ns;
        }

        double mean() {
            return count == 0 ? 0 : sum / count;
        }

        double variance() {
            return count == 0 ? 0 : Math.max(0, squares / count - mean() * mean());
        }

        /** The mean of few operations is itself uncertain. */
        double spread() {
            return count == 0 ? 0 : variance() / count + mean() * mean() / count;
        }
    }

    /** The estimated length of some operations. */
    static final class Sum {
        private double mean;
        private double variance;

        /** The sum of the deviations of those that are missing one after the other. */
        private double alike;

        /** Returns the upper bound in ns. */
        double mostNs() {
            return mean + DEVIATIONS * Math.sqrt(variance) + alike;
        }
    }

    private final Timeline timeline;
    private final Map<Long, Kind> byOperator = new HashMap<>();
    private final Map<Integer, Kind> byCall = new HashMap<>();
    private final Kind any = new Kind();

    /** Learns from the operations of devices whose launches are recorded. */
    OperationLengths(Timeline timeline, List<DeviceActivity> devices) {
        this.timeline = timeline;
        for (DeviceActivity device : devices) {
            for (int i = 0; i < device.operationCount(); i++) {
                int launch = device.launch(i);
                if (launch >= 0) {
                    double ns = (double) timeline.durationNs(device.row(i));
                    byOperator.computeIfAbsent(key(launch), k -> new Kind()).add(ns);
                    byCall.computeIfAbsent(timeline.nameId(launch), k -> new Kind())
                            .add(ns);
                    any.add(ns);
                }
            }
        }
    }

    /** Adds the operation of a launch; {@code inRun} tells whether those launched before or after it are missing, too. */
    void add(Sum to, int launch, boolean inRun) {
        Kind ofCall = byCall.getOrDefault(timeline.nameId(launch), any);
        Kind kind = byOperator.getOrDefault(key(launch), ofCall);
        double own = kind.variance() + kind.spread();
        double offAny = any.mean() - kind.mean();
        to.mean += Math.max(kind.mean(), leastNs(launch));
        to.variance += Math.max(own, kind.count < FEW ? any.variance() + offAny * offAny : 0);
        to.alike += inRun ? Math.sqrt(own) : 0;
    }

    private long key(int launch) {
        int operator = ApiCalls.operatorOf(timeline, launch);
        return (long) timeline.nameId(launch) << 32 | (operator < 0 ? 0 : 1 + timeline.nameId(operator));
    }

    /** A copy from pageable memory blocks its call until it is done. */
    private double leastNs(int launch) {
        return timeline.name(launch).contains("Memcpy") ? (double) timeline.durationNs(launch) : 0;
    }
}
