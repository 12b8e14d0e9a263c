package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.FramePatterns;
import io.inferscope.analyzer.activity.Places;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
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
 * on in what that line calls. A return from line 17 to line 14 says that lines 14 to 17
 * are a loop; those that share a line are the same one.
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

    /** Another loop of this share of the time is one more loop, and neither is the program's. */
    private static final double ALSO_FILLS = 0.2;

    private final Stacks stacks;
    private final int[] depths;
    private final List<Sample> samples = new ArrayList<>();
    private final long sampledNs;
    private final Map<Integer, Integer> lines = new HashMap<>();

    /** By name id, and by name: a number of the function. */
    private final Map<Integer, Integer> functions = new HashMap<>();

    private final Map<String, Integer> ids = new HashMap<>();

    /** A stack sample; {@code at} is the part of its stack up to the function that is looked at. */
    private record Sample(int stack, int at, long startNs, long endNs) {
        long ns() {
            return endNs - startNs;
        }
    }

    /** Lines of a function, and how often and how long the thread was there. */
    private static final class Lines {
        private int from;
        private int to;
        private int returns;
        private long ns;

        Lines(int from, int to) {
            this.from = from;
            this.to = to;
        }

        boolean hold(int line) {
            return from <= line && line <= to;
        }

        void join(Lines other) {
            from = Math.min(from, other.from);
            to = Math.max(to, other.to);
        }
    }

    private SampleLoops(Timeline timeline, ActivityClassifier classifier, int track) {
        this.stacks = timeline.stacks();
        this.depths = new int[stacks.count()];
        for (int stack = 0; stack < depths.length; stack++) {
            depths[stack] = stacks.caller(stack) < 0 ? 0 : depths[stacks.caller(stack)] + 1;
        }
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            int stack =
                    timeline.kind(row) == RowKind.STACK_SAMPLE ? (int) timeline.attribute(row, Attribute.STACK) : -1;
            if (stack >= 0 && classifier.classify(row) != LedgerClass.FRAMEWORK_COMPILE_LOAD) {
                samples.add(new Sample(stack, -1, timeline.startNs(row), timeline.endNs(row)));
            }
        }
        this.sampledNs = samples.stream().mapToLong(Sample::ns).sum();
    }

    /** Returns the loop of a thread; the name of its steps is its place: {@code serve.py:14-17 main}. */
    static Optional<Loop> of(Timeline timeline, ActivityClassifier classifier, int track) {
        return new SampleLoops(timeline, classifier, track)
                .find()
                .map(steps -> new Loop(Loop.Source.SAMPLES, track, steps));
    }

    private Optional<List<Step>> find() {
        List<Sample> called = samples;
        for (int depth = 0; depth < MOST_DEPTH; depth++) {
            List<Sample> function = hottest(at(called, depth), stack -> function(stack));
            List<Lines> loops = loops(function);
            loops.removeIf(lines -> lines.ns < ALSO_FILLS * sampledNs);
            if (loops.size() == 1 && loops.get(0).ns >= FILLS * sampledNs) {
                return Optional.of(steps(function, loops.get(0)));
            }
            List<Sample> line = hottest(function, stack -> stack);
            if (line.isEmpty() || ns(line) < FILLS * sampledNs) {
                break;
            }
            called = line;
            List<Step> steps = stepsByCalls(line, at(line, depth + 1));
            if (steps.size() > LEAST_RETURNS) {
                return Optional.of(steps);
            }
        }
        return Optional.empty();
    }

    /** Returns the samples whose stacks reach a depth, looked at there; without those that have no line there. */
    private List<Sample> at(List<Sample> called, int depth) {
        int[] ofStack = new int[depths.length];
        for (int stack = 0; stack < ofStack.length; stack++) {
            ofStack[stack] =
                    depths[stack] < depth ? -1 : depths[stack] == depth ? stack : ofStack[stacks.caller(stack)];
        }
        return called.stream()
                .filter(sample -> ofStack[sample.stack] >= 0 && line(ofStack[sample.stack]) >= 0)
                .map(sample -> new Sample(sample.stack, ofStack[sample.stack], sample.startNs, sample.endNs))
                .toList();
    }

    /** Returns the samples of the group, by what is looked at, that has most time; none if there are no samples. */
    private static List<Sample> hottest(List<Sample> all, IntUnaryOperator group) {
        Map<Integer, List<Sample>> groups = new TreeMap<>();
        all.forEach(sample -> groups.computeIfAbsent(group.applyAsInt(sample.at), id -> new ArrayList<>())
                .add(sample));
        return groups.values().stream()
                .max(Comparator.comparingLong(SampleLoops::ns))
                .orElse(List.of());
    }

    private static long ns(List<Sample> samples) {
        return samples.stream().mapToLong(Sample::ns).sum();
    }

    /** Returns a number for the function of a stack's innermost frame. */
    private int function(int stack) {
        return functions.computeIfAbsent(
                stacks.frameNameId(stack),
                name -> ids.computeIfAbsent(FramePatterns.function(stacks.frame(stack)), f -> ids.size()));
    }

    /** Returns the steps of a line that calls several functions over and over: {@code model(next(batches))}. */
    private List<Step> stepsByCalls(List<Sample> line, List<Sample> calls) {
        List<Integer> returns = new ArrayList<>();
        Set<Integer> round = new HashSet<>();
        for (int i = 0; i < calls.size(); i++) {
            boolean isNew = i == 0 || function(calls.get(i).at) != function(calls.get(i - 1).at);
            if (isNew && !round.add(function(calls.get(i).at))) {
                returns.add(i);
                round.clear();
                round.add(function(calls.get(i).at));
            }
        }
        List<Step> steps = new ArrayList<>();
        int at = line(line.get(0));
        String place = place(line.get(0), Integer.toString(at));
        long fromNs = line.get(0).startNs;
        for (int next : returns) {
            steps.add(new Step(place, "", fromNs, calls.get(next).startNs, null));
            fromNs = calls.get(next).startNs;
        }
        steps.add(new Step(place, "", fromNs, line.get(line.size() - 1).endNs, null));
        return steps;
    }

    private String place(Sample sample, String lines) {
        return Places.place(stacks.frame(sample.at).replaceFirst("\\(\\d+\\)", "(" + lines + ')'));
    }

    /** Returns the loops among a function's lines. */
    private List<Lines> loops(List<Sample> function) {
        List<Lines> found = new ArrayList<>();
        for (int i = 1; i < function.size(); i++) {
            if (isReturn(function, i)) {
                add(new Lines(line(function.get(i)), line(function.get(i - 1))), found);
            }
        }
        for (Lines lines : found) {
            for (int i = 0; i < function.size(); i++) {
                boolean inside = lines.hold(line(function.get(i)));
                lines.ns += inside ? function.get(i).ns() : 0;
                lines.returns += inside && isReturn(function, i) ? 1 : 0;
            }
        }
        found.removeIf(lines -> lines.returns < LEAST_RETURNS);
        return found;
    }

    private boolean isReturn(List<Sample> function, int i) {
        return i > 0 && line(function.get(i)) < line(function.get(i - 1));
    }

    private static void add(Lines lines, List<Lines> found) {
        for (int i = found.size() - 1; i >= 0; i--) {
            Lines other = found.get(i);
            if (other.hold(lines.from) || lines.hold(other.from)) {
                lines.join(other);
                found.remove(i);
            }
        }
        found.add(lines);
    }

    private List<Step> steps(List<Sample> function, Lines loop) {
        String place = place(function.get(0), loop.from + "-" + loop.to);
        List<Step> steps = new ArrayList<>();
        long fromNs = -1;
        long toNs = -1;
        for (int i = 0; i < function.size(); i++) {
            Sample sample = function.get(i);
            if (loop.hold(line(sample))) {
                if (fromNs >= 0 && isReturn(function, i)) {
                    steps.add(new Step(place, "", fromNs, sample.startNs, null));
                    fromNs = sample.startNs;
                }
                fromNs = fromNs < 0 ? sample.startNs : fromNs;
                toNs = sample.endNs;
            }
        }
        steps.add(new Step(place, "", fromNs, toNs, null));
        return steps;
    }

    private int line(Sample sample) {
        return line(sample.at);
    }

    /** Returns the line of a stack's innermost frame, -1 for one without. */
    private int line(int stack) {
        return lines.computeIfAbsent(stacks.frameNameId(stack), name -> FramePatterns.line(stacks.frame(stack)));
    }
}
