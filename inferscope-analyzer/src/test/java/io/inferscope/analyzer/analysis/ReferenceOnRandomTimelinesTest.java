package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.RandomTimeline;
import org.junit.jupiter.api.Test;

/** Every ledger of timelines that no program ever made against the quadratic reference. */
class ReferenceOnRandomTimelinesTest {
    @Test
    void everyLedgerEqualsTheReferenceOnRandomTimelines() {
        RandomTimeline.forEachSeed(3_000, random -> LedgerComparison.assertEqualToReference(random.build()));
    }
}
