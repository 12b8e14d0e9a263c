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
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
 * loop of one line, it goes on in what its hottest line calls. A return from line 17 to line 14 says that lines 14 to 17
 * are a loop; those that share a line are the same one.
 *
 * <p>The steps last from one return to the next. Rounds shorter than the time between two samples are seen together, so
 * their number and lengths do not count rounds; they tell only when the rounds began, and when they stopped to be slow.
 */
final class SampleLoops {
    private static final int LEAST_RETURNS = 5;

    /** The least share of the thread's sampled time, loading excluded, that the loop must fill. */
    private static final double FILLS = 0.5;

    /** Another loop of this share of the time is one more loop, and neither is the program's. */
    private static final double ALSO_FILLS = 0.2;

    private final Stacks stacks;
    private final int[] depths;
    private final List<Sample> samples = new ArrayList<>();
    private final long sampledNs;
    private final Map<Integer, Integer> lines = new HashMap<>();

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
        return new SampleLoops(timeline, classifier, track).find(track);
    }

    private Optional<Loop> find(int track) {
        int caller = -1;
        List<Sample> called = samples;
        for (int depth = 0; !called.isEmpty(); depth++) {
            List<Sample> function = hottestFunction(called, depth, caller);
            List<Lines> loops = loops(function);
            loops.removeIf(lines -> lines.ns < ALSO_FILLS * sampledNs);
            if (loops.size() == 1 && loops.get(0).ns >= FILLS * sampledNs) {
                return Optional.of(new Loop(Loop.Source.SAMPLES, track, steps(function, loops.get(0))));
            }
            Map<Integer, Long> timeOf = new HashMap<>();
            function.forEach(sample -> timeOf.merge(sample.at, sample.ns(), Long::sum));
            int hottest = timeOf.entrySet().stream()
                    .filter(entry -> entry.getValue() >= FILLS * sampledNs)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(-1);
            called = function.stream().filter(sample -> sample.at == hottest).toList();
            caller = hottest;
        }
        return Optional.empty();
    }

    /** Returns the samples at some depth of the function with most time among those that {@code caller} calls. */
    private List<Sample> hottestFunction(List<Sample> called, int depth, int caller) {
        Map<String, List<Sample>> functions = new HashMap<>();
        for (Sample sample : called) {
            int at = sample.stack;
            while (depths[at] > depth) {
                at = stacks.caller(at);
            }
            if (depths[at] == depth && stacks.caller(at) == caller && line(at) >= 0) {
                functions
                        .computeIfAbsent(FramePatterns.function(stacks.frame(at)), name -> new ArrayList<>())
                        .add(new Sample(sample.stack, at, sample.startNs, sample.endNs));
            }
        }
        return functions.values().stream()
                .max(Comparator.comparingLong(
                        function -> function.stream().mapToLong(Sample::ns).sum()))
                .orElse(List.of());
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
        String frame = stacks.frame(function.get(0).at);
        String place = Places.place(frame.replaceFirst("\\(\\d+\\)", "(" + loop.from + '-' + loop.to + ')'));
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
