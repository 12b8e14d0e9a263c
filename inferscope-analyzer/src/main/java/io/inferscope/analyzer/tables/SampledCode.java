package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.SamplingError;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where in the code stack samples were taken, by line and by function. */
public final class SampledCode {
    private static final int LARGEST = 50;
    private static final int MOST_BENEATH = 3;
    private static final int MOST_CALLERS = 2;
    private static final double WORTH_NAMING = 0.05;

    private final Timeline timeline;
    private final Stacks stacks;
    private final long[] stackNs;
    private final Analysis analysis;
    private final int firstRow;
    private final int endRow;
    private final Stretch part;
    private final @Nullable String[] ownLines;
    private long sampledNs;
    private final Map<String, Place> lines = new HashMap<>();
    private final Map<String, Place> functions = new HashMap<>();

    private static final class Place {
        private final SamplingError self = new SamplingError();
        private final Map<LedgerClass, Long> classes = new EnumMap<>(LedgerClass.class);
        private final Map<String, Long> nativeNs = new HashMap<>();
        private final Map<String, Long> columnsNs = new HashMap<>();
        private final Map<String, Long> callerNs = new HashMap<>();
        private long samples;
        private long totalNs;
        private int open;

        void add(long ns, long count, long sampleNs, LedgerClass ledgerClass) {
            samples += count;
            self.add(ns, sampleNs);
            classes.merge(ledgerClass, ns, Long::sum);
        }

        /** Returns the names with most of its time, and their shares of it. */
        String largest(Map<String, Long> times, int most) {
            return times.entrySet().stream()
                    .filter(e -> e.getValue() >= WORTH_NAMING * self.sampledNs())
                    .sorted(Order.largestFirst())
                    .limit(most)
                    .map(e -> e.getKey() + " " + Units.percent((double) e.getValue() / self.sampledNs()))
                    .collect(Collectors.joining(", "));
        }

        LedgerClass largestClass() {
            return Order.largest(classes).orElse(LedgerClass.UNATTRIBUTED);
        }
    }

    private SampledCode(Analysis analysis, int firstRow, int endRow, Stretch part) {
        this.analysis = analysis;
        this.part = part;
        this.firstRow = firstRow;
        this.endRow = endRow;
        timeline = analysis.timeline();
        stacks = timeline.stacks();
        stackNs = new long[stacks.count()];
        ownLines = new @Nullable String[stacks.count()];
        for (int row = firstRow; row < endRow; row++) {
            if (isSample(row)) {
                sample(row);
            }
        }
        totals(lines, stack -> CodePlaces.place(stacks.frame(stack)));
        totals(functions, stack -> FramePatterns.function(stacks.frame(stack)));
    }

    /** Returns where the samples of all threads were taken. */
    public static SampledCode of(Analysis analysis) {
        boolean any = analysis.has(RowKind.STACK_SAMPLE);
        return new SampledCode(analysis, 0, any ? analysis.timeline().rowCount() : 0, HostFigures.ALL);
    }

    /**
     * Returns the samples of the judged thread, or of the thread that launches most, in a part of the recording; none if
     * no such thread is known.
     */
    static SampledCode ofSubject(Analysis analysis, Stretch part) {
        int track = analysis.subjectThread();
        return track < 0 || !analysis.has(RowKind.STACK_SAMPLE)
                ? new SampledCode(analysis, 0, 0, part)
                : new SampledCode(
                        analysis,
                        analysis.timeline().firstRow(track),
                        analysis.timeline().endRow(track),
                        part);
    }

    private void sample(int row) {
        int stack = (int) timeline.attribute(row, Attribute.STACK);
        long ns = HostFigures.withinNs(timeline, row, part);
        long count = samples(row);
        long sampleNs = analysis.classifier().sampleNs(row);
        LedgerClass ledgerClass = analysis.classify(row);
        stackNs[stack] += ns;
        sampledNs += ns;
        if (analysis.classifier().stacks().hasOwnCode(stack)) {
            Place line = lines.computeIfAbsent(analysis.where(row), w -> new Place());
            line.add(ns, count, sampleNs, ledgerClass);
            int own = ownStack(stack);
            called(line, caller(own), ns);
            long columns = timeline.attribute(row, Attribute.COLUMNS);
            if (columns != Attribute.ABSENT && own == withoutNatives(stack)) {
                line.columnsNs.merge(columns(columns), ns, Long::sum);
            }
            if (FramePatterns.isNative(stacks.frame(stack))) {
                line.nativeNs.merge(stacks.text(stack), ns, Long::sum);
            }
        }
        Place function = functions.computeIfAbsent(FramePatterns.function(stacks.frame(stack)), f -> new Place());
        function.add(ns, count, sampleNs, ledgerClass);
        called(function, ownStack(stack) == stack ? caller(stack) : ownLine(stack), ns);
    }

