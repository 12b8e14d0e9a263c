package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Optional;

/** The rules about copies that no kernel hides. */
final class ExposedCopyRule extends Rule {
    static final Rule H2D =
            new ExposedCopyRule("exposed-h2d", CopyDirection.H2D, LedgerClass.COPY_H2D, "bytes copied to the device");
    static final Rule D2H =
            new ExposedCopyRule("exposed-d2h", CopyDirection.D2H, LedgerClass.COPY_D2H, "bytes copied to the host");
    static final Rule D2D =
            new ExposedCopyRule("exposed-d2d", CopyDirection.D2D, LedgerClass.COPY_OTHER, "bytes copied");

    private final CopyDirection direction;
    private final LedgerClass exposed;
    private final String bytes;

    private ExposedCopyRule(String id, CopyDirection direction, LedgerClass exposed, String bytes) {
        super(id);
        this.direction = direction;
        this.exposed = exposed;
        this.bytes = bytes;
    }

    /** Returns how long such copies run under no kernel, in the judged part. */
    private long costNs(Analysis analysis) {
        if (direction != CopyDirection.D2D) {
            return analysis.ledger().ns(exposed);
        }
        // The class holds sets and copies between devices, too.
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        return device.times(
                        row -> timeline.kind(row) == RowKind.MEMCPY_D2D,
                        analysis.judged().stretch())
                .intersect(device.exposed(exposed))
                .totalNs();
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = costNs(analysis);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(direction.words() + " copies under no kernel take "
                    + Units.percent(ledger.share(costNs)) + " of the span");
        }
        List<CopyFigures> copies = CopyEvidence.of(analysis, direction);
        long count = CopyEvidence.count(copies);
        long sizeBytes = CopyEvidence.bytes(copies);
        Optional<PinnedCopies> pinned =
                direction == CopyDirection.D2D ? Optional.empty() : PinnedCopies.of(analysis, ledger, direction);
        FindingBuilder finding = finding(ledger, costNs)
                .measure("words", direction.words())
                .measure("copies", CopyEvidence.copies(count))
                .measure("size", sizeBytes == 0 ? "" : ", " + Units.bytes(sizeBytes))
                .claim(pinned.isPresent() ? "exposed-copies.pageable" : "exposed-copies")
                .evidence(CopyEvidence.longest(analysis, direction, null))
                .quantity(direction.words() + " copies", count, "count")
                .quantity(bytes, sizeBytes, "bytes")
                .adviceAgainst(exposed, analysis);
        pinned.ifPresent(one -> finding.measure("rate", Units.rate(one.bytesPerSecond()))
                .measure("link", Units.rate(one.linkBytesPerSecond())));
        return Verdict.found(
                pinned.map(one -> finding.pins(analysis, one)).orElseGet(() -> finding.hides(analysis, exposed)));
    }
}
