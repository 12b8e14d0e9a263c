package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.SamplingError;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the places of the program's own code cost, each with everything that it calls, over all classes.
 *
 * <pre>
 *   main:40                        100 %   of the cost apart from the model: go on
 *     handle:20  load_adapter       65 %   a place: the library's functions beneath it are no own code
 *     handle:22  answer
 *       answer:12  generate         35 %   the model, told by its operators
 * </pre>
 *
 * <p>The lines of own code on the stack of each instant are a path in a tree of lines. From its root, a line or function
 * with at least {@value #NEARLY_ALL} of its caller's cost takes the caller's place; where the cost splits, the parts are
 * places. A function of which no part leads to the model is one place, however its cost splits over its lines, unless
 * nearly all of it is another function's that one of the lines calls.
 *
 * <p>A line that waits for another thread of the program calls that thread's lines, so to speak: it has their cost. If
 * they wait themselves, or work for less than half of its cost, they are a part of it, else places by themselves.
 *
 * <p>The model's time is no cost of a line: computing in a call of a module, a session or a compiled function, what
 * leads to it, and waits for a CPU there. Own code that the model calls back, such as a processor of logits, is a place.
 * Nor does time count in which a thread waits for connections or for work, or imports modules.
 */
public final class OwnPlaces {
    /** Rows whose lines are kept: more than are ever around one row. */
    private static final int MOST_ROWS = 1 << 17;

    private static final double NEARLY_ALL = 0.8;

    /** A call on the stacks of so much of a part began before it and ends after it. */
    private static final double WHOLE = 0.98;

    /** With this part of its time in the model, a line or function leads to the model. */
    private static final double LEADS_TO_MODEL = 0.05;

    private final Analysis analysis;
    private final Timeline timeline;
    private final Stacks stacks;
    private final ActivityClassifier classifier;
    private final Stretch part;
    private final boolean startUp;

    /** By stack: whether it is of a task of an event loop. A task never waits for work, as its loop would wait with it. */
    private final boolean[] inTask;

    private final LoopHops hops;
    private final @Nullable Intervals waits;
    private final Line root = new Line("", "", null);
    private final Map<String, Line> unseen = new HashMap<>();

    /** All time that samples saw, of any class, by stack. */
    private final Map<Integer, Long> allStacksNs = new HashMap<>();

    /** Lines of the recorded functions around rows. */
    private final Map<Integer, Line> ofRows = new HashMap<>();

    private final List<Place> places;
    private long sampledNs;

    /** The same with the time of recorded calls: samples tell that of other lines from it. */
    private long comparedNs;

    private long importsNs;
    private boolean callsModel;

    /**
     * A place and its cost.
     *
     * @param line the line with most of the cost, {@code file:line function}
     * @param lines the line, and the others of the same function or, without any, those that it calls; the costliest
     *     first, in ns
     * @param calls the functions of libraries that it calls with at least half of its cost, and within them those with
     *     nearly all of it, outermost first; empty for none
     * @param callee the own line, called or waited for, whose function has at least half of the cost; empty for none
     * @param ns the cost, model aside
     * @param boundNs how far it may be off, either way, because it comes from samples
     * @param leastNs the cost by which it is graded: less what chance adds beside the time of recorded calls
     * @param classes the cost by class, the largest first, and at the end waiting for a CPU
     * @param path the own lines that lead to it, outermost first
     * @param count how often the line was entered, as far as that is recorded; 0 if not
     * @param followed whether any of it was spent by a thread that the judged one waited for
     * @param awaited whether the line is another thread's, and its path leads to the line that waits for it
     * @param around whether one call that it makes goes on for the whole part
     */
    public record Place(
            String line,
            Map<String, Long> lines,
            List<String> calls,
            String callee,
            long ns,
            long boundNs,
            long leastNs,
            Map<LedgerClass, Long> classes,
            List<String> path,
            long count,
            boolean followed,
            boolean awaited,
            boolean around) {
        /** Returns the cost of some classes, in ns. */
        public long nsOf(List<LedgerClass> of) {
            return of.stream()
                    .distinct()
                    .mapToLong(one -> classes.getOrDefault(one, 0L))
                    .sum();
        }

        /** Returns the class with most of the cost; waiting for a CPU, which is no matter of the place, comes last. */
        public LedgerClass largest() {
            return classes.keySet().iterator().next();
        }

        /** Returns the cost without waiting for a CPU, in ns. */
        public long withoutStarvingNs() {
            return ns - classes.getOrDefault(LedgerClass.WAIT_RUN_QUEUE, 0L);
        }
    }

    /** Time at a line of own code, by class. */
    private static final class Time {
        private final Map<LedgerClass, Long> classes = new EnumMap<>(LedgerClass.class);
        private final SamplingError error = new SamplingError();
        private boolean followed;
        private long ns;

        void add(LedgerClass of, long addedNs, long sampleNs, boolean byOther, int block) {
            classes.merge(of, addedNs, Long::sum);
            followed |= byOther;
            ns += addedNs;
            if (sampleNs > 0) {
                error.add(addedNs, sampleNs, block);
            }
        }

        void addAll(Time other) {
            other.classes.forEach((of, otherNs) -> classes.merge(of, otherNs, Long::sum));
            error.addAll(other.error);
            followed |= other.followed;
            ns += other.ns;
        }

        long waitingNs() {
            return classes.entrySet().stream()
                    .filter(of -> of.getKey().isWaiting() && !of.getKey().isHostWork())
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }

        /** Moves the time of a class to another one's. */
        long remove(LedgerClass of) {
            Long removed = classes.remove(of);
            ns -= removed == null ? 0 : removed;
            return removed == null ? 0 : removed;
        }
    }

    /** A line of own code below the lines that lead to it. */
    private static final class Line {
        private final String place;
        private final String function;
        private final @Nullable Line by;
        private final Map<String, Line> callees = new TreeMap<>();

        /** While it is the innermost own line; later with its callees. */
        private final Time cost = new Time();

        /** Operators outside of any call of a model: the model itself, in a program without such calls. */
        private final Time operators = new Time();

        private final Map<Integer, Long> stacksNs = new HashMap<>();

        /** Stacks on which it waits for lines of other threads. */
        private final Map<Integer, Long> waitingStacksNs = new HashMap<>();

        /** Lines of stacks that begin beneath this one. */
        private final Map<Integer, Line> ofStacks = new HashMap<>();

        /** Lines of other threads for which this one waits with its own cost, and their time. */
        private final Map<String, Long> awaited = new HashMap<>();

        /** By what it gave work to other threads, again and again, and the time of its loop with that. */
        private final Map<String, Long> handedOver = new HashMap<>();

        /** Whether an event loop, or a library in one of its tasks, calls it: its lines do not belong together. */
        private boolean isTask;

        /** Whether it is the outermost line of a thread for which its caller waits. */
        private boolean isAwaited;

        private long modelNs;
        private long ownNs;

        Line(String place, String function, @Nullable Line by) {
            this.place = place;
            this.function = function;
            this.by = by;
        }

        /** Returns whether it is of a function, or called by one of that name. */
        boolean isIn(String name) {
            Line at = this;
            while (at != null && !at.function.equals(name)) {
                at = at.by;
            }
            return at != null;
        }

        boolean leadsToModel() {
            return modelNs > LEADS_TO_MODEL * (modelNs + cost.ns);
        }

        /**
         * Makes the time of other threads this line's own, if these wait themselves, or work for less than half of its
         * cost: asking less often, or for more at once, is up to this line.
         */
        void keepWaits() {
            List<Line> others =
                    callees.values().stream().filter(line -> line.isAwaited).toList();
            long othersNs = others.stream().mapToLong(line -> line.cost.ns).sum();
            long waitingNs =
                    others.stream().mapToLong(line -> line.cost.waitingNs()).sum();
            long starvedNs = others.stream()
                    .mapToLong(line -> line.cost.classes.getOrDefault(LedgerClass.WAIT_RUN_QUEUE, 0L))
                    .sum();
            if (2 * othersNs < cost.ns || 2 * waitingNs >= othersNs - starvedNs) {
                others.forEach(line -> awaited.merge(line.place, line.cost.ns, Long::sum));
                waitingStacksNs.forEach((stack, ns) -> stacksNs.merge(stack, ns, Long::sum));
                ownNs += othersNs;
                callees.values().removeAll(others);
            }
        }

        boolean waitsForWork() {
            return callees.values().stream().anyMatch(line -> line.isAwaited);
        }
    }

    /**
     * Finds the places of a part.
     *
     * @param startUp whether loading and compiling is not counted, as it is told by itself
     * @param waits when only what other threads did counts; null for all time of the part
     */
    private OwnPlaces(Analysis analysis, Stretch part, boolean startUp, @Nullable Intervals waits) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.stacks = timeline.stacks();
        this.inTask = Service.inTask(stacks);
        this.classifier = analysis.classifier();
        this.hops = analysis.once(LoopHops.class, LoopHops::new);
        this.part = part;
        this.startUp = startUp;
        this.waits = waits;
        this.places = find();
    }

    /**
     * The places of the judged part.
     *
     * @param places the places, with the largest cost first
     * @param importsNs how much of the part went to imports, in ns
     */
    public record Judged(List<Place> places, long importsNs) {}

    /** Returns the places of the judged part. */
    public static Judged judged(Analysis analysis) {
        return analysis.once(Judged.class, of -> {
            OwnPlaces found = new OwnPlaces(of, of.judgedHostStretch(), false, null);
            return new Judged(found.places, found.importsNs);
        });
    }

    /**
     * Returns the places of another part of the judged thread's time.
     *
     * @param startUp whether loading and compiling does not count
     */
    public static List<Place> within(Analysis analysis, Stretch part, boolean startUp) {
        return new OwnPlaces(analysis, part, startUp, null).places;
    }

    /** Returns the places at which other threads worked while the judged one waited for them, within some time. */
    public static List<Place> ofOthers(Analysis analysis, Intervals waits) {
        return new OwnPlaces(analysis, analysis.judgedHostStretch(), false, waits).places;
    }

    private void takeOthers(ThreadPiece piece) {
        if (!analysis.isJudged(piece.thread())
                && (!piece.ledgerClass().isWaiting() || piece.ledgerClass().isHostWork())) {
            take(piece);
        }
    }

    private List<Place> find() {
        if (waits != null) {
            analysis.threads().explain(analysis.subjectThread(), waits, this::takeOthers);
        } else if (analysis.service().isPresent() && part.equals(analysis.judgedHostStretch())) {
            analysis.service().orElseThrow().pieces(analysis.threads(), this::take);
        } else if (analysis.subjectThread() >= 0) {
            analysis.threads().explain(analysis.subjectThread(), part.startNs(), part.endNs(), this::take);
        }
        Map<String, Line> seen = new HashMap<>();
        all().forEach(line -> seen.merge(line.place, line, (one, other) -> time(one) >= time(other) ? one : other));
        unseen.forEach((place, line) -> addUnseen(line, seen.get(place)));
        List<Line> lines = all();
        lines.forEach(this::settle);
        for (int i = lines.size() - 1; i >= 0; i--) {
            Line line = lines.get(i);
            line.ownNs = line.cost.ns;
            line.callees.values().forEach(callee -> {
                line.cost.addAll(callee.cost);
                line.modelNs += callee.modelNs;
            });
            line.keepWaits();
        }
        Map<String, List<Found>> byPlace = new LinkedHashMap<>();
        search(root, byPlace);
        joinLines(byPlace);
        Map<String, Long> counts = counts();
        return byPlace.values().stream()
                .map(found -> place(found, counts))
                .sorted(Order.comparingLong(Place::ns).reversed().thenComparing(Place::line))
                .toList();
    }

    /** Returns all lines, callers before what they call. */
    private List<Line> all() {
        List<Line> lines = new ArrayList<>(List.of(root));
        for (int i = 0; i < lines.size(); i++) {
            lines.addAll(lines.get(i).callees.values());
        }
        return lines;
    }

    private void take(ThreadPiece piece) {
        LedgerClass of = piece.ledgerClass();
        int stack = stackOf(piece.sample());
        boolean held = of == LedgerClass.WAIT_RUN_QUEUE || of == LedgerClass.WAIT_PAGE_FAULT;
        LedgerClass work = held ? classifier.classifyRunning(piece.row(), piece.sample()) : of;
        boolean imports = stack >= 0 && classifier.isInImport(stack);
        importsNs += imports ? piece.ns() : 0;
        boolean told = imports || (startUp && work == LedgerClass.FRAMEWORK_COMPILE_LOAD);
        if (stack >= 0) {
            allStacksNs.merge(stack, piece.ns(), Long::sum);
        }
        boolean others = waits == null && !analysis.isJudged(piece.thread());
        int waitingStack = others ? stackOf(piece.waitingSample()) : -1;
        Line waiting = others ? waiting(waitingStack, piece.waitingRow()) : root;
        // Of a thread that is waited for and waits itself, the stack need not be known.
        int shownStack = stack < 0 && waiting != root ? waitingStack : stack;
        boolean shown = told || of == LedgerClass.PROFILER || ThreadTime.isModels(work, analysis);
        int given = shown || (others && !classifier.ownLine(stack).isEmpty()) ? -1 : given(piece);
        if (given >= 0 && !showsTask(others ? piece.waitingSample() : piece.sample(), given)) {
            Line line = called(root, classifier.where(given), classifier.where(given));
            line.isTask = true;
            line.cost.add(of, piece.ns(), 0, others, block(piece));
            line.handedOver.merge(givenBy(given), piece.ns(), Long::sum);
            return;
        }
        boolean ofLoop = waiting == root && classifier.isOfLoop(piece);
        if (of == LedgerClass.PROFILER || told || isIdle(piece, shownStack) || ofLoop) {
            return;
        }
        Line line = line(stack, piece.row(), waiting);
        if (line == root) {
            return;
        }
        if (line != waiting) {
            add(piece, of, work, line, stack);
            if (waiting != root && waitingStack >= 0) {
                waiting.waitingStacksNs.merge(waitingStack, piece.ns(), Long::sum);
            }
        } else if (ThreadTime.isModels(work, analysis)) {
            line.modelNs += piece.ns();
        } else {
            add(piece, of, of, line, waitingStack); // Nothing shows own code of the thread that is waited for.
        }
    }

    /** Returns the innermost line of a stack or, without one, around a row; {@code from} if there is no own code. */
    private Line line(int stack, int row, Line from) {
        if (stack >= 0) {
            return from.ofStacks.computeIfAbsent(stack, s -> ofStack(s, from));
        }
        Line line = ofRow(row);
        return line == root ? from : line;
    }

    /** Returns the line that waits for another thread; of an event loop, that of the task which awaits. */
    private Line waiting(int stack, int row) {
        if (!classifier.isLoopsWait(row)) {
            return classifier.isOfLoop(stack, true) ? root : line(stack, row, root);
        }
        String place = classifier.where(row);
        Line line = place.isEmpty() ? root : called(root, place, place);
        line.isTask = line != root;
        return line;
    }

    /** Returns the row at which a task gave work away for which the judged thread's loop works or waits; -1 for none. */
    private int given(ThreadPiece piece) {
        int track = analysis.isJudged(piece.thread()) ? piece.thread() : analysis.subjectThread();
        return waits != null || track < 0 ? -1 : hops.of(track, piece);
    }

    /** Returns by what work was given away, such as {@code Executor.submit}. */
    private String givenBy(int given) {
        String by = timeline.attributeText(given, Attribute.DETAIL);
        return by.isEmpty() ? timeline.name(given) : by;
    }

    /** Returns whether a sample was taken while a loop worked for a line, and shows own code that the loop called. */
    private boolean showsTask(int sample, int given) {
        int stack = stackOf(sample);
        if (stack < 0 || !inTask[stack] || line(stack, -1, root) == root) {
            return false;
        }
        long lookedNs = timeline.startNs(sample) + Math.max(0, timeline.attribute(sample, Attribute.LOOKED_NS));
        return hops.given(timeline.track(given), lookedNs, lookedNs + 1)
                .findAny()
                .isPresent();
    }

    private int stackOf(int sample) {
        return sample < 0 ? -1 : (int) Math.max(-1, timeline.attribute(sample, Attribute.STACK));
    }

    private void add(ThreadPiece piece, LedgerClass of, LedgerClass work, Line line, int stack) {
        boolean computes = ThreadTime.isModels(work, analysis);
        boolean inModel = stack < 0
                || classifier.stacks().isInModelCall(stack)
                || (computes && classifier.stacks().isInNativeRange(stack));
        boolean model = computes || (inModel && isOfOperators(work));
        long sampleNs = piece.sample() < 0 || isCalledAt(line, piece.row())
                ? 0
                : Math.max(piece.basis().sampleNs(), classifier.sampleNs(piece.sample()));
        sampledNs += sampleNs > 0 ? piece.ns() : 0;
        comparedNs += piece.sample() >= 0 ? piece.ns() : 0;
        if (model && (inModel || classifier.runsModel(stack))) {
            callsModel |= inModel;
            line.modelNs += piece.ns();
        } else {
            (model ? line.operators : line.cost)
                    .add(of, piece.ns(), sampleNs, !analysis.isJudged(piece.thread()), block(piece));
            if (stack >= 0) {
                line.stacksNs.merge(stack, piece.ns(), Long::sum);
            }
        }
    }

    /** Returns whether a row is a call that the recorder of calls saw at a line: then samples do not decide how long it took. */
    private boolean isCalledAt(Line line, int row) {
        return row >= 0
                && timeline.kind(row) == RowKind.ANNOTATION
                && timeline.attribute(row, Attribute.WHERE) != Attribute.ABSENT
                && timeline.attribute(row, Attribute.USER_SCOPE) == Attribute.ABSENT
                && classifier.where(row).equals(line.place);
    }

    /** The block in which the sample was taken: one that stands for time in several would make these look alike. */
    private int block(ThreadPiece piece) {
        int sample = piece.sample();
        long atNs = sample < 0
                ? piece.fromNs()
                : Math.max(timeline.startNs(sample), Math.min(piece.fromNs(), timeline.endNs(sample) - 1));
        long ns = Math.min(Math.max(atNs, part.startNs()), part.endNs() - 1) - part.startNs();
        return (int) Math.max(0, (double) ns / Math.max(1, part.durationNs()) * SamplingError.BLOCKS);
    }

    /** Returns whether the kernel works for any code that computes, such as for its memory. */
    private static boolean isOfOperators(LedgerClass of) {
        return of == LedgerClass.SYSTEM_OTHER
                || of == LedgerClass.SYSTEM_MEMORY
                || of == LedgerClass.SYSTEM_PAGE_FAULT
                || of == LedgerClass.WAIT_PAGE_FAULT;
    }

    /** Returns whether a thread waits for connections, for work, or for what no record shows, or is stopped. */
    private boolean isIdle(ThreadPiece piece, int stack) {
        LedgerClass of = piece.ledgerClass();
        boolean waits = of.isWaiting() && !of.isHostWork() && !isForBatch(piece.row());
        return of == LedgerClass.UNATTRIBUTED
                || (waits && of == LedgerClass.WAIT_UNKNOWN && !isOfLibrary(stack) && (stack < 0 || !inTask[stack]))
                || of == LedgerClass.WAIT_STOPPED
                || of == LedgerClass.WAIT_IDLE
                || (waits && (stack < 0 || (of != LedgerClass.WAIT_CHILD_PROCESS && classifier.takesWork(stack))));
    }

    /** Returns whether a row is a recorded call for the next batch: the line that makes it waits, whoever wakes it. */
    private boolean isForBatch(int row) {
        return row >= 0 && timeline.kind(row) == RowKind.ANNOTATION && analysis.isNextBatch(row);
    }

    /**
     * Returns whether a thread waits inside a library that own code calls in each round, such as a client's, and not for
     * an item of a queue or a condition of the program's own, which may be for work.
     */
    private boolean isOfLibrary(int stack) {
        return analysis.judgesSteadyState() && stack >= 0 && classifier.waitsInLibrary(stack);
    }

    /** Returns the innermost own line of a stack, whose lines are beneath a line: the root, or one that waits. */
    private Line ofStack(int stack, Line from) {
        List<Integer> own = new ArrayList<>();
        boolean task = false;
        // The line that started an event loop does not call its tasks, nor one that forked what the child calls.
        for (int at = stack;
                at >= 0 && !task && !FrameRole.STARTS_PROCESS.of(stacks.frame(at));
                at = stacks.caller(at)) {
            if (classifier.stacks().isOwnCode(at)) {
                own.add(at);
            }
            task = FrameRole.isCalledByLoop(stacks, at);
        }
        Line line = from;
        Set<String> functions = new HashSet<>();
        for (int i = own.size() - 1; i >= 0; i--) {
            Frame frame = stacks.frame(own.get(i));
            String function = FramePatterns.function(frame);
            if (functions.add(function) && !FramePatterns.isInner(function)) {
                boolean first = line == from;
                line = called(line, CodePlaces.place(frame), function);
                line.isTask |= task && first;
                line.isAwaited |= first && from != root;
            }
        }
        return line;
    }

    private static Line called(Line by, String place, String function) {
        return by.callees.computeIfAbsent(place, p -> new Line(p, function, by));
    }

    /** Returns the line around a row that no sample represents: recorded functions, or the line that a range names. */
    private Line ofRow(int row) {
        Line line = ofFunctions(row);
        String place = line == root && row >= 0 ? classifier.where(row) : "";
        return place.isEmpty() ? line : unseen.computeIfAbsent(place, p -> new Line(p, p, null));
    }

    /** Returns the line of the recorded functions around a row. Pieces follow each other, so most rows around are known. */
    private Line ofFunctions(int innermost) {
        if (ofRows.size() > MOST_ROWS) {
            ofRows.clear();
        }
        List<Integer> rows = new ArrayList<>();
        int row = innermost;
        while (row >= 0 && !ofRows.containsKey(row)) {
            rows.add(row);
            row = timeline.parent(row);
        }
        Line line = row < 0 ? root : Objects.requireNonNull(ofRows.get(row));
        for (int i = rows.size() - 1; i >= 0; i--) {
            int at = rows.get(i);
            if (timeline.kind(at) == RowKind.PYTHON_FUNCTION && classifier.isOwnFunction(at)) {
                Frame frame = timeline.frame(timeline.nameId(at));
                String function = FramePatterns.function(frame);
                line = line.isIn(function) ? line : called(line, CodePlaces.place(frame), function);
            }
            ofRows.put(at, line);
        }
        return line;
    }

    /** Adds time that no sample saw to the same line where samples saw it, or to a line of its own. */
    private void addUnseen(Line line, @Nullable Line seen) {
        Line to = seen == null ? called(root, line.place, line.function) : seen;
        to.cost.addAll(line.cost);
        to.operators.addAll(line.operators);
        to.modelNs += line.modelNs;
    }

    private static long time(Line line) {
        return line.cost.ns + line.operators.ns + line.modelNs;
    }

    /** Decides which of a line's own time is the model's. */
    private void settle(Line line) {
        boolean leads = line.leadsToModel();
        if (callsModel && !leads) {
            line.cost.addAll(line.operators);
        } else {
            line.modelNs += line.operators.ns;
        }
        if (leads) {
            for (LedgerClass leading : LedgerClass.values()) {
                line.modelNs += leading.isLaunching() ? line.cost.remove(leading) : 0;
            }
        }
    }

    /** A line, or the lines of one function, with the callers. */
    private record Found(List<Line> lines, List<String> path, boolean ownOnly) {}

    /** A line whose callees are still to be looked at, and the lines that lead to it. */
    private record Step(Line line, List<String> path) {}

    private void search(Line from, Map<String, List<Found>> found) {
        List<Step> open = new ArrayList<>(List.of(new Step(from, List.of())));
        while (!open.isEmpty()) {
            Step at = open.remove(open.size() - 1);
            boolean one = passesOn(at.line);
            if (at.line != root
                    && !one
                    && !at.line.leadsToModel()
                    && !at.line.waitsForWork()
                    && !isWhole(at.line.cost.ns)) {
                add(found, new Found(List.of(at.line), at.path, false));
                continue;
            }
            functions(at.line).values().forEach(lines -> enter(lines, at.path, open, found));
            if (at.line.ownNs > 0) {
                add(found, new Found(List.of(at.line), at.path, true));
            }
        }
    }

    /** Returns whether so much is nearly everything that a program without a model does: it is the program itself. */
    private boolean isWhole(long ns) {
        return root.modelNs == 0 && ns >= NEARLY_ALL * root.cost.ns;
    }

    private void enter(List<Line> lines, List<String> path, List<Step> open, Map<String, List<Found>> found) {
        long ns = ns(lines);
        long modelNs = lines.stream().mapToLong(line -> line.modelNs).sum();
        boolean leads = modelNs > LEADS_TO_MODEL * (ns + modelNs);
        boolean one =
                lines.size() == 1 || lines.stream().anyMatch(line -> line.cost.ns >= NEARLY_ALL * ns && passesOn(line));
        boolean task = lines.stream().anyMatch(line -> line.isTask);
        if (one || leads || task || isWhole(ns)) {
            lines.forEach(line -> open.add(new Step(line, with(path, line.place))));
        } else {
            add(found, new Found(lines, path, false));
        }
    }

    /** Returns whether nearly all of a line's cost is that of one function of own code that it calls. */
    private static boolean passesOn(Line line) {
        return functions(line).values().stream().anyMatch(lines -> ns(lines) >= NEARLY_ALL * line.cost.ns);
    }

    /** Returns the lines that a line calls, by function. */
    private static Map<String, List<Line>> functions(Line line) {
        return line.callees.values().stream()
                .collect(Collectors.groupingBy(callee -> callee.function, TreeMap::new, Collectors.toList()));
    }

    private static List<String> with(List<String> path, String place) {
        List<String> longer = new ArrayList<>(path);
        longer.add(place);
        return List.copyOf(longer);
    }

    private static long ns(List<Line> lines) {
        return lines.stream().mapToLong(line -> line.cost.ns).sum();
    }

    /** A function that several lines call is one place. */
    private static void add(Map<String, List<Found>> found, Found one) {
        boolean line = one.lines.size() == 1;
        found.computeIfAbsent(line ? one.lines.get(0).place : one.lines.get(0).function, p -> new ArrayList<>())
                .add(one);
    }

    /** Adds a line that was found by itself to its function, if that was found elsewhere. */
    private static void joinLines(Map<String, List<Found>> found) {
        List<List<Found>> functions =
                found.values().stream().filter(of -> of.get(0).lines.size() > 1).toList();
        for (List<Found> function : functions) {
            List<Line> lines =
                    function.stream().flatMap(of -> of.lines.stream()).toList();
            for (Line line : lines) {
                List<Found> alone = found.remove(line.place);
                function.addAll(alone == null ? List.of() : alone);
            }
        }
    }

    private Place place(List<Found> all, Map<String, Long> counts) {
        Time time = new Time();
        Map<String, Long> lines = new HashMap<>();
        Map<Integer, Long> beneath = new HashMap<>();
        Map<String, Long> handedOver = new HashMap<>();
        for (Found found : all) {
            for (Line line : found.lines) {
                long ns = found.ownOnly ? line.ownNs : line.cost.ns;
                time.addAll(found.ownOnly ? own(line) : line.cost);
                lines.merge(line.place, ns, Long::sum);
                line.stacksNs.forEach((stack, stackNs) -> beneath.merge(stack, stackNs, Long::sum));
                line.handedOver.forEach((by, givenNs) -> handedOver.merge(by, givenNs, Long::sum));
            }
        }
        Map<String, Long> costliest = Order.largestFirst(lines);
        String line = costliest.keySet().iterator().next();
        Map<String, Long> parts = new LinkedHashMap<>(costliest);
        Map<String, Long> callees = callees(all);
        callees.keySet().removeAll(costliest.keySet());
        if (costliest.size() == 1) {
            Order.largestFirst(callees).forEach(parts::putIfAbsent);
        }
        Map<LedgerClass, Long> classes = Order.largestFirst(time.classes);
        classes.values().removeIf(ns -> ns <= 0);
        Long starvedNs = classes.remove(LedgerClass.WAIT_RUN_QUEUE);
        if (starvedNs != null) {
            classes.put(LedgerClass.WAIT_RUN_QUEUE, starvedNs);
        }
        return new Place(
                line,
                parts,
                handedOver.values().stream().anyMatch(givenNs -> 2 * givenNs >= time.ns)
                        ? List.of(Order.largestFirst(handedOver)
                                .keySet()
                                .iterator()
                                .next())
                        : calls(beneath, time.ns),
                most(callees, time.ns),
                time.ns,
                time.error.boundNs(comparedNs),
                time.ns - time.error.boundNs(sampledNs),
                classes,
                all.get(0).path,
                costliest.keySet().stream()
                        .mapToLong(one -> counts.getOrDefault(one, 0L))
                        .max()
                        .orElse(0),
                time.followed,
                all.stream().flatMap(found -> found.lines.stream()).anyMatch(one -> one.isAwaited),
                costliest.size() == 1 && isAround(line, time.ns));
    }

    /** Returns whether nearly all samples of the part are beneath a line. */
    private boolean isAround(String line, long ns) {
        long allNs = allStacksNs.values().stream().mapToLong(Long::longValue).sum();
        return ns >= LEADS_TO_MODEL * allNs
                && allStacksNs.entrySet().stream()
                                .filter(seen -> isBeneath(seen.getKey(), line))
                                .mapToLong(Map.Entry::getValue)
                                .sum()
                        >= WHOLE * allNs;
    }

    private boolean isBeneath(int stack, String line) {
        int at = stack;
        while (at >= 0
                && !(classifier.stacks().isOwnCode(at)
                        && CodePlaces.place(stacks.frame(at)).equals(line))) {
            at = stacks.caller(at);
        }
        return at >= 0;
    }

    /** Returns the lines of own code that are called by lines at which the search ended, and their time. */
    private static Map<String, Long> callees(List<Found> all) {
        Map<String, Long> callees = new HashMap<>();
        for (Found found : all) {
            for (Line line : found.lines) {
                line.awaited.forEach((place, ns) -> callees.merge(place, ns, Long::sum));
                if (!found.ownOnly) {
                    line.callees.values().forEach(callee -> callees.merge(callee.place, callee.cost.ns, Long::sum));
                }
            }
        }
        return callees;
    }

    /** Returns the costliest line of the function that has at least half of a cost; empty if there is none. */
    private static String most(Map<String, Long> callees, long costNs) {
        Map<String, Long> functions = new HashMap<>();
        callees.forEach((line, ns) -> functions.merge(CodePlaces.withoutLine(line), ns, Long::sum));
        return Order.largestFirst(callees).keySet().stream()
                .filter(line -> 2 * functions.getOrDefault(CodePlaces.withoutLine(line), 0L) >= costNs)
                .findFirst()
                .orElse("");
    }

    /** Returns the time at a line without that of its callees. */
    private static Time own(Line line) {
        Time own = new Time();
        own.addAll(line.cost);
        line.callees
                .values()
                .forEach(callee -> callee.cost.classes.forEach((of, ns) -> {
                    own.classes.merge(of, -ns, Long::sum);
                    own.ns -= ns;
                }));
        return own;
    }

    /**
     * Returns the functions beneath the innermost own line that each have at least half of the cost, outermost first.
     */
    private List<String> calls(Map<Integer, Long> beneath, long costNs) {
        Map<Integer, Long> inside = new HashMap<>();
        beneath.forEach((stack, ns) -> {
            for (int at = stack; at >= 0 && !classifier.stacks().isOwnCode(at); at = stacks.caller(at)) {
                inside.merge(at, ns, Long::sum);
            }
        });
        Map<String, Long> byFunction = new HashMap<>();
        Map<String, Integer> first = new HashMap<>();
        inside.forEach((stack, ns) -> {
            if (classifier.stacks().isLibraryFunction(stack)) {
                String function = FramePatterns.function(stacks.frame(stack));
                byFunction.merge(function, ns, Long::sum);
                first.merge(function, depth(stack), Math::min);
            }
        });
        return byFunction.entrySet().stream()
                .filter(entry -> 2 * entry.getValue() >= costNs)
                .map(Map.Entry::getKey)
                .sorted(Order.<String>comparingInt(name -> first.getOrDefault(name, 0))
                        .thenComparing(name -> name))
                .toList();
    }

    private int depth(int stack) {
        int depth = 0;
        for (int at = stacks.caller(stack); at >= 0; at = stacks.caller(at)) {
            depth++;
        }
        return depth;
    }

    /**
     * Returns how often recorded ranges or functions of one name began at each line, inside no other one of that line: a
     * call may record several ranges. So often a line gave work to other threads, too.
     */
    private Map<String, Long> counts() {
        int track = analysis.subjectThread();
        Map<String, Map<Integer, Long>> byLine = new HashMap<>();
        int end = track < 0 ? 0 : timeline.endRow(track);
        for (int row = track < 0 ? 0 : timeline.firstRow(track);
                row < end && timeline.startNs(row) < part.endNs();
                row++) {
            RowKind kind = timeline.kind(row);
            boolean recorded = kind == RowKind.ANNOTATION || kind == RowKind.PYTHON_FUNCTION;
            if (recorded && timeline.startNs(row) >= part.startNs()) {
                int place = classifier.placeOf(row);
                int around = timeline.parent(row);
                if (around < 0 || classifier.placeOf(around) != place) {
                    byLine.computeIfAbsent(classifier.place(place), line -> new HashMap<>())
                            .merge(timeline.nameId(row), 1L, Long::sum);
                }
            }
        }
        if (track >= 0) {
            hops.given(track, part.startNs(), part.endNs())
                    .forEach(row -> byLine.computeIfAbsent(classifier.where(row), line -> new HashMap<>())
                            .merge(timeline.nameId(row), 1L, Long::sum));
        }
        Map<String, Long> counts = new HashMap<>();
        byLine.forEach((line, byName) -> counts.put(
                line, byName.values().stream().mapToLong(Long::longValue).max().orElse(0)));
        return counts;
    }
}
