package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.model.Report.Stretch;
import java.util.Arrays;

/**
 * How busy a device is over time. The judged part is divided into equal buckets; each has the share of its time in
 * which the device was busy. Overlapping streams count once.
 */
public final class Utilisation {
    /** Nsight Systems cuts a trace into 30 pieces. */
    private static final int PIECES = 30;

    private static final long LEAST_BUCKET_NS = 10_000_000;
    private static final long MOST_BUCKET_NS = 1_000_000_000;

    private final Stretch part;
    private final double[] busy;

    private Utilisation(Stretch part, double[] busy) {
        this.part = part;
        this.busy = busy;
    }

    /** Returns the utilisation of the headline device in the judged part. */
    public static Utilisation of(Analysis analysis) {
        Stretch part = analysis.judged().stretch();
        DeviceActivity device = analysis.headline().orElseThrow();
        long wantedNs = Math.min(MOST_BUCKET_NS, Math.max(LEAST_BUCKET_NS, part.durationNs() / PIECES));
        Utilisation utilisation = new Utilisation(part, new double[(int) (part.durationNs() / wantedNs)]);
        for (int i = 0; i < utilisation.buckets(); i++) {
            Stretch bucket = utilisation.bucket(i);
            utilisation.busy[i] =
                    (double) device.busy().totalWithinNs(bucket.startNs(), bucket.endNs()) / bucket.durationNs();
        }
        return utilisation;
    }

    public int buckets() {
        return busy.length;
    }

    /** Returns when bucket {@code i} was. */
    public Stretch bucket(int i) {
        return new Stretch(boundaryNs(i), boundaryNs(i + 1));
    }

    private long boundaryNs(int i) {
        return part.startNs() + Math.round((double) part.durationNs() * i / busy.length);
    }

    /** Returns the share of bucket {@code i} in which the device was busy. */
    public double busyRatio(int i) {
        return busy[i];
    }

    /** Returns the nearest-rank percentile over the buckets, of which there must be one. */
    public double percentile(int percent) {
        double[] sorted = busy.clone();
        Arrays.sort(sorted);
        return sorted[Math.max(0, (int) Math.ceil(percent / 100.0 * sorted.length) - 1)];
    }

    /** Returns how many buckets are busy for less than {@code ratio}. */
    public long below(double ratio) {
        return Arrays.stream(busy).filter(share -> share < ratio).count();
    }

    /** Returns the idle time in buckets that are busy for less than {@code ratio}, in ns. */
    public long idleNsBelow(double ratio) {
        double idleNs = 0;
        for (int i = 0; i < busy.length; i++) {
            idleNs += busy[i] < ratio ? (1 - busy[i]) * bucket(i).durationNs() : 0;
        }
        return Math.round(idleNs);
    }

    /**
     * Returns the longest run of buckets that are all busy for less than {@code ratio}; the first of equally long ones;
     * empty without any.
     */
    public Stretch longestBelow(double ratio) {
        int bestFrom = 0;
        int bestTo = 0;
        int from = 0;
        for (int i = 0; i < busy.length; i++) {
            if (busy[i] >= ratio) {
                from = i + 1;
            } else if (i + 1 - from > bestTo - bestFrom) {
                bestFrom = from;
                bestTo = i + 1;
            }
        }
        return new Stretch(boundaryNs(bestFrom), boundaryNs(bestTo));
    }
}
