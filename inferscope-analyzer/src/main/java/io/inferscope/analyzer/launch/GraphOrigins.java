package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.GraphOrigin.Source;
import io.inferscope.analyzer.launch.GraphReplays.Replay;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Finds where the operations of a graph come from. A graph launch names no operator: the operators ran when the graph was captured. Three
 * kinds of evidence are looked for, the strongest first: the capture itself, a run of the same kernels without the graph, and kernels
 * whose name belongs to one operator alone.
 */
final class GraphOrigins {
    private final Timeline timeline;
    private final DeviceActivity device;
    private final List<int[]> captures;
    /** Indices of the operations that no graph replayed and whose launch is known, in start order. */
    private final int[] eager;

    GraphOrigins(Analysis analysis, DeviceActivity device) {
        this.timeline = analysis.timeline();
        this.device = device;
        int[] alone = new int[device.operationCount()];
        int count = 0;
        for (int i = 0; i < alone.length; i++) {
            if (device.isLaunchedAlone(i)) {
                alone[count++] = i;
            }
        }
        eager = Arrays.copyOf(alone, count);
        captures = CapturedCalls.of(analysis).captures();
    }

    /** Returns the origin of the operations of a replay, {@link GraphOrigin#NONE} without evidence. */
    GraphOrigin of(Replay replay) {
        GraphOrigin origin = ofCapture(replay);
        origin = origin == GraphOrigin.NONE ? ofEagerRun(replay) : origin;
        return origin == GraphOrigin.NONE ? ofNames(replay) : origin;
    }

    /** The last capture before the launch counts of those that fit; where two that fit have other operators, none does. */
    private GraphOrigin ofCapture(Replay replay) {
        int[] found = null;
        for (int[] capture : captures) {
            boolean before = capture.length > 0 && timeline.startNs(capture[0]) < timeline.startNs(replay.launch());
            if (before && fits(capture, replay)) {
                if (found != null && !haveSameOperators(found, capture)) {
                    return GraphOrigin.NONE;
                }
                found = capture;
            }
        }
        return found == null ? GraphOrigin.NONE : new GraphOrigin(Source.CAPTURE, found);
    }

    private boolean fits(int[] capture, Replay replay) {
        boolean fits = capture.length == replay.size();
        for (int i = 0; fits && i < capture.length; i++) {
            RowKind kind = timeline.kind(device.row(replay.operation(i)));
            String call = timeline.name(capture[i]);
            boolean copies = call.contains("Memcpy");
            boolean sets = call.contains("Memset");
            fits = kind.isMemcpy() ? copies : kind == RowKind.MEMSET ? sets : !copies && !sets;
        }
        return fits;
    }

    private boolean haveSameOperators(int[] a, int[] b) {
        for (int i = 0; i < a.length; i++) {
            if (operatorName(a[i]) != operatorName(b[i])) {
                return false;
            }
        }
        return true;
    }

    private int operatorName(int launch) {
        int operator = ApiCalls.operatorOf(timeline, launch);
        return operator < 0 ? -1 : timeline.nameId(operator);
    }

    /** Knuth, Morris, Pratt (SIAM J. Comput. 6(2), 1977): the last occurrence that starts before the replay, else the first one. */
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
        return found < 0 ? GraphOrigin.NONE : new GraphOrigin(Source.EAGER_RUN, launches(found, length));
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
        return any ? new GraphOrigin(Source.KERNEL_NAMES, launches) : GraphOrigin.NONE;
    }
}
