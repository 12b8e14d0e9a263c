package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.launch.GraphOrigin.Source;
import io.inferscope.analyzer.launch.GraphReplays.Replay;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the operators of a graph's operations. A graph launch names no operator: the operators ran when the graph was
 * captured. There are three kinds of evidence, tried from the strongest: the capture itself, a run of the same kernels
 * without the graph, and kernel names that only one operator launches. A capture may lack one
 * operation of the replay, or have one more.
 */
final class GraphOrigins {
    private final Timeline timeline;
    private final DeviceActivity device;
    private final List<int[]> captures;
    /** Indices of the operations outside of graphs with a known launch, in start order. */
    private final int[] eager;

    GraphOrigins(Analysis analysis, DeviceActivity device) {
        this.timeline = analysis.timeline();
        this.device = device;
        eager = device.launched().filter(device::isLaunchedAlone).toArray();
        captures = analysis.missingOperations().captures().captures();
    }

    /** Returns the origin of the operations of a replay, {@link GraphOrigin#NONE} without evidence. */
    GraphOrigin of(Replay replay) {
        GraphOrigin origin = ofCapture(replay);
        origin = origin == GraphOrigin.NONE ? ofEagerRun(replay) : origin;
        return origin == GraphOrigin.NONE ? ofNames(replay) : origin;
    }

    /**
     * Of the captures that fit, the last one before the launch counts. If their operators differ, only captures made
     * for the same numbers count; if these differ too, none counts. If only the sizes of inputs differ, the operators
     * are known, but not the exact calls.
     */
    private GraphOrigin ofCapture(Replay replay) {
        List<int[]> fitting = fitting(replay, capture -> fits(capture, replay) ? capture : null);
        fitting = fitting.isEmpty() ? fitting(replay, capture -> nearlyFitting(capture, replay)) : fitting;
        if (!areAlike(fitting, this::input)) {
            Set<String> numbers = numbers(replay.launch());
            List<int[]> same = fitting.stream()
                    .filter(capture -> !Collections.disjoint(numbers(firstCall(capture)), numbers))
                    .toList();
            fitting = same.isEmpty() ? fitting : same;
        }
        if (fitting.isEmpty() || !areAlike(fitting, this::operatorName)) {
            return GraphOrigin.NONE;
        }
        int[] last = fitting.get(fitting.size() - 1);
        return new GraphOrigin(Source.CAPTURE, last, areAlike(fitting, this::input));
    }

    /**
     * Returns the calls of each capture before a launch, in the order that {@code placed} gives them; without the
     * captures that it rejects.
     */
    private List<int[]> fitting(Replay replay, Function<int[], int @Nullable []> placed) {
        List<int[]> fitting = new ArrayList<>();
        for (int[] capture : captures) {
            boolean before = timeline.startNs(capture[0]) < timeline.startNs(replay.launch());
            int[] calls = before ? placed.apply(capture) : null;
            if (calls != null) {
                fitting.add(calls);
            }
        }
        return fitting;
    }

    private boolean fits(int[] capture, Replay replay) {
        boolean fits = capture.length == replay.size();
        for (int i = 0; fits && i < capture.length; i++) {
            fits = fits(replay.operation(i), capture[i]);
        }
        return fits;
    }

    private boolean fits(int operation, int call) {
        RowKind kind = timeline.kind(device.row(operation));
        RowKind captured = LaunchCalls.operation(timeline.name(call));
        return kind.isMemcpy()
                ? captured.isMemcpy()
                : (kind == RowKind.MEMSET) == (captured == RowKind.MEMSET) && !captured.isMemcpy();
    }

    private int @Nullable [] nearlyFitting(int[] capture, Replay replay) {
        if (Math.abs(capture.length - replay.size()) != 1) {
            return null;
        }
        int[] kernels = new int[replay.size()];
        Arrays.setAll(kernels, i -> name(replay.operation(i)));
        int[] operators = Arrays.stream(capture).map(this::operatorName).toArray();
        int[] places = GraphAlignment.align(
                kernels, operators, (kernel, operator) -> fits(replay.operation(kernel), capture[operator]));
        return places == null
                ? null
                : Arrays.stream(places)
                        .map(place -> place < 0 ? -1 : capture[place])
                        .toArray();
    }

