package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.steps.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the steps' time was spent on: a sum per step and class, and where in the code, over all steps of one label. */
public final class StepTime {
    private final int[] labelOf;
    private final int groups;
    private final long[] @Nullable [] byClass = new long[LedgerClass.values().length] @Nullable [];
    private final BlameAmounts places = new BlameAmounts();

    public StepTime(List<Step> steps) {
        labelOf = new int[steps.size()];
        Map<String, int[]> known = new HashMap<>(); // By label, then by phase: the number of the group plus one.
        int count = 0;
        for (int i = 0; i < labelOf.length; i++) {
            PhaseKind phase = steps.get(i).phase();
            int[] byPhase =
                    known.computeIfAbsent(steps.get(i).label(), label -> new int[1 + PhaseKind.values().length]);
            int at = phase == null ? 0 : 1 + phase.ordinal();
            if (byPhase[at] == 0) {
                byPhase[at] = ++count;
            }
            labelOf[i] = byPhase[at] - 1;
        }
        groups = count;
        places.beginGap();
    }

    /** Adds time to a step alone, and not to a {@link #place}. */
    void add(int step, LedgerClass cause, long ns) {
        long[] sums = byClass[cause.ordinal()];
        if (sums == null) {
            sums = new long[labelOf.length];
            byClass[cause.ordinal()] = sums;
        }
        sums[step] += ns;
    }

    /** Returns the time of a class in a step, in ns. */
    public long ns(int step, LedgerClass cause) {
        long[] sums = byClass[cause.ordinal()];
        return sums == null ? 0 : sums[step];
    }

    /** Returns the number of the group of steps that a step belongs to: equal for steps of one label and phase. */
    public int group(int step) {
        return labelOf[step];
    }

    int groups() {
        return groups;
    }

    /** Returns the amount that a part of it, in steps of a group, adds to. */
    Amount place(int group, Amount part) {
        return places.find(group, part);
    }

    /** Returns the places of all steps; {@link Amount#group} is that of their steps. */
    public List<Amount> places() {
        return places.all();
    }
}
