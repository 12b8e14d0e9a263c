package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Samples;
import io.inferscope.analyzer.activity.SpanValue;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.analyzer.tables.Answer;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reports that a few requests or steps take far longer than most, and what these do that the others do not. Basis and
 * thresholds: docs/rules/slow-outliers.md.
 */
final class SlowOutliersRule extends Rule {
    private static final String ID = "slow-outliers";
    private static final Threshold SHARE = Threshold.share(ID, 0.05);
    private static final Threshold RATIO =
            new Threshold(ID + ".ratio", 3, "length from which on one is slow, as a multiple of the median");

    /** Fewer have no typical length. */
    private static final int LEAST = 40;

    private static final int LEAST_SLOW = 4;

    /** If more are slow, there are two kinds of them. */
    private static final double MOST_SLOW = 0.15;

    /** Passes that read this many times the tokens of the others are slow for that reason. */
    private static final double MORE_TOKENS = 2;

    /** Of as many slow ones, and as many others, the time is looked at. */
    private static final int MOST_EXPLAINED = 300;

    /** Fewer slow ones with a stack sample show nothing. */
    private static final int LEAST_SEEN = 8;

    private static final NavigableSet<Long> NONE = Collections.emptyNavigableSet();

    private static final int MOST_PLACES = 3;

    private static final String CLAIM =
            "{what} take {least} to {longest}, where half of them take at most {median}: {of all} of the time of all.";

    private static final Pattern FUNCTION = Pattern.compile(":\\d+ (.*?)(\\.<locals>.*)?$");

    /** With this share of what the slow ones take longer, a place comes before a cause. */
    private static final double ONE_PLACE = 0.4;

    /** From this share of the others' time on, the slow ones do more of what the others do. */
    private static final double SAME_WORK = 0.5;

    /** One request or step, on the thread that it ran on. */
    private record Run(long startNs, long endNs, int thread) {
        long ns() {
            return endNs - startNs;
        }
    }

    /** All of one name. */
    private record Runs(String name, boolean areRequests, List<Run> all) {
        long totalNs() {
            return all.stream().mapToLong(Run::ns).sum();
        }
    }

    /** A cause at a place, {@code file:line function}. */
    private record Cause(LedgerClass of, String place) {
        /** Returns file and function; functions inside another one, such as comprehensions, belong to it. */
        String function() {
            return FUNCTION.matcher(place).replaceFirst(" $1");
        }
    }

    SlowOutliersRule() {
        super(new RuleInfo(ID, "A few requests or steps take far longer than most", Needs.HOST_ACTIVITY)
                .limits(SHARE, RATIO));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Runs> most = requests(analysis).or(() -> steps(analysis)).filter(runs -> runs.all.size() >= LEAST);
        if (most.isEmpty()) {
            return new Verdict.NotApplicable(
                    "fewer than " + LEAST + " requests, or steps of a program without a device, are recorded");
        }
        Runs runs = most.get();
        Samples lengthsNs = new Samples();
        runs.all.forEach(run -> lengthsNs.add(run.ns()));
        long medianNs = lengthsNs.percentile(50);
        double limitNs = analysis.threshold(RATIO) * medianNs;
        Map<Boolean, List<Run>> bySlow =
                runs.all.stream().collect(Collectors.partitioningBy(run -> run.ns() > limitNs));
        List<Run> slow = bySlow.getOrDefault(true, List.of());
        long moreNs = slow.stream().mapToLong(run -> run.ns() - medianNs).sum();
        Optional<String> innocent = innocent(analysis, runs, slow, (double) moreNs / Math.max(1, runs.totalNs()));
        return innocent.isPresent()
                ? Verdict.clean("of " + Units.count(runs.all.size()) + " " + what(runs) + ", " + slow.size()
                        + " take more than " + Units.fixed(analysis.threshold(RATIO), 0) + " times the median: "
                        + innocent.get())
                : Verdict.found(
                        finding(analysis, runs, slow, bySlow.getOrDefault(false, List.of()), lengthsNs, moreNs));
    }

