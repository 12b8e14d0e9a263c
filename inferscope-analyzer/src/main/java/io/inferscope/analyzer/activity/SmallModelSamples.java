package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A thread's samples in calls of models whose operators are small, by the call's name: for calls so short that few of
 * them have a sample of their own. What a model does in one call it does in the next, so such a call gets the nearest
 * sample of its name.
 *
 * <pre>
 *   calls    [f][f][f][f][f][f][f][f][f][f][f][f][f]
 *   samples       *                       *
 *   chosen   aaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb
 * </pre>
 */
final class SmallModelSamples {
    private static final long REACH_NS = 1_000_000_000L;

    private final Timeline timeline;
    private final ActivityClassifier classifier;

    /** By name of a call: the samples in it, ascending. */
    private final Map<Integer, int[]> byName = new HashMap<>();

    /**
     * Takes a thread's samples and its activities. Where a recorder looked at a thread at two instants, calls of one
     * name must have been open at both. Reading a stack takes some time as well, so it must lead through a model.
     */
    SmallModelSamples(Timeline timeline, ActivityClassifier classifier, int[] samples, Segments activities) {
        this.timeline = timeline;
        this.classifier = classifier;
        if (activities.isEmpty() || Arrays.stream(samples).noneMatch(classifier::leadsToSmallOperator)) {
            return;
        }
        Map<Integer, List<Integer>> found = new HashMap<>();
        for (int sample : samples) {
            long lookedNs = timeline.attribute(sample, Attribute.LOOKED_NS);
            long readNs = timeline.attribute(sample, Attribute.FRAMES_READ_NS);
            int name = lookedNs == Attribute.ABSENT ? -1 : nameAt(activities, timeline.startNs(sample) + lookedNs);
            boolean one = readNs == Attribute.ABSENT || nameAt(activities, timeline.startNs(sample) + readNs) == name;
            if (name >= 0 && one && classifier.isInModel(sample)) {
                found.computeIfAbsent(name, n -> new ArrayList<>()).add(sample);
            }
        }
        found.forEach((name, rows) ->
                byName.put(name, rows.stream().mapToInt(Integer::intValue).toArray()));
    }

    private int nameAt(Segments activities, long instantNs) {
        activities.begin(instantNs, instantNs + 1);
        activities.next();
        int row = activities.pieceRow();
        return row >= 0 && classifier.isCoarseModel(row) ? timeline.nameId(row) : -1;
    }

    /** Returns the sample that is nearest to an instant in a call of a row's name; -1 for none in reach. */
    int nearest(int row, long ns) {
        int[] samples = byName.isEmpty() || !classifier.isCoarseModel(row) ? null : byName.get(timeline.nameId(row));
        if (samples == null) {
            return -1;
        }
        int behind = RowSearch.startingBy(timeline, samples, samples.length, ns);
        int before = behind - 1;
        long beforeNs = before < 0 ? Long.MAX_VALUE : ns - timeline.startNs(samples[before]);
        long behindNs = behind == samples.length ? Long.MAX_VALUE : timeline.startNs(samples[behind]) - ns;
        boolean inReach = Math.min(beforeNs, behindNs) <= REACH_NS;
        return !inReach ? -1 : samples[beforeNs <= behindNs ? before : behind];
    }
}