    private int withoutNatives(int stack) {
        int at = stack;
        while (at >= 0 && FramePatterns.isNative(stacks.frame(at))) {
            at = stacks.caller(at);
        }
        return at;
    }

    private static String columns(long packed) {
        long end = packed & 0xffff;
        return (packed >>> 16) + "-" + (end == 0 ? "" : end - 1);
    }

    private static void called(Place place, String line, long ns) {
        if (!line.isEmpty()) {
            place.callerNs.merge(line, ns, Long::sum);
        }
    }

    /** Returns the line that called a stack's innermost function; for recursion, the line of the outermost call. */
    private String caller(int stack) {
        String called = FramePatterns.function(stacks.frame(stack));
        int at = stack;
        do {
            at = ownStack(stacks.caller(at));
        } while (at >= 0 && FramePatterns.function(stacks.frame(at)).equals(called));
        return ownLine(at);
    }

    private String ownLine(int stack) {
        if (stack < 0) {
            return "";
        }
        if (ownLines[stack] == null) {
            ownLines[stack] = analysis.classifier().ownLine(stack);
        }
        return ownLines[stack];
    }

    /** Returns the part of a stack up to the innermost line of the program's own code; -1 if there is no such line. */
    private int ownStack(int stack) {
        String line = ownLine(stack);
        int at = line.isEmpty() ? -1 : stack;
        while (at >= 0 && !CodePlaces.place(stacks.frame(at)).equals(line)) {
            at = stacks.caller(at);
        }
        return at;
    }

    /**
     * Adds to each place the total time of the samples with the place anywhere on their stack. Recursion counts once:
     * only a place's outermost frame on a stack counts, with everything below it.
     */
    private void totals(Map<String, Place> places, IntFunction<String> name) {
        long[] withCalls = stackNs.clone();
        int[] firstCalled = new int[withCalls.length];
        int[] nextCalled = new int[withCalls.length];
        java.util.Arrays.fill(firstCalled, -1);
        java.util.Arrays.fill(nextCalled, -1);
        int roots = -1;
        Place[] placeOf = new Place[withCalls.length];
        for (int stack = withCalls.length - 1; stack >= 0; stack--) {
            int caller = stacks.caller(stack);
            placeOf[stack] = places.computeIfAbsent(name.apply(stack), n -> new Place());
            if (caller < 0) {
                nextCalled[stack] = roots;
                roots = stack;
            } else {
                withCalls[caller] += withCalls[stack];
                nextCalled[stack] = firstCalled[caller];
                firstCalled[caller] = stack;
            }
        }
        int at = roots;
        while (at >= 0) {
            Place place = placeOf[at];
            place.totalNs += place.open++ == 0 ? withCalls[at] : 0;
            int next = firstCalled[at];
            while (next < 0 && at >= 0) {
                placeOf[at].open--;
                next = nextCalled[at];
                at = stacks.caller(at);
            }
            at = next;
        }
    }

    /**
     * Returns one line per line of the user's own code, the hottest first, cut to the hottest. Stacks without such a
     * line are in {@link #functions()} only.
     */
    public List<SampleFigures> lines() {
        return figures(lines);
    }

    /** Returns whether samples were taken at that line of the user's own code. */
    boolean isOwnLine(String place) {
        Place line = lines.get(place);
        return line != null && line.samples > 0;
    }

    /**
     * A function and the samples taken in it and in what it calls.
     *
     * @param function the function, with its file or library
     * @param ns the time of the samples
     * @param samples their number
     */
    public record Called(String function, long ns, long samples) {}

    /**
     * The time of a class in functions whose names are not known.
     *
     * @param file the file with most of it, {@code jit} for generated code; empty for none
     * @param engine the file whose code called the generated one, empty for none
     */
    public record Nameless(String file, String engine, long ns, long allNs) {
        /** Returns whether most of them were compiled while the program ran. */
        public boolean isGenerated() {
            return file.equals(Frame.GENERATED);
        }
    }

    /** Returns the time of a class in which the function that the program ran has no name. */
    public Nameless nameless(LedgerClass wanted) {
        Map<String, Long> byFile = new TreeMap<>();
        Map<String, Long> engines = new TreeMap<>();
        long allNs = 0;
        for (int row = firstRow; row < endRow; row++) {
            if (isSample(row) && analysis.classify(row) == wanted) {
                int stack = (int) timeline.attribute(row, Attribute.STACK);
                int own = ownStack(stack);
                int shown = own < 0 ? stack : own;
                boolean nameless = FrameRole.NAMELESS.of(stacks.frame(shown));
                String file = nameless ? stacks.frame(shown).library() : "";
                int caller = stacks.caller(shown);
                String engine =
                        file.isEmpty() || caller < 0 ? "" : stacks.frame(caller).library();
                long ns = HostFigures.workedNs(analysis, row, part);
                allNs += ns;
                byFile.merge(file, ns, Long::sum);
                engines.merge(engine.equals(file) ? "" : engine, ns, Long::sum);
            }
        }
        byFile.remove("");
        engines.remove("");
        long ns = byFile.values().stream().mapToLong(Long::longValue).sum();
        return new Nameless(
                Order.largest(byFile).orElse(""), Order.largest(engines).orElse(""), ns, allNs);
    }