    /** Returns why the slow ones are no finding; empty if they are one. */
    private static Optional<String> innocent(Analysis analysis, Runs runs, List<Run> slow, double share) {
        if (slow.size() > MOST_SLOW * runs.all.size()) {
            return Optional.of("too many for outliers");
        }
        String ofAll = Units.percent(share) + " of the time of all";
        if (slow.size() < LEAST_SLOW || share < analysis.threshold(SHARE)) {
            return Optional.of(ofAll);
        }
        if (areFirst(slow, runs.all)) {
            return Optional.of(ofAll + ", most of them at the beginning");
        }
        return readMore(analysis, runs, slow) ? Optional.of(ofAll + ", and they read more tokens") : Optional.empty();
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

    /** Returns the steps of the name with most time, in a program without a device: there, gaps of the device count. */
    private static Optional<Runs> steps(Analysis analysis) {
        if (!analysis.devices().isEmpty() || analysis.subjectThread() < 0) {
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

    /** Returns whether most of the slow ones are among the first quarter: caches that fill, and code that loads. */
    private static boolean areFirst(List<Run> slow, List<Run> all) {
        long quarterNs = all.get(all.size() / 4).startNs();
        return 2 * slow.stream().filter(run -> run.startNs() <= quarterNs).count() > slow.size();
    }

    /** Returns whether the slow ones are passes that read more tokens, as the first pass of a generation does. */
    private static boolean readMore(Analysis analysis, Runs runs, List<Run> slow) {
        Set<Run> slowOnes = Set.copyOf(slow);
        Samples more = new Samples();
        Samples usual = new Samples();
        Timeline timeline = analysis.timeline();
        NavigableMap<Long, Run> byEnd = new TreeMap<>();
        runs.all.forEach(run -> byEnd.put(run.endNs, run));
        for (int row : runs.areRequests ? new int[0] : analysis.rows(RowKind.ANNOTATION)) {
            long tokens = SpanValue.of(timeline, row);
            Map.Entry<Long, Run> run = tokens > 0 ? byEnd.ceilingEntry(timeline.endNs(row)) : null;
            if (run != null && timeline.startNs(row) >= run.getValue().startNs) {
                (slowOnes.contains(run.getValue()) ? more : usual).add(tokens);
            }
        }
        Long moreTokens = more.percentileIfAny(50);
        Long usualTokens = usual.percentileIfAny(50);
        return moreTokens != null && usualTokens != null && moreTokens >= MORE_TOKENS * usualTokens;
    }

    private static String what(Runs runs) {
        return (runs.areRequests ? "requests `" : "steps `") + runs.name + "`";
    }

    private FindingBuilder finding(
            Analysis analysis, Runs runs, List<Run> slow, List<Run> others, Samples lengthsNs, long moreNs) {
        Ledger ledger = HostShare.judged(analysis);
        Run longest = slow.stream().max(Order.comparingLong(Run::ns)).orElseThrow();
        FindingBuilder finding = finding(ledger, Math.min(moreNs, ledger.durationNs()))
                .measure("what", slow.size() + " of " + Units.count(runs.all.size()) + " " + what(runs))
                .measure("median", Units.duration(lengthsNs.percentile(50)))
                .measure(
                        "least",
                        Units.duration(slow.stream().mapToLong(Run::ns).min().orElse(0)))
                .measure("longest", Units.duration(longest.ns()))
                .measure("of all", Units.percent((double) moreNs / runs.totalNs()))
                .claim(CLAIM)
                .quantity("99th percentile", lengthsNs.percentile(99), "ns")
                .quantity("95th percentile", lengthsNs.percentile(95), "ns")
                .noGain("whether the slow ones could do without it is not recorded");
        List<Run> seen = seen(analysis, slow);
        if (seen.size() < Math.min(LEAST_SEEN, slow.size())) {
            finding.advice("What they do shows in a longer recording: stack samples saw " + seen.size() + " of them.");
        } else {
            explain(finding, analysis, seen, slow, seen(analysis, others), others, (double) moreNs / slow.size());
        }
        return finding.evidence(new Evidence.Range(
                "the longest",
                longest.startNs(),
                longest.endNs(),
                Threads.label(analysis.timeline(), longest.thread()),
                ""));
    }

    /**
     * Returns the runs in which a stack sample was taken, where samples show what threads do. Others would get the sample
     * of a neighbour, most of which are of usual length.
     */
    private static List<Run> seen(Analysis analysis, List<Run> runs) {
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

    /** Adds what the slow ones spend their longer time on. */
    private static void explain(
            FindingBuilder finding,
            Analysis analysis,
            List<Run> seenSlow,
            List<Run> slow,
            List<Run> seenOthers,
            List<Run> others,
            double meanMoreNs) {
        Map<Cause, Double> usualNs = perRun(analysis, seenOthers, others);
        Map<Cause, Double> more = perRun(analysis, seenSlow, slow);
        more.replaceAll((cause, ns) -> ns - usualNs.getOrDefault(cause, 0.0));
        String function = largest(sums(more, Cause::function));
        double inFunctionNs = sums(more, Cause::function).getOrDefault(function, 0.0);
        boolean isOnePlace = inFunctionNs >= ONE_PLACE * meanMoreNs && !function.isEmpty();
        Map<Cause, Double> counted = new HashMap<>(more);
        counted.keySet().removeIf(cause -> isOnePlace && !cause.function().equals(function));
        LedgerClass most = largest(sums(counted, Cause::of));
        double mostNs = isOnePlace ? inFunctionNs : sums(more, Cause::of).getOrDefault(most, 0.0);
        finding.measure("most", most.label())
                .measure("where", largest(sums(counted, Cause::place)))
                .measure("mostly", Units.percent(Math.min(1, mostNs / meanMoreNs)))
                .claim(CLAIM + " {mostly} of what they take longer is "
                        + (isOnePlace ? "in `{where}`, above all {most}." : "{most}."));
        places(finding, more, slow.size());
        double usualOfFunctionNs = sums(usualNs, Cause::function).getOrDefault(function, 0.0);
        double usualOfMostNs = sums(usualNs, Cause::of).getOrDefault(most, 0.0);
        boolean isOther = (isOnePlace ? usualOfFunctionNs : usualOfMostNs) < SAME_WORK * meanNs(others);
        if (!isOther && !most.isWaiting()) {
            finding.severity(Severity.INFO); // Inputs of other sizes are no loss by themselves.
        }
        finding.advice(advice(most, isOnePlace, isOther) + Advice.against(most, analysis));
    }

    private static <K> Map<K, Double> sums(Map<Cause, Double> of, Function<Cause, K> by) {
        Map<K, Double> sums = new HashMap<>();
        of.forEach((cause, ns) -> sums.merge(by.apply(cause), ns, Double::sum));
        return sums;
    }

    private static <K extends Comparable<K>> K largest(Map<K, Double> sums) {
        return sums.entrySet().stream()
                .max(Order.<Map.Entry<K, Double>>comparingDouble(Map.Entry::getValue)
                        .thenComparing(Map.Entry::getKey, Comparator.reverseOrder()))
                .orElseThrow()
                .getKey();
    }

    private static double meanNs(List<Run> runs) {
        return runs.stream().mapToLong(Run::ns).average().orElse(0);
    }

    /** Returns the mean time of each cause and place in some runs, by those that were seen, in ns per run. */
    private static Map<Cause, Double> perRun(Analysis analysis, List<Run> seen, List<Run> all) {
        int count = Math.min(MOST_EXPLAINED, seen.size());
        Map<Cause, Double> sums = new HashMap<>();
        long seenNs = 0;
        for (int i = 0; i < count; i++) {
            Run run = seen.get((int) ((long) i * seen.size() / count));
            seenNs += run.ns();
            analysis.threads().explain(run.thread, run.startNs, run.endNs, piece -> {
                String place = analysis.classifier().place(analysis.classifier().placeOf(piece));
                sums.merge(new Cause(piece.ledgerClass(), place), (double) piece.ns(), Double::sum);
            });
        }
        double scale = meanNs(all) / Math.max(1, seenNs);
        sums.replaceAll((cause, ns) -> ns * scale);
        return sums;
    }

    private static void places(FindingBuilder finding, Map<Cause, Double> more, int slow) {
        more.entrySet().stream()
                .filter(entry -> entry.getValue() > 0 && !entry.getKey().place().isEmpty())
                .sorted(Order.<Map.Entry<Cause, Double>>comparingDouble(entry -> -entry.getValue())
                        .thenComparing(entry -> entry.getKey().place()))
                .limit(MOST_PLACES)
                .forEach(entry -> finding.place(
                        entry.getKey().of().label() + ", more in the slow ones",
                        entry.getKey().place(),
                        Math.round(entry.getValue() * slow),
                        slow));
    }

    private static String advice(LedgerClass most, boolean isOnePlace, boolean isOther) {
        if (most.isWaiting() && !isOnePlace) {
            return "They wait where the others do not: see what they wait for. ";
        }
        return isOther
                ? "They do what the others need not, such as filling a cache or cleaning up: do it beforehand, in another thread, or in smaller pieces. "
                : "They do more of what the others do: look for larger inputs, limit their size or put equal sizes together. ";
    }
}
