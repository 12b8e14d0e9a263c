package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds generating calls, each of whose passes produces the next token. A token's time is the end of the pass' device
 * work, which may be later than the end of the call.
 *
 * <pre>
 *   thread   [generate ...............................................]
 *              [forward Encoder] [forward Model] [forward] [forward]
 *   device                           ==============   ====     ====
 *   tokens                                         ^      ^        ^
 * </pre>
 *
 * <p>Of several models, the one with most passes produces the tokens; an encoder before it reads the prompt.
 */
final class Generations {
    /**
     * Least passes of a function named like a generating call, because it may do something else. A range with such a
     * name needs none: the program chose the name.
     */
    private static final int LEAST_PASSES_OF_FUNCTION = 2;

    private final Timeline timeline;
    private final NamePredicate generations;
    private final NamePredicate passes;
    private final NamePredicate modules;
    private final NamePredicate forwards;
    private final Lazy<LaunchedWork> work;

    Generations(Analysis analysis) {
        this.timeline = analysis.timeline();
        this.generations = new NamePredicate(timeline, StepNames::isGenerationCall);
        this.passes = new NamePredicate(timeline, StepNames::isPass);
        this.modules = new NamePredicate(timeline, StepNames::isModule);
        this.forwards = new NamePredicate(timeline, StepNames::isForwardCall);
        this.work = new Lazy<>(() -> LaunchedWork.of(analysis));
    }

    /** Chooses the calls to return. */
    interface Wanted {
        /** Returns whether to return a call in {@code [startNs, endNs)}. */
        boolean test(long startNs, long endNs);
    }

    /** Returns an answer per outermost generating call of a thread. */
    List<Answer> of(int track, String process, Wanted wanted) {
        List<Answer> answers = new ArrayList<>();
        if (!generations.any()) {
            return answers;
        }
        long endNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (isCall(row) && generations.testRow(row) && timeline.startNs(row) >= endNs) {
                endNs = timeline.endNs(row);
                List<Integer> rows =
                        wanted.test(timeline.startNs(row), endNs) ? mostFrequent(passes(row, track)) : List.of();
                if (rows.size() >= (timeline.kind(row) == RowKind.ANNOTATION ? 1 : LEAST_PASSES_OF_FUNCTION)) {
                    answers.add(answer(row, rows, track, process));
                }
            }
        }
        return answers;
    }

    private boolean isCall(int row) {
        return timeline.kind(row) == RowKind.ANNOTATION || timeline.kind(row) == RowKind.PYTHON_FUNCTION;
    }

    private boolean isPass(int row, NamePredicate calls) {
        return switch (timeline.kind(row)) {
            case ANNOTATION -> passes.testRow(row);
            case PYTHON_FUNCTION -> calls.testRow(row);
            default -> false;
        };
    }

    /** Returns the outermost passes inside a call. */
    private List<Integer> passes(int generation, int track) {
        List<Integer> found = passes(generation, track, modules);
        return found.isEmpty() ? passes(generation, track, forwards) : found;
    }

    private List<Integer> passes(int generation, int track, NamePredicate calls) {
        List<Integer> found = new ArrayList<>();
        long endNs = timeline.endNs(generation);
        long passEndNs = Long.MIN_VALUE;
        for (int row = generation + 1; row < timeline.endRow(track) && timeline.startNs(row) < endNs; row++) {
            if (isPass(row, calls) && timeline.startNs(row) >= passEndNs) {
                found.add(row);
                passEndNs = timeline.endNs(row);
            }
        }
        return found;
    }

    /** Returns the rows of the most frequent name; of several, the name that occurs last. */
    private List<Integer> mostFrequent(List<Integer> rows) {
        Map<String, List<Integer>> byName = new HashMap<>();
        rows.forEach(row -> byName.computeIfAbsent(StepNames.common(timeline.name(row)), name -> new ArrayList<>())
                .add(row));
        return byName.values().stream()
                .max(Order.<List<Integer>>comparingInt(List::size).thenComparingInt(same -> same.get(0)))
                .orElse(List.of());
    }

    private Answer answer(int generation, List<Integer> rows, int track, String process) {
        long startNs = timeline.startNs(generation);
        long endNs = timeline.endNs(generation);
        List<Long> gaps = new ArrayList<>();
        long firstNs = -1;
        long lastNs = startNs;
        for (int row : rows) {
            long overNs = work.get().endNs(track, timeline.startNs(row), timeline.endNs(row));
            long tokenNs = Math.min(endNs, Math.max(lastNs, overNs));
            if (firstNs < 0) {
                firstNs = tokenNs - startNs;
            } else {
                gaps.add(tokenNs - lastNs);
            }
            lastNs = tokenNs;
        }
        return new Answer(
                StepNames.common(timeline.name(generation)),
                process,
                startNs,
                endNs,
                track,
                firstNs,
                -1,
                rows.size(),
                Math.max(rows.size(), timeline.attribute(generation, Attribute.COUNTED)),
                gaps);
    }

    /**
     * Finds when the device work launched by a thread in an interval ends. The device work of a pass may end long after the
     * call has returned.
     */
    private static final class LaunchedWork {
        private record Launch(long startNs, long workEndNs) {}

        private final Map<Integer, List<Launch>> byTrack = new HashMap<>();

        private LaunchedWork() {}

        static LaunchedWork of(Analysis analysis) {
            Timeline timeline = analysis.timeline();
            LaunchedWork work = new LaunchedWork();
            for (DeviceActivity device : analysis.devices()) {
                device.launched()
                        .forEach(i -> work.byTrack
                                .computeIfAbsent(timeline.track(device.launch(i)), track -> new ArrayList<>())
                                .add(new Launch(timeline.startNs(device.launch(i)), timeline.endNs(device.row(i)))));
            }
            work.byTrack.values().forEach(launches -> launches.sort(Order.comparingLong(Launch::startNs)));
            return work;
        }

        /**
         * Returns the latest end of the operations that the thread launched in {@code [fromNs, toNs)}, at least {@code
         * toNs}.
         */
        long endNs(int track, long fromNs, long toNs) {
            List<Launch> launches = byTrack.getOrDefault(track, List.of());
            long endNs = toNs;
            for (int i = firstFrom(launches, fromNs);
                    i < launches.size() && launches.get(i).startNs() < toNs;
                    i++) {
                endNs = Math.max(endNs, launches.get(i).workEndNs());
            }
            return endNs;
        }

        private static int firstFrom(List<Launch> launches, long fromNs) {
            return BinarySearch.first(0, launches.size(), i -> launches.get(i).startNs() >= fromNs);
        }
    }
}
