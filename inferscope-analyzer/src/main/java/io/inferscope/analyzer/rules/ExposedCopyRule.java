package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;

/** Base of the rules about copies between host and device that no kernel hides. */
abstract class ExposedCopyRule extends Rule {
    private final Threshold share;
    private final CopyDirection direction;
    private final LedgerClass exposed;

    ExposedCopyRule(RuleInfo info, CopyDirection direction, LedgerClass exposed) {
        super(info.limits(Threshold.share(info.id(), 0.05)));
        share = Threshold.share(info.id(), 0.05);
        this.direction = direction;
        this.exposed = exposed;
    }

    /** Returns how long such copies run under no kernel, in the judged part. */
    long costNs(Analysis analysis) {
        return analysis.ledger().ns(exposed);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = costNs(analysis);
        if (ledger.share(costNs) < analysis.threshold(share)) {
            return Verdict.clean(direction.words() + " copies under no kernel take "
                    + Units.percent(ledger.share(costNs)) + " of the span");
        }
        List<CopyFigures> copies = CopyEvidence.of(analysis, direction);
        long count = copies.stream().mapToLong(CopyFigures::count).sum();
        long sizeBytes = copies.stream().mapToLong(CopyFigures::recordedBytes).sum();
        Optional<PinnedCopies> pinned = isWithHost() ? PinnedCopies.of(analysis, ledger, direction) : Optional.empty();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("words", direction.words())
                .measure("copies", CopyEvidence.copies(count))
                .measure("size", sizeBytes == 0 ? "" : ", " + Units.bytes(sizeBytes))
                .claim(
                        "The GPU waits {cost} ({share} of its {part}) for {words} copies that no kernel hides: {copies}{size}"
                                + pinned.map(one -> ", pageable, at {rate} of the link's {link}.")
                                        .orElse("."))
                .evidence(CopyEvidence.longest(analysis, direction, null))
                .quantity(direction.words() + " copies", count, "count")
                .quantity(
                        switch (direction) {
                            case H2D -> "bytes copied to the device";
                            case D2H -> "bytes copied to the host";
                            default -> "bytes copied";
                        },
                        sizeBytes,
                        "bytes")
                .advice(Advice.against(exposed, analysis));
        pinned.ifPresent(one -> finding.measure("rate", Units.rate(one.bytesPerSecond()))
                .measure("link", Units.rate(one.linkBytesPerSecond())));
        return Verdict.found(
                pinned.map(one -> finding.pins(analysis, one)).orElseGet(() -> finding.hides(analysis, exposed)));
    }

    private boolean isWithHost() {
        return direction == CopyDirection.H2D || direction == CopyDirection.D2H;
    }
}
