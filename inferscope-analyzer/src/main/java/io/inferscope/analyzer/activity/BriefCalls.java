package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The lines of the program's own Python that call native code so briefly that calling costs more than what is called,
 * such as a loop that reads a tensor's elements one by one. Between two calls the interpreter executes some bytecode,
 * about 0.3 to 1 us whatever the calls do. So if the interpreter takes 6 % of a line's time, a call takes about 5 to 15
 * us; PyTorch takes 1 to 5 us to dispatch an operator. It took 9 to 30 % in a loop of {@code logits[i].item()}, more
 * where the reader of the stacks seldom saw the same call twice.
 *
 * <p>A native sample and the Python stack it is joined to are up to 1 ms apart. In that time a thread that multiplies
 * matrices for 3 ms a call may have come to another line, and so 5 to 16 % of such pairs show the interpreter beneath
 * the multiplication where other programs use the CPUs, too; of pairs within {@value #NEAR_NS} ns, 1 to 3 %. So only
 * those count, where there are pairs.
 */
final class BriefCalls {
    private static final double INTERPRETED = 0.06;

    /** Samples of the interpreter that a line must have: fewer may be one odd step. */
    private static final long FEWEST_SAMPLES = 3;

    private static final long NEAR_NS = 500_000;

    private final Stacks stacks;

    /** By stack: how often a thread was seen there, not waiting. */
    private final long[] samples;

    /** Those of them that join a native sample and a Python stack, and those that are near each other. */
    private final long[] pairs;

    private final long[] nearPairs;

    private static final class Line {
        long interpreted;
        long called;
        long pairs;
        long nearInterpreted;
        long nearCalled;

        boolean isBrief() {
            return pairs > 0 ? isBrief(nearInterpreted, nearCalled) : isBrief(interpreted, called);
        }

        /** The share must be above the threshold even if it is lower by its standard error. */
        private static boolean isBrief(long interpreted, long called) {
            double all = interpreted + called;
            double share = interpreted / all;
            return interpreted >= FEWEST_SAMPLES && share - Math.sqrt(share * (1 - share) / all) >= INTERPRETED;
        }
    }

    BriefCalls(Timeline timeline) {
        stacks = timeline.stacks();
        samples = new long[stacks.count()];
        pairs = new long[stacks.count()];
        nearPairs = new long[stacks.count()];
        for (Track track : timeline.tracks()) {
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                long stack = timeline.kind(row) == RowKind.STACK_SAMPLE ? timeline.attribute(row, Attribute.STACK) : -1;
                long gil = stack < 0 ? SampledGil.BLOCKED : timeline.attribute(row, Attribute.GIL);
                if (gil != SampledGil.BLOCKED && gil != SampledGil.WAITS) {
                    samples[(int) stack] += Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                    long readNs = timeline.attribute(row, Attribute.FRAMES_READ_NS);
                    if (readNs != Attribute.ABSENT) {
                        long apartNs = Math.abs(readNs - timeline.attribute(row, Attribute.LOOKED_NS));
                        pairs[(int) stack]++;
                        nearPairs[(int) stack] += apartNs <= NEAR_NS ? 1 : 0;
                    }
                }
            }
        }
    }

    /**
     * Returns, by stack, whether it is in a native call of a line whose calls are brief.
     *
     * @param lines by stack, the stack up to Python's innermost frame; -1 for none
     * @param isCall whether a stack is in a call that may be brief
     * @param isInterpreter whether the interpreter itself runs
     */
    boolean[] of(int[] lines, IntPredicate isCall, IntPredicate isInterpreter) {
        Map<Integer, Line> byName = new HashMap<>();
        for (int stack = 0; stack < samples.length; stack++) {
            boolean call = lines[stack] >= 0 && isCall.test(stack);
            if (samples[stack] > 0 && (call || (lines[stack] >= 0 && isInterpreter.test(stack)))) {
                Line line = byName.computeIfAbsent(stacks.frameNameId(lines[stack]), name -> new Line());
                line.called += call ? samples[stack] : 0;
                line.interpreted += call ? 0 : samples[stack];
                line.pairs += pairs[stack];
                line.nearCalled += call ? nearPairs[stack] : 0;
                line.nearInterpreted += call ? 0 : nearPairs[stack];
            }
        }
        boolean[] brief = new boolean[samples.length];
        for (int stack = 0; stack < brief.length; stack++) {
            Line line = lines[stack] < 0 || !isCall.test(stack) ? null : byName.get(stacks.frameNameId(lines[stack]));
            brief[stack] = line != null && line.isBrief();
        }
        return brief;
    }
}
