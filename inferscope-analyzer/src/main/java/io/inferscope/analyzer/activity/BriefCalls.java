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
 * <p>A native sample and the Python stack it is joined to may be up to 1 ms apart; in older recordings most were. In that
 * time the thread may have come to another line: where a thread multiplied matrices for 3 ms a call beside other load, up
 * to 16 % of the pairs that were far apart showed the interpreter beneath the multiplication, but only 1 to 3 % of those
 * within {@value #NEAR_NS} ns. So only the near ones count in a recording that has pairs.
 */
final class BriefCalls {
    private static final double INTERPRETED = 0.06;

    /** Samples of the interpreter that a line must have: fewer may be one odd step. */
    private static final long FEWEST_SAMPLES = 3;

    private static final long NEAR_NS = 500_000;

    private final Stacks stacks;

    /** By stack: how often a thread was seen there, not waiting; of joined samples only those near each other. */
    private final long[] samples;

    private static final class Line {
        long interpreted;
        long called;

        /** The share must be above the threshold even if it is lower by its standard error. */
        boolean isBrief() {
            double all = interpreted + called;
            double share = interpreted / all;
            return interpreted >= FEWEST_SAMPLES && share - Math.sqrt(share * (1 - share) / all) >= INTERPRETED;
        }
    }

    BriefCalls(Timeline timeline) {
        stacks = timeline.stacks();
        long[] all = new long[stacks.count()];
        long[] near = new long[stacks.count()];
        boolean joined = false;
        for (Track track : timeline.tracks()) {
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                long stack = timeline.kind(row) == RowKind.STACK_SAMPLE ? timeline.attribute(row, Attribute.STACK) : -1;
                long gil = stack < 0 ? SampledGil.BLOCKED : timeline.attribute(row, Attribute.GIL);
                if (gil != SampledGil.BLOCKED && gil != SampledGil.WAITS) {
                    all[(int) stack] += Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                    long readNs = timeline.attribute(row, Attribute.FRAMES_READ_NS);
                    if (readNs != Attribute.ABSENT) {
                        joined = true;
                        boolean isNear = Math.abs(readNs - timeline.attribute(row, Attribute.LOOKED_NS)) <= NEAR_NS;
                        near[(int) stack] += isNear ? 1 : 0;
                    }
                }
            }
        }
        samples = joined ? near : all;
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
