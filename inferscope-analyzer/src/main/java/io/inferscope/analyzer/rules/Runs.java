package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.analyzer.tables.Answer;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;

/**
 * The requests, or else the steps, of one name, whose lengths can be compared.
 *
 * @param all in the order in which they began
 */
record Runs(String name, boolean areRequests, List<Run> all) {
    private static final NavigableSet<Long> NONE = Collections.emptyNavigableSet();

    /** One request or step, on the thread that it ran on. */
    record Run(long startNs, long endNs, int thread) {
        long ns() {
            return endNs - startNs;
        }
    }

    /**
     * Returns the requests of the name with most time; without any, the steps of the judged part of a program without a
     * device.
     */
    static Optional<Runs> withMostTime(Analysis analysis) {
        return analysis.devices().isEmpty() ? withMostTimeOnAny(analysis) : requests(analysis);
    }

    /** Returns the same, the steps of a program with a device too. */
    static Optional<Runs> withMostTimeOnAny(Analysis analysis) {
        return requests(analysis).or(() -> steps(analysis));
    }

    /** Returns why fewer than {@code least} runs are not judged. */
    static Verdict.NotApplicable fewerThan(int least, String steps) {
        return new Verdict.NotApplicable("fewer than " + least + " requests, or " + steps + ", are recorded");
    }

    /** Returns the requests, of one token at most, of the name with most time: the length of others depends on them. */
    private static Optional<Runs> requests(Analysis analysis) {
        Map<String, List<Run>> byName = new TreeMap<>();
        for (Answer answer : Tables.of(analysis).answers()) {
            if (answer.tokens() <= 1 && answer.thread() >= 0) {
                byName.computeIfAbsent(answer.name(), name -> new ArrayList<>())
                        .add(new Run(answer.startNs(), answer.endNs(), answer.thread()));
            }
        }
        return longest(byName, true);
    }

    /** Returns the steps of the name with most time. */
    private static Optional<Runs> steps(Analysis analysis) {
        if (analysis.subjectThread() < 0) {
            return Optional.empty();
        }
        Stretch part = analysis.judged().stretch();
        Map<String, List<Run>> byName = new TreeMap<>();
        for (Step step : analysis.steps()) {
            if (step.startNs() >= part.startNs() && step.endNs() <= part.endNs()) {
                byName.computeIfAbsent(step.label(), name -> new ArrayList<>())
                        .add(new Run(step.startNs(), step.endNs(), analysis.subjectThread()));
            }
        }
        return longest(byName, false);
    }

    private static Optional<Runs> longest(Map<String, List<Run>> byName, boolean areRequests) {
        return byName.entrySet().stream()
                .map(entry -> new Runs(entry.getKey(), areRequests, entry.getValue()))
                .max(Order.comparingLong(Runs::totalNs).thenComparing(Runs::name));
    }

    long totalNs() {
        return all.stream().mapToLong(Run::ns).sum();
    }

    static double meanNs(List<Run> runs) {
        return runs.stream().mapToLong(Run::ns).average().orElse(0);
    }

    /** Returns what they are, as in {@code steps `forward Net`}. */
    String what() {
        return (areRequests ? "requests `" : "steps `") + name + "`";
    }

    /**
     * Returns how many times as many tokens the passes inside some of the steps read as those inside others, by the medians;
     * 0 for requests, and if tokens are not recorded.
     */
    double tokensRatio(Analysis analysis, Collection<Run> some, Collection<Run> others) {
        Long moreTokens = tokens(analysis, some).percentileIfAny(50);
        Long usualTokens = tokens(analysis, others).percentileIfAny(50);
        return moreTokens == null || usualTokens == null ? 0 : (double) moreTokens / usualTokens;
    }

    private Percentiles tokens(Analysis analysis, Collection<Run> some) {
        Percentiles tokens = new Percentiles();
        forEachPass(analysis, some, row -> tokens.add(analysis.timeline().attribute(row, Attribute.COUNTED)));
        return tokens;
    }

    /** Returns the mean time that some of the steps spend inside passes whose tokens are recorded, in ns. */
    double inPassesNs(Analysis analysis, Collection<Run> some) {
        LongAdder sumNs = new LongAdder();
        forEachPass(analysis, some, row -> sumNs.add(analysis.timeline().durationNs(row)));
        return (double) sumNs.sum() / Math.max(1, some.size());
    }

    /** Takes every range inside some of the steps that says how many tokens it read. */
    private void forEachPass(Analysis analysis, Collection<Run> some, IntConsumer sink) {
        Timeline timeline = analysis.timeline();
        NavigableMap<Long, Run> byEnd = new TreeMap<>();
        some.forEach(run -> byEnd.put(run.endNs, run));
        for (int row : areRequests ? new int[0] : analysis.rows(RowKind.ANNOTATION)) {
            long tokens = timeline.attribute(row, Attribute.COUNTED);
            Map.Entry<Long, Run> run = tokens > 0 ? byEnd.ceilingEntry(timeline.endNs(row)) : null;
            if (run != null && timeline.startNs(row) >= run.getValue().startNs) {
                sink.accept(row);
            }
        }
    }

    /**
     * Returns the runs in which a stack sample was taken, where samples show what threads do. Others would get the sample
     * of a neighbour, which may do something else.
     */
    static List<Run> seen(Analysis analysis, List<Run> runs) {
        Timeline timeline = analysis.timeline();
        if (!timeline.has(Attribute.LOOKED_NS)) {
            return runs;
        }
        Map<Integer, NavigableSet<Long>> instants = new HashMap<>();
        for (int row : analysis.rows(RowKind.STACK_SAMPLE)) {
            instants.computeIfAbsent(timeline.track(row), track -> new TreeSet<>())
                    .add(timeline.startNs(row) + timeline.attribute(row, Attribute.LOOKED_NS));
        }
        return runs.stream()
                .filter(run -> {
                    Long next = instants.getOrDefault(run.thread, NONE).ceiling(run.startNs);
                    return next != null && next < run.endNs;
                })
                .toList();
    }
}
