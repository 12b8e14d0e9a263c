package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A thread's samples in ranges, by the range's name and the line that opened it: for ranges so short that few of them
 * have a sample of their own. What one does the next does, so such a range gets the nearest sample in one of its name
 * whose length is similar.
 *
 * <pre>
 *   ranges   [f][f][f][f][f][f][f][f][f][f][f][f][f]
 *   samples       *                       *
 *   chosen   aaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb
 * </pre>
 *
 * <p>In a call of a model with small operators, length does not matter.
 */
final class SamplesByName {
    private static final long REACH_NS = 1_000_000_000L;

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final boolean smallOperators;
    private final Map<Long, Named> byName = new HashMap<>();

    /** By their keys, the ranges in which others were sampled: a generation, whose steps call the model. */
    private final Set<Long> around = new HashSet<>();

    /** Samples, ascending, and the length of the part of a range in which each was taken. */
    private static final class Named {
        private int[] rows = new int[4];
        private long[] lengthsNs = new long[4];
        private int count;

        void add(int row, long lengthNs) {
            if (count == rows.length) {
                rows = Arrays.copyOf(rows, 2 * count);
                lengthsNs = Arrays.copyOf(lengthsNs, 2 * count);
            }
            rows[count] = row;
            lengthsNs[count++] = lengthNs;
        }
    }

    /**
     * Takes a thread's samples and its activities. Where a recorder looked at a thread at two instants, ranges of one
     * name must have been open at both. Reading a stack takes some time as well, so that of a model's call must lead
     * through a model. What a generation does between its calls of the model does not.
     */
    SamplesByName(Timeline timeline, ActivityClassifier classifier, int[] samples, InnermostRows activities) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.smallOperators = Arrays.stream(samples).anyMatch(classifier::leadsToSmallOperator);
        int[] seenIn = new int[activities.isEmpty() ? 0 : samples.length];
        for (int i = 0; i < seenIn.length; i++) {
            long lookedNs = timeline.attribute(samples[i], Attribute.LOOKED_NS);
            seenIn[i] = lookedNs == Attribute.ABSENT ? -1 : activities.rowAt(timeline.startNs(samples[i]) + lookedNs);
            int parent = seenIn[i] < 0 ? -1 : timeline.parent(seenIn[i]);
            while (parent >= 0 && around.add(key(parent))) {
                parent = timeline.parent(parent);
            }
        }
        for (int i = 0; i < seenIn.length; i++) {
            int sample = samples[i];
            int row = seenIn[i];
            boolean named = row >= 0 && timeline.kind(row) == RowKind.ANNOTATION;
            if (named && (!isInnermostModel(row) || classifier.isInModel(sample))) {
                long lookedNs = timeline.attribute(sample, Attribute.LOOKED_NS);
                long readNs = timeline.attribute(sample, Attribute.FRAMES_READ_NS);
                long lengthNs = activities.wholeNs(timeline.startNs(sample) + lookedNs);
                int atRead = readNs == Attribute.ABSENT ? row : activities.rowAt(timeline.startNs(sample) + readNs);
                if (atRead >= 0 && key(atRead) == key(row)) {
                    byName.computeIfAbsent(key(row), name -> new Named()).add(sample, lengthNs);
                }
            }
        }
    }

    private boolean isInnermostModel(int row) {
        return classifier.isCoarseModel(row) && !around.contains(key(row));
    }

    private long key(int row) {
        return ((long) timeline.nameId(row) << 32) | (timeline.attribute(row, Attribute.WHERE) & 0xFFFF_FFFFL);
    }

    /**
     * Returns the nearest sample to an instant of a range, in a part of a range of its name and about its length; -1 for
     * none in reach.
     */
    int nearest(int row, long ns, long lengthNs) {
        Named named = byName.isEmpty() || timeline.kind(row) != RowKind.ANNOTATION ? null : byName.get(key(row));
        if (named == null) {
            return -1;
        }
        boolean anyLength = smallOperators && isInnermostModel(row);
        int behind = RowSearch.startingBy(timeline, named.rows, named.count, ns);
        int before = behind - 1;
        while (before >= 0
                && ns - timeline.startNs(named.rows[before]) <= REACH_NS
                && !fits(named, before, lengthNs, anyLength)) {
            before--;
        }
        while (behind < named.count
                && timeline.startNs(named.rows[behind]) - ns <= REACH_NS
                && !fits(named, behind, lengthNs, anyLength)) {
            behind++;
        }
        long beforeNs = before < 0 ? Long.MAX_VALUE : ns - timeline.startNs(named.rows[before]);
        long behindNs = behind == named.count ? Long.MAX_VALUE : timeline.startNs(named.rows[behind]) - ns;
        boolean inReach = Math.min(beforeNs, behindNs) <= REACH_NS;
        return !inReach ? -1 : named.rows[beforeNs <= behindNs ? before : behind];
    }

    /** A part of many samples' length has some of its own, unless none could be taken in it. */
    private boolean fits(Named named, int position, long lengthNs, boolean anyLength) {
        return anyLength
                || (RepresentativeSamples.isAlike(named.lengthsNs[position], lengthNs)
                        && lengthNs <= RepresentativeSamples.MANY * classifier.sampleNs(named.rows[position]));
    }
}
