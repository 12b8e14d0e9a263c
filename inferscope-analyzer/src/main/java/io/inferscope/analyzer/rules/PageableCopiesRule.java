package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Reports copies from or to pageable host memory. */
final class PageableCopiesRule extends Rule {
    static final Threshold BYTE_SHARE = Threshold.of("pageable-copies.byte-share");

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<CopyFigures> known = Stream.of(CopyDirection.H2D, CopyDirection.D2H)
                .flatMap(direction -> CopyEvidence.of(analysis, direction).stream())
                .filter(c -> CopyEvidence.mentions(c, "pageable") || CopyEvidence.mentions(c, "pinned"))
                .toList();
        if (known.isEmpty()) {
            return new Verdict.NotApplicable("no copy between host and device says which kind of host memory it used");
        }
        if (known.stream().allMatch(c -> c.sizeBytes() == null)) {
            return new Verdict.NotApplicable("no copy between host and device says how many bytes it moved");
        }
        List<CopyFigures> pageable =
                known.stream().filter(c -> CopyEvidence.mentions(c, "pageable")).toList();
        long allBytes = CopyEvidence.bytes(known);
        long bytes = CopyEvidence.bytes(pageable);
        long count = CopyEvidence.count(pageable);
        long ns = pageable.stream().mapToLong(CopyFigures::totalNs).sum();
        Ledger ledger = ledgerOf(analysis, ns);
        double byteShare = allBytes == 0 ? 0 : (double) bytes / allBytes;
        if (byteShare < analysis.threshold(BYTE_SHARE)) {
            return Verdict.clean(Units.percent(byteShare) + " of the bytes use pageable memory");
        }
        if (ledger.share(ns) < leastShare(analysis)) {
            return Verdict.clean("copies with pageable memory take " + ledger.shareOfPart(ns));
        }
        CopyFigures longest = Collections.max(pageable, Order.comparingLong(CopyFigures::maxNs));
        CopyDirection direction = longest.direction();
        FindingBuilder finding = finding(ledger, Math.min(ns, ledger.durationNs()))
                .measure("copies", CopyEvidence.copies(count))
                .measure("size", Units.bytes(bytes))
                .measure("bytes", Units.percent(byteShare))
                .evidence(CopyEvidence.longest(analysis, direction, longest.memoryKinds()))
                .quantity("copies with pageable memory", count, "count")
                .quantity("bytes through pageable memory", bytes, "bytes")
                .advice(direction == CopyDirection.H2D ? "pageable-copies.input" : "pageable-copies.output", analysis);
        return Verdict.found(PinnedCopies.of(analysis, ledger, direction)
                .map(copies -> finding.pins(analysis, copies))
                .orElseGet(() -> finding.hides(analysis, PinnedCopies.exposed(direction))));
    }

    /** Returns the ledger of the judged part, or that of the window where most of the copies' time lies outside of it. */
    private static Ledger ledgerOf(Analysis analysis, long copiesNs) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch judged = analysis.judged().stretch();
        Timeline timeline = analysis.timeline();
        long judgedNs = device.rows()
                .filter(row -> timeline.kind(row).isMemcpy() && MemoryKind.PAGEABLE.isOf(timeline, row))
                .mapToLong(row -> Math.min(judged.endNs(), timeline.endNs(row))
                        - Math.max(judged.startNs(), timeline.startNs(row)))
                .filter(ns -> ns > 0)
                .sum();
        return 2 * judgedNs >= copiesNs
                ? analysis.ledger()
                : analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger());
    }
}
