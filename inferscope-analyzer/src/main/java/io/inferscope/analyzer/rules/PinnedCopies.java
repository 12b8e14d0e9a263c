package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import java.util.List;
import java.util.Optional;

/**
 * What copies between host and device would take through pinned memory: their bytes at the rate of the link. On an H200
 * with PCIe 5.0 x16, copies of 16 MiB ran at 55 GB/s of 63 pinned, and at 7 to 14 GB/s pageable.
 *
 * @param direction of the copies
 * @param bytesPerSecond what they reach now
 * @param linkBytesPerSecond what the link can do in one direction
 * @param leastSaved the least part of their time that pinned memory saves, 0 to 1
 * @param mostSaved the most
 */
record PinnedCopies(
        CopyDirection direction,
        double bytesPerSecond,
        double linkBytesPerSecond,
        double leastSaved,
        double mostSaved) {
    /** The least part of the link's rate that large pinned copies reach; what pcie-saturation takes for a full link. */
    private static final double LEAST_RATE = 0.75;

    /** What each copy takes besides, in ns: about the time of the smallest ones. */
    private static final double EACH_NS = 2_000;

    /**
     * Returns them for copies of a direction on the headline device; empty if most of their bytes use no pageable
     * memory, if the link is not known, or if pinned memory saves nothing.
     */
    static Optional<PinnedCopies> of(Analysis analysis, Ledger ledger, CopyDirection direction) {
        List<CopyFigures> copies = CopyEvidence.of(analysis, direction);
        long bytes = CopyEvidence.bytes(copies);
        long pageableBytes = CopyEvidence.bytes(copies.stream()
                .filter(copy -> CopyEvidence.mentions(copy, "pageable"))
                .toList());
        double link = PcieSaturationRule.limit(analysis);
        if (link <= 0 || bytes == 0 || pageableBytes < analysis.threshold(PageableCopiesRule.BYTE_SHARE) * bytes) {
            return Optional.empty();
        }
        long count = CopyEvidence.count(copies);
        long deviceNs = copies.stream().mapToLong(CopyFigures::totalNs).sum();
        double nowNs = Math.max(deviceNs, ledger.ns(exposed(direction)));
        double atLinkNs = pageableBytes * 1e9 / link;
        double restNs = (double) (bytes - pageableBytes) / bytes * deviceNs + count * EACH_NS;
        double least = 1 - (atLinkNs / LEAST_RATE + restNs) / nowNs;
        double most = 1 - (atLinkNs + restNs) / nowNs;
        return least <= 0
                ? Optional.empty()
                : Optional.of(new PinnedCopies(direction, bytes * 1e9 / nowNs, link, least, most));
    }

    /** Returns the class of copies of a direction that nothing hides. */
    static LedgerClass exposed(CopyDirection direction) {
        return direction == CopyDirection.H2D ? LedgerClass.COPY_H2D : LedgerClass.COPY_D2H;
    }
}
