package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds when the host built code for the device that it then loaded. No call of the runtime or the driver shows the
 * building; the load at its end does:
 *
 * <pre>
 *   operator  [.........................................]
 *   calls      LL L                         [load] L L
 *   built          #########################
 * </pre>
 *
 * A library that generates a kernel for each new shape compiles it between its last call before and the load. In an
 * operator or a model, the host otherwise spends some microseconds between two calls, so a stretch counts from
 * {@value #LEAST_NS} ns on. It begins no sooner than the innermost operator or range around the load.
 */
final class CodeBuilds {
    static final long LEAST_NS = 1_000_000;

    private final Timeline timeline;
    private final ActivityClassifier classifier;

    /** By name id: whether the call loads code. */
    private final boolean[] loads;

    private final boolean hasLoads;
    private final Map<Integer, Intervals> byTrack = new HashMap<>();

    CodeBuilds(Timeline timeline, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.loads = new boolean[timeline.nameCount()];
        for (int name = 0; name < loads.length; name++) {
            loads[name] = ApiCalls.loadsCode(timeline.text(name));
        }
        this.hasLoads = IntStream.range(0, loads.length).anyMatch(name -> loads[name]);
    }

    /** Returns when a thread built code. */
    Intervals of(int track) {
        return hasLoads ? byTrack.computeIfAbsent(track, this::find) : Intervals.EMPTY;
    }

    /** Returns when the building of what a call loads began, in ns: the start of a call that loads nothing so built. */
    long fromNs(int call) {
        Intervals builds = of(timeline.track(call));
        long startNs = timeline.startNs(call);
        int last = BinarySearch.first(0, builds.count(), i -> builds.endNs(i) >= startNs);
        return last < builds.count() && builds.endNs(last) == startNs ? builds.startNs(last) : startNs;
    }

    private Intervals find(int track) {
        Intervals.Builder found = new Intervals.Builder(16);
        ApiCalls.forEachAfterAnother(timeline, track, (call, calledNs) -> {
            if (loads[timeline.nameId(call)]) {
                add(found, call, calledNs);
            }
        });
        return found.build();
    }

    private void add(Intervals.Builder found, int load, long calledNs) {
        int around = timeline.parent(load);
        if (around < 0 || classifier.classify(around) != LedgerClass.FRAMEWORK_DISPATCH) {
            return;
        }
        long beganNs = Math.max(calledNs, timeline.startNs(around));
        if (timeline.startNs(load) - beganNs >= LEAST_NS) {
            found.add(beganNs, timeline.startNs(load));
        }
    }
}
