package io.inferscope.report.json;

import io.inferscope.timeline.fixture.Seeds;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reports with values that no version has written: read and compared, or refused in one line. */
class DamagedReportTest {
    static LongStream seeds() {
        return Seeds.upTo(20);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDamagedReportIsRefusedInOneLineOrCompared(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            byte[] changes = new byte[random.nextInt(1, 8) * 3 + random.nextInt(2)];
            random.nextBytes(changes);
            ReportTarget.fuzzerTestOneInput(changes);
        }
    }
}
