package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where in the code the time of the judged host thread went; while it waited for another thread, where in the code that
 * thread was.
 */
public final class ThreadTime {
    private static final int LARGEST = 50;

    /**
     * With this many samples, the share of a line that took half of a scope's time is off by at most 22 points, 19
     * times of 20 (binomial).
     */
    private static final int ENOUGH_SAMPLES = 20;

    /** From so many threads of alike names on, no single one is of interest. */
    static final int MANY = 4;

    private static final Comparator<Function> LARGEST_FIRST = Order.comparingLong(Function::ns)
            .reversed()
            .thenComparing(Function::hottest)
            .thenComparing(Function::thread)
            .thenComparing(Function::cause);

    private final Analysis analysis;
    private final Timeline timeline;
    private final int track;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final List<Amount> amounts;
    private final Map<Integer, Boolean> engines = new HashMap<>();

    /** Takes the judged thread's time in the window, or in a part of it. */
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
        return all().stream().limit(LARGEST).map(Placed::figures).toList();
    }

    /** A line of the table, how many stack samples represent its time, and how much of it they represent. */
    private record Placed(PlaceFigures figures, long samples, long seenNs) {
        /** Returns the time for which the place is known: a wait's is where it began, a scope's where it was opened. */
        long knownNs() {
            return figures.cause().isWaiting() ? figures.ns() : seenNs;
        }
    }

    private List<Placed> all() {
        List<Placed> placed = new ArrayList<>();
        long sampledNs = BlameAmounts.sampledNs(amounts);
        for (Amount amount : amounts) {
            PlaceFigures figures = new PlaceFigures(
                    Threads.labelInProcess(timeline, amount.thread(), track),
                    !analysis.isJudged(amount.thread()),
                    amount.cause(),
                    amount.state(),
                    amount.activity() < 0 ? "" : timeline.text(amount.activity()),
                    classifier.place(amount.place()),
                    amount.ns(),
                    amount.pieces(),
                    amount.estimated(),
                    amount.boundNs(sampledNs));
            placed.add(new Placed(figures, amount.samples(), amount.seenNs()));
        }
        placed.sort(Order.comparing(
                Placed::figures,
                Order.comparingLong(PlaceFigures::ns)
                        .reversed()
                        .thenComparing(PlaceFigures::cause)
                        .thenComparing(PlaceFigures::thread)
                        .thenComparing(PlaceFigures::where)
                        .thenComparing(PlaceFigures::activity)
                        .thenComparing(PlaceFigures::state)));
        return placed;
    }

    /**
     * A function and the time blamed on it.
     *
     * @param lines its lines, {@code file:line function}, and the time of each in ns, the largest first; never empty
     * @param thread the thread that was there
     * @param followed whether that is another thread than the judged one
     * @param causes the classes of the time, and the time of each in ns, the largest first; never empty
     * @param scaled whether samples in a part of the scopes of one name stand for all of them
     * @param builtIns the built-in functions that it was measured to call, and the time in each in ns
     */
    public record Function(
            Map<String, Long> lines,
            String thread,
            boolean followed,
            Map<LedgerClass, Long> causes,
            boolean scaled,
            Map<String, Long> builtIns) {
        private static final double NEARLY_ALL = 0.9;
        private static final int NAMED_LINES = 3;

        /** Returns the line with most time. */
        public String hottest() {
            return lines.keySet().iterator().next();
        }

        /** Returns the time over all lines, in ns. */
        public long ns() {
            return lines.values().stream().mapToLong(Long::longValue).sum();
        }

        /**
         * Returns the activity, its lines if the hottest does not take nearly all of the time, and the evidence if it
         * does not come from intervals.
         */
        public String label() {
            return what() + split() + (scaled ? ", by samples" : "") + builtIn();
        }

        private String what() {
            Iterator<LedgerClass> largest = causes.keySet().iterator();
            LedgerClass first = largest.next();
            boolean one = causes.getOrDefault(first, 0L) >= NEARLY_ALL * ns();
            return first.label()
                    + (one || !largest.hasNext() ? "" : " and " + largest.next().label());
        }

        /** Returns the class with most of the time. */
        public LedgerClass cause() {
            return causes.keySet().iterator().next();
        }

        /** Names the built-in function that takes most of the time: a function's line is only where it begins. */
        private String builtIn() {
            return builtIns.entrySet().stream()
                    .filter(called -> !cause().isWaiting() && 2 * called.getValue() >= ns())
                    .map(called -> ", mostly in " + called.getKey())
                    .findFirst()
                    .orElse("");
        }

        private String split() {
            if (lines.values().iterator().next() >= NEARLY_ALL * ns()) {
                return "";
            }
            List<String> parts = new ArrayList<>();
            for (Map.Entry<String, Long> line : lines.entrySet()) {
                String number = CodePlaces.line(line.getKey());
                if (parts.size() < NAMED_LINES && !number.isEmpty()) {
                    parts.add(number + " (" + Units.duration(line.getValue()) + ")");
                }
            }
            int others = lines.size() - parts.size();
            return parts.isEmpty()
                    ? ""
                    : ", at lines " + String.join(", ", parts) + (others > 0 ? " and " + others + " more" : "");
        }

        private Function of(String threads) {
            return new Function(lines, threads, followed, causes, scaled, builtIns);
        }

        /** Returns the sum of parts of one function. */
        private static Function sum(List<Function> parts) {
            Function first = parts.get(0);
            return parts.size() == 1
                    ? first
                    : new Function(
                            Order.largestFirst(sums(parts, Function::lines)),
                            first.thread,
                            first.followed,
                            Order.largestFirst(sums(parts, Function::causes)),
                            parts.stream().anyMatch(Function::scaled),
                            sums(parts, Function::builtIns));
        }

        private static <K> Map<K, Long> sums(
                List<Function> parts, java.util.function.Function<Function, Map<K, Long>> of) {
            Map<K, Long> sums = new LinkedHashMap<>();
            parts.forEach(part -> of.apply(part).forEach((key, ns) -> sums.merge(key, ns, Long::sum)));
            return sums;
        }
    }

    /**
     * Returns the functions with most of the time that is wanted, the largest first; the time of at least {@value #MANY}
     * threads whose names differ only in numbers is added up. Time at no known place is left out. Most short scopes hold no stack sample, so that only the line is known that opened them. The samples in
     * other scopes of the same name stand for these, where there are at least {@value #ENOUGH_SAMPLES} of them.
     */
    public List<Function> functions(Predicate<PlaceFigures> wanted) {
        Map<String, List<Function>> byFunction = new LinkedHashMap<>();
        List<Placed> placed = all().stream()
                .filter(place -> !place.figures().where().isEmpty() && wanted.test(place.figures()))
                .toList();
        Map<String, Set<String>> alike = placed.stream()
                .map(place -> place.figures().thread())
                .collect(Collectors.groupingBy(Pools::shared, Collectors.toCollection(LinkedHashSet::new)));
        placed.stream()
                .collect(
                        Collectors.groupingBy(place -> scope(place.figures()), LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .flatMap(ThreadTime::lines)
                .map(line -> line.of(crowd(alike.getOrDefault(Pools.shared(line.thread), Set.of()), line.thread)))
                .sorted(LARGEST_FIRST)
                .forEach(line -> byFunction
                        .computeIfAbsent(
                                CodePlaces.withoutLine(line.hottest()) + '\n' + line.thread, key -> new ArrayList<>())
                        .add(line));
        return byFunction.values().stream()
                .map(Function::sum)
                .sorted(LARGEST_FIRST)
                .toList();
    }

    private static String crowd(Set<String> alike, String thread) {
        return alike.size() < MANY
                ? thread
                : Threads.crowd(alike.size()) + alike.iterator().next();
    }

    private static List<Object> scope(PlaceFigures place) {
        return List.of(place.thread(), place.cause(), place.activity());
    }

    /** Returns the lines that took the time of one thread with one cause in the scopes of one name. */
    private static Stream<Function> lines(List<Placed> places) {
        long knownNs = places.stream().mapToLong(Placed::knownNs).sum();
        boolean enough = places.stream().mapToLong(Placed::samples).sum() >= ENOUGH_SAMPLES && knownNs > 0;
        double scale = enough ? (double) ns(places) / knownNs : 1;
        return places.stream()
                .filter(place -> !enough || place.knownNs() > 0)
                .map(place -> function(
                        place.figures(), enough ? Math.round(place.knownNs() * scale) : place.figures.ns(), scale > 1));
    }

    private static Function function(PlaceFigures place, long ns, boolean scaled) {
        return new Function(
                Map.of(place.where(), ns),
                place.thread(),
                place.followed(),
                Map.of(place.cause(), ns),
                scaled,
                builtIns(place));
    }

    private static Map<String, Long> builtIns(PlaceFigures place) {
        return place.activity().startsWith("<built-in")
                ? Map.of(FramePatterns.withoutAddress(place.activity()), place.ns())
                : Map.of();
    }

    private static long ns(List<Placed> places) {
        return places.stream().mapToLong(place -> place.figures().ns()).sum();
    }

    /**
     * A line of the program's own code, and the time of the judged thread in which it ran there, or waited for a thread
     * that did.
     *
     * @param place {@code file:line function}
     * @param track the thread that ran it most
     * @param ns the time, over all threads
     */
    public record Line(String place, int track, long ns) {}

    /**
     * Returns the line at which most of the time went to work, whichever thread did it. Time in which no thread worked
     * is not counted.
     */
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
                .max(Order.comparingLong(Line::ns)
                        .thenComparing(Order.comparing(Line::place).reversed()));
    }

    private static Line line(String place, Map<Integer, Long> byThread) {
        int most = Order.largest(byThread).orElse(-1);
        return new Line(
                place,
                most,
                byThread.values().stream().mapToLong(Long::longValue).sum());
    }

    /**
     * A thread, or at least {@value #MANY} of a process whose names differ only in numbers, and the time of the judged
     * thread in which they worked or were waited for.
     *
     * @param tracks the threads, the one with most of the time first
     * @param ns the time, of all together
     */
    public record Share(List<Integer> tracks, long ns) {
        /** Returns the track of the thread with most of the time. */
        public int track() {
            return tracks.get(0);
        }

        private Share and(Share other) {
            return new Share(
                    Stream.concat(tracks.stream(), other.tracks.stream()).toList(), ns + other.ns);
        }
    }

    /**
     * Returns the threads that the time with one cause went to: the judged thread, and those that it waited for; most
     * first.
     */
    public List<Share> threads(LedgerClass cause) {
        Map<Integer, Long> byThread = new LinkedHashMap<>();
        for (Amount amount : amounts) {
            if (amount.cause() == cause && amount.thread() >= 0) {
                byThread.merge(amount.thread(), amount.ns(), Long::sum);
            }
        }
        Comparator<Share> mostFirst = Order.comparingLong(Share::ns).reversed().thenComparing(Share::track);
        return byThread.entrySet().stream()
                .map(entry -> new Share(List.of(entry.getKey()), entry.getValue()))
                .sorted(mostFirst)
                .collect(Collectors.groupingBy(share -> Pools.kind(timeline, share.track())))
                .values()
                .stream()
                .flatMap(alike -> alike.size() < MANY ? alike.stream() : alike.stream().reduce(Share::and).stream())
                .sorted(mostFirst)
                .toList();
    }

    /** Returns whether time of a class is the model's, without a device calling its operators included. */
    public static boolean isModels(LedgerClass cause, Analysis analysis) {
        return cause == LedgerClass.CPU_MODEL_COMPUTE
                || (cause == LedgerClass.FRAMEWORK_DISPATCH
                        && analysis.devices().isEmpty());
    }

    /**
     * Returns how long the judged thread waited for other threads that worked, or wanted to work and were held up by
     * the program's own threads, in ns. Waiting for a thread that computes the model, or for autograd's, is no loss and
     * does not count, nor does its lack of a CPU in calls that mostly compute the model. Nor does time in which the other thread waited for something else, such as a socket: that counts
     * as a wait of that kind.
     */
    public long followedNs(Ledger ledger) {
        return followedNs(ledger, a -> true);
    }

    /**
     * The same, without what the processes and threads of an inference engine do in the engine's own code: whoever uses
     * it waits for that by intent, and can change options only.
     */
    public long followedBesideEnginesNs(Ledger ledger) {
        return followedNs(ledger, a -> a.cause() == LedgerClass.CPU_PYTHON || !isEngines(a.thread()));
    }

    /** Returns for how long the threads that the judged one waited for were ready without a CPU, in ns. */
    public long othersStarvedNs() {
        return amounts.stream()
                .filter(a -> !analysis.isJudged(a.thread()) && a.cause() == LedgerClass.WAIT_RUN_QUEUE)
                .mapToLong(Amount::ns)
                .sum();
    }

    private boolean isEngines(int thread) {
        // Engines' roles have two words, such as "vllm worker"; a forked process is a "fork".
        String role =
                ProcessFact.ROLE.of(timeline, timeline.tracks().get(thread).parent());
        return role.indexOf(' ') > 0 || engines.computeIfAbsent(thread, this::stepsModel);
    }

    /** Returns whether a thread, say one that a library started, mostly computes the model. */
    private boolean stepsModel(int thread) {
        return amounts.stream()
                        .filter(a -> a.thread() == thread && !a.cause().isWaiting())
                        .mapToLong(a -> isModels(a.cause(), analysis) ? a.ns() : -a.ns())
                        .sum()
                > 0;
    }

    private long followedNs(Ledger ledger, Predicate<Amount> asked) {
        Map<Integer, Long> models = new HashMap<>();
        amounts.stream()
                .filter(a -> !a.cause().isWaiting())
                .forEach(a -> models.merge(a.activity(), isModels(a.cause(), analysis) ? a.ns() : -a.ns(), Long::sum));
        return Math.min(
                ledger.durationNs(),
                amounts.stream()
                        .filter(a -> !analysis.isJudged(a.thread()) && !isModels(a.cause(), analysis))
                        .filter(a -> !a.cause().isWaiting() || a.cause().isHostWork())
                        .filter(a ->
                                a.cause() != LedgerClass.WAIT_RUN_QUEUE || models.getOrDefault(a.activity(), 0L) <= 0)
                        .filter(a -> !threads.isAutograd(a.thread()))
                        .filter(asked)
                        .mapToLong(Amount::ns)
                        .sum());
    }
}
