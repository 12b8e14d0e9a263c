package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Where in the code the time of the judged host thread went, and whose doing it was where that thread waited for another. */
public final class ThreadTime {
    private static final int LARGEST = 50;

    private final Analysis analysis;
    private final Timeline timeline;
    private final int track;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final List<Amount> amounts;

    /** Of the judged thread's time in the window, or in a part of it. */
    ThreadTime(Analysis analysis, List<Amount> amounts) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.track = analysis.subjectThread();
        this.threads = analysis.threads();
        this.classifier = analysis.classifier();
        this.amounts = amounts;
    }

    /** Returns one line per cause, thread, state, activity and place, the largest first, cut to the largest. */
    public List<PlaceFigures> figures() {
        List<PlaceFigures> all = all();
        return List.copyOf(all.subList(0, Math.min(LARGEST, all.size())));
    }

    private List<PlaceFigures> all() {
        List<PlaceFigures> figures = new ArrayList<>();
        long sampledNs = BlameAmounts.sampledNs(amounts);
        for (Amount amount : amounts) {
            figures.add(new PlaceFigures(
                    Threads.labelInProcess(timeline, amount.thread(), track),
                    !analysis.isJudged(amount.thread()),
                    amount.cause(),
                    amount.state().text(),
                    amount.activity() < 0 ? "" : timeline.text(amount.activity()),
                    classifier.place(amount.place()),
                    amount.ns(),
                    amount.gaps(),
                    amount.estimated(),
                    amount.boundNs(sampledNs)));
        }
        figures.sort(Comparator.comparingLong(PlaceFigures::ns)
                .reversed()
                .thenComparing(PlaceFigures::cause)
                .thenComparing(PlaceFigures::thread)
                .thenComparing(PlaceFigures::where)
                .thenComparing(PlaceFigures::activity)
                .thenComparing(PlaceFigures::state));
        return figures;
    }

    /**
     * A function and the time blamed on it.
     *
     * @param hottest its line with most time, {@code file:line function}
     * @param thread whose doing it was
     * @param followed whether that is another thread than the judged one
     * @param cause the class with most of the time
     * @param ns the time, over all its lines
     */
    public record Function(String hottest, String thread, boolean followed, LedgerClass cause, long ns) {}

    /** Returns the functions with most of the time that is wanted, the largest first. Time at no known place is left out. */
    public List<Function> functions(Predicate<PlaceFigures> wanted) {
        Map<String, Function> byFunction = new LinkedHashMap<>();
        for (PlaceFigures place : all()) {
            if (!place.where().isEmpty() && wanted.test(place)) {
                String key = place.where().replaceFirst(":\\d+(?= |$)", "") + '\n' + place.thread();
                byFunction.merge(
                        key,
                        new Function(place.where(), place.thread(), place.followed(), place.cause(), place.ns()),
                        (a, b) -> new Function(a.hottest, a.thread, a.followed, a.cause, a.ns + b.ns));
            }
        }
        return byFunction.values().stream()
                .sorted(Comparator.comparingLong(Function::ns).reversed().thenComparing(Function::hottest))
                .toList();
    }

    /**
     * A line of the program's own code, and the time of the judged thread in which it ran there, or waited for a thread that did.
     *
     * @param place {@code file:line function}
     * @param track the thread that ran it most
     * @param ns the time, over all threads
     */
    public record Line(String place, int track, long ns) {}

    /** Returns the line at which most of the time went to work, whichever thread did it. Time in which nobody worked counts for none. */
    public Optional<Line> hottestLine(SampledCode sampled) {
        Map<Integer, Map<Integer, Long>> byPlace = new LinkedHashMap<>();
        for (Amount amount : amounts) {
            boolean work = !amount.cause().isWaiting() && amount.cause() != LedgerClass.PROFILER;
            if (work && sampled.isOwnLine(classifier.place(amount.place()))) {
                byPlace.computeIfAbsent(amount.place(), p -> new LinkedHashMap<>())
                        .merge(amount.thread(), amount.ns(), Long::sum);
            }
        }
        return byPlace.entrySet().stream()
                .map(place -> line(classifier.place(place.getKey()), place.getValue()))
                .max(Comparator.comparingLong(Line::ns)
                        .thenComparing(Comparator.comparing(Line::place).reversed()));
    }

    private static Line line(String place, Map<Integer, Long> byThread) {
        int most = byThread.entrySet().stream()
                .max(Map.Entry.<Integer, Long>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse(-1);
        return new Line(
                place,
                most,
                byThread.values().stream().mapToLong(Long::longValue).sum());
    }

    /**
     * A thread and the time that its doing took of the judged thread's.
     *
     * @param track the thread
     * @param ns the time
     */
    public record Share(int track, long ns) {}

    /** Returns whose doing the time with one cause was: the judged thread, and those that it waited for; most first. */
    public List<Share> threads(LedgerClass cause) {
        Map<Integer, Long> byThread = new LinkedHashMap<>();
        for (Amount amount : amounts) {
            if (amount.cause() == cause && amount.thread() >= 0) {
                byThread.merge(amount.thread(), amount.ns(), Long::sum);
            }
        }
        return byThread.entrySet().stream()
                .map(entry -> new Share(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(Share::ns).reversed().thenComparing(Share::track))
                .toList();
    }

    /**
     * Returns the part of the stretch that passed while other threads worked, or would have, that this one waited for, as a ledger entry sum in ns.
     * A thread that computes the model serves, as autograd's does: that it is waited for is no loss. What it waited for itself is a loss of that
     * sort, such as a socket's.
     */
    public long followedNs(Ledger ledger) {
        return Math.min(
                ledger.durationNs(),
                amounts.stream()
                        .filter(a -> !analysis.isJudged(a.thread()) && a.cause() != LedgerClass.CPU_MODEL_COMPUTE)
                        .filter(a -> !a.cause().isWaiting() || a.cause().isHostWork())
                        .filter(a -> !threads.isAutograd(a.thread()))
                        .mapToLong(Amount::ns)
                        .sum());
    }
}
