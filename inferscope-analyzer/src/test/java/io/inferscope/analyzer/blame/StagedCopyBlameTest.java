package io.inferscope.analyzer.blame;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** What idle time of a device is called while a thread is inside a call that copies. */
class StagedCopyBlameTest {
    private static final long LARGE = 16_000_000;
    private static final String PAGEABLE = "Memcpy DtoH (Device -> Pageable)";

    /** A kernel until 10 us, a copy from 15 to 60 us whose call lasts from 12 to 90 us, and a kernel at 100 us. */
    private static Timeline toHost(String copy, long bytes) {
        return TimelineFixture.blank()
                .kernel("7", 5, 10, "gemm")
                .launchedBy("main", 0, 2)
                .d2h("7", 15, 60, copy)
                .bytes(bytes)
                .launchedBy("main", 12, 90, "cudaMemcpyAsync")
                .kernel("7", 100, 110, "gemm")
                .launchedBy("main", 95, 97)
                .build();
    }

    /** The same with a copy to the device, which starts at 70 us: the driver stages the bytes first. */
    private static Timeline toDevice(String copy, long bytes) {
        return TimelineFixture.blank()
                .kernel("7", 5, 10, "gemm")
                .launchedBy("main", 0, 2)
                .h2d("7", 70, 80, copy)
                .bytes(bytes)
                .launchedBy("main", 12, 75, "cudaMemcpyAsync")
                .kernel("7", 100, 110, "gemm")
                .launchedBy("main", 95, 97)
                .build();
    }

    private static long ns(Timeline timeline, LedgerClass ledgerClass) {
        return Analysis.of(timeline, Thresholds.defaults()).ledger().ns(ledgerClass);
    }

    @Test
    void aCallThatStagesACopyToTheHostIsPartOfTheCopy() {
        Timeline timeline = toHost(PAGEABLE, LARGE);

        assertThat(ns(timeline, LedgerClass.COPY_D2H)).isEqualTo(us(3 + 45 + 30));
        assertThat(ns(timeline, LedgerClass.FRAMEWORK_LAUNCH)).isEqualTo(us(2));
    }

    @Test
    void aCallThatStagesACopyToTheDeviceIsPartOfTheCopy() {
        Timeline timeline = toDevice("Memcpy HtoD (Pageable -> Device)", LARGE);

        assertThat(ns(timeline, LedgerClass.COPY_H2D)).isEqualTo(us(58 + 10));
        assertThat(ns(timeline, LedgerClass.FRAMEWORK_LAUNCH)).isEqualTo(us(2));
    }

    @Test
    void aCopyOfPinnedMemoryIsNotStaged() {
        Timeline timeline = toHost("Memcpy DtoH (Device -> Pinned)", LARGE);

        assertThat(ns(timeline, LedgerClass.COPY_D2H)).isEqualTo(us(45));
        assertThat(ns(timeline, LedgerClass.FRAMEWORK_LAUNCH)).isEqualTo(us(3 + 30 + 2));
    }

    @Test
    void theCallOfASmallCopyIsALaunch() {
        Timeline timeline = toHost(PAGEABLE, 8);

        assertThat(ns(timeline, LedgerClass.COPY_D2H)).isEqualTo(us(45));
        assertThat(ns(timeline, LedgerClass.FRAMEWORK_LAUNCH)).isEqualTo(us(3 + 30 + 2));
    }
}
