package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.TestProgram;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopCommandTest {
    private static final String TRACE = "../examples/demo/decode.json";

    @Test
    void aRecordingIsShownPieceByPieceAndEndsWithItsReport() {
        TestProgram.Answer result = TestProgram.run("top", TRACE, "--pieces", "3");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).doesNotContain("\u001b");
        List<String> pieces = result.out()
                .lines()
                .filter(line -> line.startsWith("inferscope: decode.json from"))
                .toList();
        assertThat(pieces).hasSize(3);
        assertThat(pieces.get(0)).endsWith("from 0 ns to 32.0 ms of 95.9 ms");
        assertThat(result.out()).containsSubsequence("GPU 0: working 75.0%", "GPU 0: working 36.6%", "Verdict: cpu.");
    }

    @Test
    void whatIsNeitherAProcessNorARecordingIsRefused() {
        TestProgram.Answer result = TestProgram.run("top", "nothing.json");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("nothing.json: neither a process id nor a recording");
    }

    @Test
    void aProcessIdGoesToAttach() {
        TestProgram.Answer result = TestProgram.run("--log-level", "error", "top", "999999999");

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("999999999");
    }
}
