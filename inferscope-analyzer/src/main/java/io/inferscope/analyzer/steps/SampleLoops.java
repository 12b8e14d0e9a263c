package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Finds the loop of a program of which only stack samples are known: lines of one function to which the thread returns
 * again and again.
 *
 * <pre>
 *   samples      import  import  load  |  read  model  model  read  model  write  read  model
 *   their lines       2       2     9  |    14     15     15    14     15     17    14     15
 *                                                            ^ return             ^ return
 * </pre>
 *
 * <p>The search begins with the outermost function. Where it does not return to its lines, such as a {@code main} or a
 * loop of one line, its hottest line is the loop if it calls several functions over and over; otherwise the search goes
 * on in what that line calls. A return from line 17 to line 14 passes the lines between; lines between which at least
 * {@value #LEAST_RETURNS} returns pass are a loop. The end of a {@code with} block returns to its first line once.
 *
 * <p>The loop is the program's if it holds at least half of the samples that do not show loading, and a fifth of all,
 * and if hardly anything follows it: a program that prepares in one loop and serves in the next has neither.
 *
 * <p>Code that no line calls is left out: the interpreter frees a program's objects for as long as a second when that
 * has ended.
 *
 * <p>The steps last from one return to the next. Rounds shorter than the time between two samples are seen together, so
 * their number and lengths do not count rounds; they tell only when the rounds began, and when they stopped to be slow.
 */
final class SampleLoops {
    private static final int LEAST_RETURNS = 5;

    /** Deeper functions are not looked at. */
    private static final int MOST_DEPTH = 100;

    /** The least share of the thread's sampled time, loading excluded, that the loop must fill. */
    private static final double FILLS = 0.5;

    /** The least share of all sampled time. */
    private static final double FILLS_OF_ALL = 0.2;

    /** Another loop of this share of the time is one more loop, and neither is the program's. */
    private static final double ALSO_FILLS = 0.2;

    /** The largest share of the time that may follow the loop. */
    private static final double FOLLOWS = 0.1;

    private final Stacks stacks;

    /** By stack: the number of its callers, and a property of its innermost frame; -2 if not looked up yet. */
    private final int[] depths;

    private final int[] lines;
    private final int[] functions;
    private final Map<String, Integer> functionIds = new HashMap<>();

    /** By sample, in the order of time: those that show no loading. */
    private final int[] stackOf;

    private final long[] startsNs;
    private final long[] endsNs;
    private final long sampledNs;
    private final long leastNs;

    /** Lines of a function, and how long the thread was there. */
    private record Lines(int from, int to, long ns) {
        boolean hold(int line) {
            return from <= line && line <= to;
        }
    }

    private SampleLoops(Timeline timeline, ActivityClassifier classifier, int track) {
        stacks = timeline.stacks();
        depths = new int[stacks.count()];
        lines = new int[depths.length];
        functions = new int[depths.length];
        Arrays.fill(lines, -2);
        Arrays.fill(functions, -2);
        int[] outermost = new int[depths.length];
        for (int stack = 0; stack < depths.length; stack++) {
            int caller = stacks.caller(stack);
            depths[stack] = caller < 0 ? 0 : depths[caller] + 1;
            outermost[stack] = caller < 0 ? stack : outermost[caller];
        }
        IntUnaryOperator stack = row -> (int) timeline.attribute(row, Attribute.STACK);
        int[] all = timeline.rows(track, RowKind.STACK_SAMPLE)
                .filter(row -> stack.applyAsInt(row) >= 0 && line(outermost[stack.applyAsInt(row)]) >= 0)
                .toArray();
        int[] samples = Arrays.stream(all)
                .filter(row -> classifier.classify(row) != LedgerClass.FRAMEWORK_COMPILE_LOAD)
                .toArray();
        stackOf = Arrays.stream(samples).map(stack).toArray();
        startsNs = Arrays.stream(samples).mapToLong(timeline::startNs).toArray();
        endsNs = Arrays.stream(samples).mapToLong(timeline::endNs).toArray();
        sampledNs = timeline.sumNs(Arrays.stream(samples));
        leastNs = (long) Math.max(FILLS * sampledNs, FILLS_OF_ALL * timeline.sumNs(Arrays.stream(all)));
    }

    /** Returns the loop of a thread; the name of its steps is its place: {@code serve.py:14-17 main}. */
    static Optional<Loop> of(Timeline timeline, ActivityClassifier classifier, int track) {
        SampleLoops loops = new SampleLoops(timeline, classifier, track);
        return Optional.of(loops.find())
                .filter(steps -> loops.isProgram(steps))
                .map(steps -> new Loop(Loop.Source.SAMPLES, track, steps));
    }

    private List<Step> find() {
        int[] called = new int[stackOf.length];
        Arrays.setAll(called, i -> i);
        int[] at = at(0);
        for (int depth = 0; depth < MOST_DEPTH; depth++) {
            int[] function = hottest(reaching(called, at), group(at, this::function));
            List<Lines> loops = loops(function, at);
            if (loops.size() == 1 && loops.get(0).ns >= leastNs) {
                return steps(function, at, loops.get(0));
            }
            int[] line = hottest(function, group(at, stack -> stack));
            if (line.length == 0 || ns(line) < leastNs) {
                break;
            }
            int[] next = at(depth + 1);
            List<Step> steps = stepsByCalls(line, at[stackOf[line[0]]], reaching(line, next), next);
            if (steps.size() > LEAST_RETURNS) {
                return steps;
            }
            called = line;
            at = next;
        }
        return List.of();
    }

    private boolean isProgram(List<Step> steps) {
        long followsNs = 0;
        for (int i = stackOf.length - 1; i >= 0 && !steps.isEmpty(); i--) {
            followsNs += startsNs[i] >= steps.get(steps.size() - 1).endNs() ? endsNs[i] - startsNs[i] : 0;
        }
        return !steps.isEmpty() && followsNs <= FOLLOWS * sampledNs;
    }

    /** Returns, by stack, the part of it up to a depth; -1 for shorter ones. */
    private int[] at(int depth) {
        int[] found = new int[depths.length];
        for (int stack = 0; stack < found.length; stack++) {
            found[stack] = depths[stack] < depth ? -1 : depths[stack] == depth ? stack : found[stacks.caller(stack)];
        }
        return found;
    }

    /** Returns the samples whose stacks have a line at a depth. */
    private int[] reaching(int[] samples, int[] at) {
        return Arrays.stream(samples)
                .filter(i -> at[stackOf[i]] >= 0 && line(at[stackOf[i]]) >= 0)
                .toArray();
    }

    private IntUnaryOperator group(int[] at, IntUnaryOperator ofStack) {
        return sample -> ofStack.applyAsInt(at[stackOf[sample]]);
    }

    /** Returns the samples of the group that has most time; none if there are no samples. */
    private int[] hottest(int[] samples, IntUnaryOperator group) {
        Map<Integer, Long> times = new TreeMap<>();
        for (int i : samples) {
            times.merge(group.applyAsInt(i), endsNs[i] - startsNs[i], Long::sum);
        }
        int most = Order.largest(times).orElse(-1);
        return Arrays.stream(samples).filter(i -> group.applyAsInt(i) == most).toArray();
    }

    private long ns(int[] samples) {
        return Arrays.stream(samples).mapToLong(i -> endsNs[i] - startsNs[i]).sum();
    }

    /** Returns the steps of a line that calls several functions over and over: {@code model(next(batches))}. */
    private List<Step> stepsByCalls(int[] line, int stack, int[] calls, int[] at) {
        Steps steps = new Steps(place(stack, Integer.toString(line(stack))), startsNs[line[0]]);
        Set<Integer> round = new HashSet<>();
        for (int i = 0; i < calls.length; i++) {
            int function = function(at[stackOf[calls[i]]]);
            boolean isNew = i == 0 || function != function(at[stackOf[calls[i - 1]]]);
            if (isNew && !round.add(function)) {
                steps.end(startsNs[calls[i]]);
                round.clear();
                round.add(function);
            }
        }
        return steps.end(endsNs[line[line.length - 1]]);
    }

    /** Returns the loops among a function's lines that hold much of the time. */
    private List<Lines> loops(int[] function, int[] at) {
        int[] known = Arrays.stream(function)
                .map(i -> line(at[stackOf[i]]))
                .sorted()
                .distinct()
                .toArray();
        int[] passes = new int[known.length + 1];
        long[] timesNs = new long[known.length];
        int before = -1;
        for (int i : function) {
            int line = Arrays.binarySearch(known, line(at[stackOf[i]]));
            timesNs[line] += endsNs[i] - startsNs[i];
            if (line < before) {
                passes[line]++;
                passes[before]--;
            }
            before = line;
        }
        List<Lines> found = new ArrayList<>();
        int passing = 0;
        for (int line = 0; line < known.length; line++) {
            int first = line;
            long ns = timesNs[line];
            passing += passes[line];
            while (passing >= LEAST_RETURNS) { // Returns pass between this line and the next one.
                ns += timesNs[++line];
                passing += passes[line];
            }
            if (line > first && ns >= ALSO_FILLS * sampledNs) {
                found.add(new Lines(known[first], known[line], ns));
            }
        }
        return found;
    }

    private List<Step> steps(int[] function, int[] at, Lines loop) {
        int[] inside = Arrays.stream(function)
                .filter(i -> loop.hold(line(at[stackOf[i]])))
                .toArray();
        Steps steps = new Steps(place(at[stackOf[inside[0]]], loop.from + "-" + loop.to), startsNs[inside[0]]);
        for (int i = 1; i < inside.length; i++) {
            if (line(at[stackOf[inside[i]]]) < line(at[stackOf[inside[i - 1]]])) {
                steps.end(startsNs[inside[i]]);
            }
        }
        return steps.end(endsNs[inside[inside.length - 1]]);
    }

    private String place(int stack, String ofLines) {
        return CodePlaces.place(stacks.frame(stack), ofLines);
    }

    /** Returns the line of a stack's innermost frame, -1 for one without. */
    private int line(int stack) {
        if (lines[stack] == -2) {
            lines[stack] = stacks.frame(stack).line();
        }
        return lines[stack];
    }

    /** Returns a number for the function of a stack's innermost frame. */
    private int function(int stack) {
        if (functions[stack] == -2) {
            functions[stack] = functionIds.computeIfAbsent(
                    FramePatterns.function(stacks.frame(stack)), name -> functionIds.size());
        }
        return functions[stack];
    }

    /** Steps without gaps. */
    private static final class Steps {
        private final String name;
        private final List<Step> steps = new ArrayList<>();
        private long fromNs;

        Steps(String name, long fromNs) {
            this.name = name;
            this.fromNs = fromNs;
        }

        List<Step> end(long ns) {
            steps.add(new Step(name, "", fromNs, ns, null));
            fromNs = ns;
            return steps;
        }
    }
}
