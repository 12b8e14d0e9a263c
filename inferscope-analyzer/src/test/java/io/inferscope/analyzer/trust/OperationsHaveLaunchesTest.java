package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OperationsHaveLaunchesTest {
    @Test
    void anOperationWithoutLaunchIsNoted() {
        assertNoted(check("operations-have-launches", """
                        us           0         10        20
                        thread main  LL..................
                        stream 7     ..KKKKKKKK..kkkkkkkk
                        links 0-0
                        """), "1 of 2 device operations have no launch in the trace");
    }

    @Test
    void mostOperationsWithoutLaunchWithhold() {
        assertWithholds(check("operations-have-launches", """
                        us           0         10        20
                        thread main  LL..................
                        stream 7     ..KKKKkkkkKKKKkkkkKK
                        links 0-0
                        """), "4 of 5 device operations have no launch in the trace");
    }

    @Test
    void operationsOfARecordingWithoutCallsAskForTheCalls() {
        assertThat(check("operations-have-launches", """
                        us           0         10        20
                        stream 7     ..KKKKkkkkKKKKkkkkKK
                        """).remedy()).contains("inferscope run --ops -- COMMAND");
    }

    /** Pages of unified memory move when they are touched. */
    @Test
    void migrationsNeedNoLaunch() {
        assertThat(check("operations-have-launches", """
                        us           0         10        20
                        name D = Memcpy DtoH (Device -> Managed)
                        thread main  LL..................
                        stream 7     ..KKKK..DD..DD..DD..
                        links 0-0
                        """).detail())
                .isEqualTo("0 of 1 device operations have no launch in the trace");
    }
}
