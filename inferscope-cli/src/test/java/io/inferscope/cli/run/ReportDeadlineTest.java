package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReportDeadlineTest {
    @Test
    void aReportMayTakeAsLongAsTheProgramRanAndTwoMinutes() {
        assertThat(ReportDeadline.afterRunOf(1_000_000_000L)).isEqualTo(Duration.ofMinutes(2));
        assertThat(ReportDeadline.afterRunOf(3_600_000_000_000L)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void thenTheProcessEndsAndSaysWhereTheRecordIs() throws Exception {
        StringWriter err = new StringWriter();
        CountDownLatch ended = new CountDownLatch(1);
        ReportDeadline.start(
                Duration.ofMillis(1), Path.of("outputs/spool_x"), new PrintWriter(err, true), ended::countDown);

        assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(err.toString()).contains("no report within 1.00 ms").contains("inferscope recover outputs/spool_x");
    }

    @Test
    void aReportThatIsDoneStopsTheTime() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        ReportDeadline deadline = ReportDeadline.start(
                Duration.ofHours(1), Path.of("x"), new PrintWriter(new StringWriter()), ended::countDown);
        deadline.close();
        deadline.join();

        assertThat(ended.getCount()).isEqualTo(1);
    }
}
