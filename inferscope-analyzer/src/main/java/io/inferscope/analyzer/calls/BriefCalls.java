package io.inferscope.analyzer.calls;

import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The lines of the program's own Python that call native code so briefly that calling costs more than what is called,
 * such as a loop that reads a tensor's elements one by one. Between two calls the interpreter executes some bytecode,
 * about 0.3 to 1 us whatever the calls do. So if the interpreter takes 6 % of a line's time, a call takes about 5 to 15
 * us; PyTorch takes 1 to 5 us to dispatch an operator. It took 9 to 30 % in a loop of {@code logits[i].item()}, more
 * where the reader of the stacks seldom saw the same call twice. With fewer than 100 samples of a line, that share is
 * often missed by chance. Where native functions are known, what leads to an operator tells more: it took 58 to 70 % of
 * such a loop.
 *
 * <p>A call in which the thread was seen asleep lasts as well: it waits there for threads that do the work.
 */
public final class BriefCalls {
    private static final double INTERPRETED = 0.06;

    private final Stacks stacks;

    /** By stack: see {@link SeenStacks#samples}. */
    private final long[] samples;

    /** By stack: see {@link SeenStacks#asleep}. */
    private final long[] asleep;

    /** The part of a line's time in the interpreter and in code that leads to operators, where that is known. */
    private static final double LEADING = 0.5;

    private static final class Line {
        long interpreted;
        long leading;
        long called;

        boolean isBrief() {
            long all = interpreted + called;
            return SeenStacks.isAtLeast(INTERPRETED, interpreted, all)
                    || SeenStacks.isAtLeast(LEADING, interpreted + leading, all);
        }
    }

    /** Judges the lines by these samples. */
    public BriefCalls(Timeline timeline, SeenStacks seen) {
        stacks = timeline.stacks();
        samples = seen.samples();
        asleep = seen.asleep();
    }

    /**
     * Returns, by stack, whether it is in a native call of a line whose calls are brief.
     *
     * @param lines by stack, the stack up to Python's innermost frame; -1 for none
     * @param isCall whether a stack is in a call that may be brief
     * @param isInterpreter whether the interpreter itself runs
     * @param leads whether a stack in a call is known to be in code that leads to the operator
     */
    public boolean[] of(int[] lines, IntPredicate isCall, IntPredicate isInterpreter, IntPredicate leads) {
        Map<Integer, Line> byName = new HashMap<>();
        for (int stack = 0; stack < samples.length; stack++) {
            boolean call = lines[stack] >= 0 && isCall.test(stack);
            long seen = samples[stack] + (call ? asleep[stack] : 0);
            if (seen > 0 && (call || (lines[stack] >= 0 && isInterpreter.test(stack)))) {
                Line line = byName.computeIfAbsent(stacks.frameNameId(lines[stack]), name -> new Line());
                line.called += call ? seen : 0;
                line.leading += call && leads.test(stack) ? samples[stack] : 0;
                line.interpreted += call ? 0 : seen;
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
