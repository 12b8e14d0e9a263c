package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** Reports how much is copied between host and device, hidden or not. */
final class CopyHeavyRule extends Rule {
    /** The copies in one direction, without those of the weights. */
    private record Direction(Intervals times, long count, long sizeBytes) {}

    @Override
    public Verdict evaluate(Analysis analysis) {
        long fromNs = afterWeights(analysis);
        Direction in = direction(analysis, RowKind.MEMCPY_H2D, fromNs);
        Direction out = direction(analysis, RowKind.MEMCPY_D2H, fromNs);
        Ledger ledger = analysis.ledger();
        Stretch part = analysis.judged().stretch();
        Intervals either = in.times.union(out.times).clip(part.startNs(), part.endNs());
        long costNs = either.totalNs();
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("copies between host and device take " + ledger.shareOfPart(costNs));
        }
        boolean pinned = CopyEvidence.arePinned(analysis, CopyDirection.H2D)
                && CopyEvidence.arePinned(analysis, CopyDirection.D2H);
        long hiddenNs =
                either.intersect(analysis.headline().orElseThrow().compute()).totalNs();
        return Verdict.found(finding(ledger, costNs)
                .severity(Severity.INFO)
                .measure("in", Units.count(in.count))
                .measure("in size", Units.bytes(in.sizeBytes))
                .measure("out", Units.count(out.count))
                .measure("out size", Units.bytes(out.sizeBytes))
                .measure("hidden", Units.percent((double) hiddenNs / costNs))
                .quantity("copies to the device", in.count, "count")
                .quantity("copies to the host", out.count, "count")
                .quantity("hidden under compute", hiddenNs, "ns")
                .advice(pinned ? "copy-heavy.pinned" : "copy-heavy", analysis)
                .noGainByItself("hidden copies cost nothing; other findings report the rest"));
    }

    private static Direction direction(Analysis analysis, RowKind kind, long fromNs) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        int[] copies = device.rows()
                .filter(row -> timeline.kind(row) == kind && timeline.startNs(row) >= fromNs)
                .toArray();
        long sizeBytes = Arrays.stream(copies)
                .mapToLong(row -> Math.max(0, timeline.attribute(row, Attribute.SIZE_BYTES)))
                .sum();
        return new Direction(timeline.times(Arrays.stream(copies)), copies.length, sizeBytes);
    }

    /**
     * Returns when the load of the weights ends: copies of most of the bytes at the very beginning. Without such a
     * load, the start of device work.
     */
    private long afterWeights(Analysis analysis) {
        long beginNs = analysis.headline().orElseThrow().firstNs();
        long loadedNs = beginNs + Math.round(limit(analysis, "load-ns"));
        long allBytes = direction(analysis, RowKind.MEMCPY_H2D, beginNs).sizeBytes;
        long laterBytes = direction(analysis, RowKind.MEMCPY_H2D, loadedNs).sizeBytes;
        boolean load = allBytes > 0 && allBytes - laterBytes > limit(analysis, "load-byte-share") * allBytes;
        boolean longer = analysis.headline().orElseThrow().lastNs() > loadedNs;
        return load && longer ? loadedNs : beginNs;
    }
}