    /**
     * The samples of one class with a function on their stack; {@code depth} sums up the frames between it and the
     * outermost one.
     */
    private static final class Inside {
        private long ns;
        private long samples;
        private long rows;
        private long depth;
    }

    /**
     * Returns the function with the least time that has, with what it calls, at least half of the samples' time of a
     * class; empty if there is none. Where many small functions share the work, as in a parser, that is the one which
     * the program asked for it. Of several with the same time, it is the one called by the others. Functions of
     * libraries, such as those that allocate and free memory, do not count where the program's own calls them.
     */
    public Optional<Called> narrowestOfHalf(LedgerClass wanted) {
        Map<Integer, Inside> byStack = new HashMap<>();
        long totalNs = 0;
        for (int row = firstRow; row < endRow; row++) {
            if (isSample(row) && analysis.classify(row) == wanted) {
                Inside stack =
                        byStack.computeIfAbsent((int) timeline.attribute(row, Attribute.STACK), s -> new Inside());
                long ns = HostFigures.workedNs(analysis, row, part);
                stack.ns += ns;
                stack.samples += samples(row);
                stack.rows++;
                totalNs += ns;
            }
        }
        Map<String, Inside> inside = new HashMap<>();
        byStack.forEach((stack, samples) -> addTo(inside, stack, samples));
        long halfNs = Math.max(1, (totalNs + 1) / 2);
        return inside.entrySet().stream()
                .filter(function -> function.getValue().ns >= halfNs)
                .min(Order.<Map.Entry<String, Inside>>comparingLong(function -> function.getValue().ns)
                        .thenComparing(function -> -function.getValue().depth)
                        .thenComparing(Map.Entry::getKey))
                .map(function -> new Called(function.getKey(), function.getValue().ns, function.getValue().samples));
    }

    private void addTo(Map<String, Inside> inside, int stack, Inside samples) {
        ArrayDeque<String> outermostFirst = new ArrayDeque<>();
        boolean ownOnly = analysis.classifier().stacks().hasOwnCode(stack);
        for (int at = stack; at >= 0; at = stacks.caller(at)) {
            if (ownOnly && !analysis.classifier().stacks().isOwnCode(at)) {
                continue;
            }
            outermostFirst.addFirst(FramePatterns.function(stacks.frame(at)));
        }
        Set<String> seen = new HashSet<>();
        int depth = 0;
        for (String name : outermostFirst) {
            if (seen.add(name)) {
                Inside function = inside.computeIfAbsent(name, f -> new Inside());
                function.ns += samples.ns;
                function.samples += samples.samples;
                function.depth += samples.rows * depth;
            }
            depth++;
        }
    }

    private boolean isSample(int row) {
        return timeline.kind(row) == RowKind.STACK_SAMPLE
                && timeline.attribute(row, Attribute.STACK) >= 0
                && HostFigures.isWithin(timeline, row, part);
    }

    /** Returns how many samples a row has in the part: of those merged into it, as many as its share of time there. */
    private long samples(int row) {
        long merged = Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
        long ns = HostFigures.withinNs(timeline, row, part);
        return ns == timeline.durationNs(row)
                ? merged
                : Math.max(1, Math.round((double) merged * ns / timeline.durationNs(row)));
    }

    /** Returns one line per function in which samples were taken, the hottest first, cut to the hottest. */
    public List<SampleFigures> functions() {
        return figures(functions);
    }

    private List<SampleFigures> figures(Map<String, Place> places) {
        List<SampleFigures> figures = new ArrayList<>();
        places.forEach((name, place) -> {
            if (place.samples > 0) {
                figures.add(new SampleFigures(
                        name,
                        place.largestClass(),
                        place.samples,
                        place.self.sampledNs(),
                        place.self.boundNs(sampledNs),
                        place.totalNs,
                        place.largest(place.callerNs, MOST_CALLERS),
                        place.largest(place.columnsNs, MOST_BENEATH),
                        place.largest(place.nativeNs, MOST_BENEATH)));
            }
        });
        figures.sort(Order.comparingLong(SampleFigures::selfNs).reversed().thenComparing(SampleFigures::place));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }
}
