package io.inferscope.analyzer.calls;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;

/**
 * How often threads were seen in each stack, not waiting.
 *
 * <p>A native sample and the Python stack it is joined to may be up to 1 ms apart; in older recordings most were. In that
 * time the thread may have come to another line: where a thread multiplied matrices for 3 ms a call beside other load, up
 * to 16 % of the pairs that were far apart showed the interpreter beneath the multiplication, but only 1 to 3 % of those
 * within {@value #NEAR_NS} ns. So only the near ones count in a recording that has pairs.
 */
public final class SeenStacks {
    private static final long NEAR_NS = 500_000;

    /** Samples that a share needs: fewer may be one odd step. */
    private static final long FEWEST_SAMPLES = 3;

    private final long[] samples;
    private final long[] asleep;
    private final boolean joined;

    private SeenStacks(long[] samples, long[] asleep, boolean joined) {
        this.samples = samples;
        this.asleep = asleep;
        this.joined = joined;
    }

    /** Counts the samples of a recording. */
    public static SeenStacks of(Timeline timeline) {
        int count = timeline.stacks().count();
        long[] all = new long[count];
        long[] near = new long[count];
        long[] asleep = new long[count];
        boolean joined = false;
        for (Track track : timeline.tracks()) {
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                long stack = timeline.kind(row) == RowKind.STACK_SAMPLE ? timeline.attribute(row, Attribute.STACK) : -1;
                long gil = stack < 0 ? SampledGil.WAITS : timeline.attribute(row, Attribute.GIL);
                long seen = Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                if (gil == SampledGil.BLOCKED) {
                    asleep[(int) stack] += seen;
                } else if (gil != SampledGil.WAITS) {
                    all[(int) stack] += seen;
                    long readNs = timeline.attribute(row, Attribute.FRAMES_READ_NS);
                    if (readNs != Attribute.ABSENT) {
                        joined = true;
                        boolean isNear = Math.abs(readNs - timeline.attribute(row, Attribute.LOOKED_NS)) <= NEAR_NS;
                        near[(int) stack] += isNear ? 1 : 0;
                    }
                }
            }
        }
        return new SeenStacks(joined ? near : all, asleep, joined);
    }

    /** Returns, by stack, how often it was seen; of joined samples only those near each other. */
    public long[] samples() {
        return samples;
    }

    /** Returns, by stack, how often its thread was seen asleep in it, for something else than the GIL. */
    long[] asleep() {
        return asleep;
    }

    /** Returns whether native samples were joined to stacks of Python. */
    boolean joined() {
        return joined;
    }

    /** Returns whether a share of samples is above a threshold even if it is lower by its standard error. */
    static boolean isAtLeast(double threshold, long samples, long all) {
        double share = all == 0 ? 0 : (double) samples / all;
        return samples >= FEWEST_SAMPLES && share - Math.sqrt(share * (1 - share) / all) >= threshold;
    }
}