    /** Returns the first known call, -1 without any: the first operations of a replay may have none. */
    private static int firstCall(int[] calls) {
        return Arrays.stream(calls).filter(call -> call >= 0).findFirst().orElse(-1);
    }

    private static boolean areAlike(List<int[]> captures, IntToLongFunction what) {
        for (int c = 1; c < captures.size(); c++) {
            int[] one = captures.get(c - 1);
            int[] other = captures.get(c);
            for (int i = 0; i < one.length; i++) {
                if (what.applyAsLong(one[i]) != what.applyAsLong(other[i])) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns the name and the sizes of the inputs of an operator as one number. */
    private long input(int launch) {
        int operator = ApiCalls.operatorOf(timeline, launch);
        return operator < 0
                ? -1
                : ((long) timeline.nameId(operator) << 32)
                        + Math.max(0, timeline.attribute(operator, Attribute.INPUT_DIMS));
    }

    /**
     * Returns the numbers in the names of the ranges around a call: engines name the batch size there,
     * {@code capture_32}, {@code bs=32}.
     */
    private Set<String> numbers(int call) {
        Set<String> numbers = new HashSet<>();
        int range = call < 0 ? -1 : timeline.enclosing(call, RowKind.ANNOTATION);
        for (; range >= 0; range = timeline.enclosing(range, RowKind.ANNOTATION)) {
            for (String word : timeline.name(range).split("[^0-9A-Za-z]+", -1)) {
                if (!word.isEmpty() && word.chars().allMatch(Character::isDigit)) {
                    numbers.add(word);
                }
            }
        }
        return numbers;
    }

    private int operatorName(int launch) {
        int operator = ApiCalls.operatorOf(timeline, launch);
        return operator < 0 ? -1 : timeline.nameId(operator);
    }

    /**
     * Knuth, Morris, Pratt (SIAM J. Comput. 6(2), 1977): the last occurrence that starts before the replay, else the
     * first one.
     */
    private GraphOrigin ofEagerRun(Replay replay) {
        int length = replay.size();
        int[] fallback = new int[length];
        for (int i = 1, matched = 0; i < length; i++) {
            while (matched > 0 && name(replay.operation(i)) != name(replay.operation(matched))) {
                matched = fallback[matched - 1];
            }
            matched += name(replay.operation(i)) == name(replay.operation(matched)) ? 1 : 0;
            fallback[i] = matched;
        }
        int found = -1;
        for (int i = 0, matched = 0; i < eager.length; i++) {
            while (matched > 0 && name(eager[i]) != name(replay.operation(matched))) {
                matched = fallback[matched - 1];
            }
            matched += name(eager[i]) == name(replay.operation(matched)) ? 1 : 0;
            if (matched == length) {
                boolean before = eager[i] < replay.operation(0);
                found = before || found < 0 ? i - length + 1 : found;
                matched = fallback[matched - 1];
            }
        }
        return found < 0 ? GraphOrigin.NONE : new GraphOrigin(Source.EAGER_RUN, launches(found, length), true);
    }

    private int[] launches(int first, int length) {
        int[] launches = new int[length];
        for (int i = 0; i < length; i++) {
            launches[i] = device.launch(eager[first + i]);
        }
        return launches;
    }

    private int name(int operation) {
        return timeline.nameId(device.row(operation));
    }

    private GraphOrigin ofNames(Replay replay) {
        int[] launchOfName = new int[timeline.nameCount()];
        BitSet ambiguous = new BitSet();
        Arrays.fill(launchOfName, -1);
        for (int operation : eager) {
            int name = name(operation);
            int launch = device.launch(operation);
            if (launchOfName[name] < 0) {
                launchOfName[name] = launch;
            } else if (operatorName(launchOfName[name]) != operatorName(launch)) {
                ambiguous.set(name);
            }
        }
        int[] launches = new int[replay.size()];
        boolean any = false;
        for (int i = 0; i < launches.length; i++) {
            int name = name(replay.operation(i));
            boolean known = !ambiguous.get(name) && launchOfName[name] >= 0 && operatorName(launchOfName[name]) >= 0;
            launches[i] = known ? launchOfName[name] : -1;
            any |= known;
        }
        return any ? new GraphOrigin(Source.KERNEL_NAMES, launches, false) : GraphOrigin.NONE;
    }
}
