package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.RangeCalls;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds steps by named ranges.
 *
 * <pre>
 *   thread   [generate .......................]  [generate ...
 *              [forward ] [forward] [forward]
 *   steps    1111111111111222222222233333333333   (3 ends where its range does: at the last forward's end)
 * </pre>
 *
 * <p>A step lasts from the end of the previous range inside the same outer range to the end of its own, so the
 * preparation of a pass belongs to the step of that pass. The first step starts with the outer range if that is a
 * generation, or if the time before the first range is at most {@value #LEAD} times the longest time before another
 * range; otherwise with its own range.
 */
final class SpanLoops {
    /**
     * The time before the first range of an outer range belongs to the first step if it is at most this multiple of the
     * longest time before any other range.
     */
    private static final double LEAD = 1.5;

    /** Of so many passes of threads that take turns, at most one runs beside another thread's. */
    private static final int SIDE_BY_SIDE = 20;

    private final Timeline timeline;
    private final RangeCalls calls;
    private final ActivityClassifier classifier;
    private final NamePredicate profilerSteps;
    private final NamePredicate passes;
    private final NamePredicate generations;

    SpanLoops(Timeline timeline, RangeCalls calls, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.calls = calls;
        this.classifier = classifier;
        this.profilerSteps = new NamePredicate(timeline, StepNames::isProfilerStep);
        this.passes = new NamePredicate(timeline, StepNames::isPass);
        this.generations = new NamePredicate(timeline, StepNames::isGenerationCall);
    }

    /**
     * Returns the {@code ProfilerStep#N} ranges of the thread with most of them; at equal numbers, of the thread whose
     * ranges are longest.
     */
    Optional<Loop> profilerSteps(int[] annotations) {
        Map<Integer, List<Integer>> byTrack = new HashMap<>();
        for (int row : annotations) {
            if (profilerSteps.testRow(row)) {
                byTrack.computeIfAbsent(timeline.track(row), t -> new ArrayList<>())
                        .add(row);
            }
        }
        int most = -1;
        for (int track = 0; track < timeline.tracks().size(); track++) {
            List<Integer> steps = byTrack.getOrDefault(track, List.of());
            List<Integer> held = byTrack.getOrDefault(most, List.of());
            boolean longer =
                    steps.size() == held.size() && RowsByName.lengthNs(calls, steps) > RowsByName.lengthNs(calls, held);
            most = steps.size() > held.size() || longer ? track : most;
        }
        return most < 0
                ? Optional.empty()
                : Optional.of(
                        loop(Loop.Source.PROFILER_STEPS, most, withoutOverlaps(byTrack.getOrDefault(most, List.of()))));
    }

    /** Returns the outermost passes of a model, or steps of an engine, on a thread. */
    Optional<Loop> passes(int track) {
        return recurring(Loop.Source.PASSES, track, passes(timeline.rows(track, RowKind.ANNOTATION)));
    }

    /**
     * Returns the passes of several threads that take turns, such as a thread for each request; empty if more than one in
     * {@value #SIDE_BY_SIDE} runs beside another thread's. The loop's thread is the one with most of them.
     *
     * @param annotations the ranges of the threads, those of one thread together
     */
    Optional<Loop> relayed(int[] annotations) {
        List<Integer> rows = new ArrayList<>();
        int most = -1;
        int mostRows = 0;
        int end;
        for (int begin = 0; begin < annotations.length; begin = end) {
            int track = timeline.track(annotations[begin]);
            end = begin;
            while (end < annotations.length && timeline.track(annotations[end]) == track) {
                end++;
            }
            List<Integer> own = withoutOverlaps(passes(Arrays.stream(annotations, begin, end)));
            rows.addAll(own);
            if (own.size() > mostRows) {
                most = track;
                mostRows = own.size();
            }
        }
        rows.sort(Order.comparingLong(timeline::startNs));
        List<Integer> turns = withoutOverlaps(rows);
        boolean takeTurns = mostRows < rows.size() && (rows.size() - turns.size()) * SIDE_BY_SIDE <= rows.size();
        return takeTurns ? Optional.of(loop(Loop.Source.PASSES, most, turns)) : Optional.empty();
    }

    private List<Integer> passes(IntStream annotations) {
        return annotations
                .filter(row -> passes.testRow(row) && isModel(row) && calls.first(row) == row)
                .boxed()
                .toList();
    }

    /** Returns whether neither the recorded activity nor the name marks the range as preparing, packing or loading. */
    private boolean isModel(int row) {
        LedgerClass ledgerClass = classifier.classify(row);
        return switch (ledgerClass) {
            case CPU_MODEL_COMPUTE, FRAMEWORK_DISPATCH, CPU_PYTHON, CPU_CODE, CPU_UNKNOWN, UNATTRIBUTED -> true;
            default -> false;
        };
    }

    /**
     * Returns rows that recur as steps; empty if calls of coroutines run side by side: then none of them is a round of
     * the program.
     */
    Optional<Loop> recurring(Loop.Source source, int track, List<Integer> rows) {
        boolean none = rows.isEmpty() || sideBySide(rows) * SIDE_BY_SIDE > rows.size();
        return none ? Optional.empty() : Optional.of(loop(source, track, withoutOverlaps(rows)));
    }

    /** Returns how many calls begin while another one is suspended. */
    private int sideBySide(List<Integer> rows) {
        int count = 0;
        long suspendedUntilNs = Long.MIN_VALUE;
        for (int row : rows) {
            count += calls.startNs(row) < suspendedUntilNs ? 1 : 0;
            suspendedUntilNs = calls.isSuspended(row) ? Math.max(suspendedUntilNs, calls.endNs(row)) : suspendedUntilNs;
        }
        return count;
    }

    /**
     * Returns the outermost ranges of one name that recur often and take at least a fifth of {@code windowNs}; the
     * longest of these.
     */
    Optional<Loop> ranges(int track, long windowNs) {
        RowsByName families = new RowsByName(timeline, calls);
        long passEndNs = Long.MIN_VALUE;
        int first = timeline.firstRow(track);
        int[] depths = new int[timeline.endRow(track) - first];
        for (int row = first; row < timeline.endRow(track); row++) {
            int parent = timeline.parent(row);
            depths[row - first] = parent < 0 ? 0 : depths[parent - first] + (isOuter(parent) ? 1 : 0);
            if (timeline.kind(row) == RowKind.ANNOTATION && timeline.startNs(row) >= passEndNs && mayRecur(row)) {
                passEndNs = passes.testRow(row) ? calls.endNs(row) : passEndNs;
                families.add(depths[row - first], row);
            }
        }
        return recurring(Loop.Source.RANGES, track, families.longest(family -> true, windowNs));
    }

    private boolean mayRecur(int row) {
        LedgerClass ledgerClass = classifier.classify(row);
        return timeline.durationNs(row) > 0
                && calls.first(row) == row
                && timeline.attribute(row, Attribute.ACTIVITY) != RangeActivity.AWAIT.ordinal()
                && ledgerClass != LedgerClass.FRAMEWORK_COMPILE_LOAD
                && ledgerClass != LedgerClass.PROFILER
                && ledgerClass != LedgerClass.WAIT_TIMER
                && !NameRole.COLLECTIVE.in(timeline.name(row));
    }

    private List<Integer> withoutOverlaps(List<Integer> rows) {
        List<Integer> kept = new ArrayList<>();
        long endNs = Long.MIN_VALUE;
        for (int row : rows) {
            if (calls.startNs(row) >= endNs) {
                kept.add(row);
                endNs = calls.endNs(row);
            }
        }
        return kept;
    }

    /** Returns the nearest range or generating call around a row, -1 for none. */
    private int outer(int row) {
        int at = timeline.parent(row);
        while (at >= 0 && !isOuter(at)) {
            at = timeline.parent(at);
        }
        return at < 0 ? at : calls.first(at);
    }

    private boolean isOuter(int row) {
        RowKind kind = timeline.kind(row);
        return kind == RowKind.ANNOTATION || (kind == RowKind.PYTHON_FUNCTION && generations.testRow(row));
    }

    private Loop loop(Loop.Source source, int track, List<Integer> rows) {
        double mostLeadNs = LEAD * longestLeadNs(rows);
        Map<Integer, String> kinds = new HashMap<>();
        Map<Integer, String> names = new HashMap<>();
        List<Step> steps = new ArrayList<>(rows.size());
        long afterNs = Long.MIN_VALUE;
        for (int i = 0; i < rows.size(); i++) {
            int row = rows.get(i);
            int outer = outer(row);
            boolean first = isFirst(rows, i);
            boolean generates = outer >= 0 && isGeneration(outer);
            boolean opens = outer >= 0 && calls.startNs(row) - calls.startNs(outer) <= mostLeadNs;
            long startNs = !first
                    ? calls.endNs(rows.get(i - 1))
                    : generates || opens ? calls.startNs(outer) : calls.startNs(row);
            String said = kinds.computeIfAbsent(timeline.nameId(row), id -> StepNames.kind(timeline.text(id)));
            boolean alone = first && (i + 1 == rows.size() || isFirst(rows, i + 1));
            boolean told = said.isEmpty() && generates && !alone;
            steps.add(new Step(
                    names.computeIfAbsent(timeline.nameId(row), id -> StepNames.common(timeline.text(id))),
                    told ? first ? "prefill" : "decode" : said,
                    Math.max(afterNs, startNs),
                    calls.endNs(row),
                    null));
            afterNs = calls.endNs(row);
        }
        return new Loop(source, track, steps);
    }

    private boolean isGeneration(int outer) {
        return timeline.kind(outer) != RowKind.ANNOTATION || StepNames.isGeneration(timeline.name(outer));
    }

    /** Returns whether a range is the first one inside its outer range. */
    private boolean isFirst(List<Integer> rows, int i) {
        return i == 0 || outer(rows.get(i - 1)) != outer(rows.get(i));
    }

    /** Returns the longest time from the end of one range to the start of the next one inside the same outer range. */
    private long longestLeadNs(List<Integer> rows) {
        long longest = 0;
        for (int i = 1; i < rows.size(); i++) {
            if (!isFirst(rows, i)) {
                longest = Math.max(longest, calls.startNs(rows.get(i)) - calls.endNs(rows.get(i - 1)));
            }
        }
        return longest;
    }
}
