package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.JsonValues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScalingCommandTest {
    @TempDir
    private Path folder;

    @Test
    @Tag("process")
    @EnabledOnOs(OS.LINUX)
    void eachCombinationIsARunAndOneThatFailsCostsNoOther() throws Exception {
        Files.writeString(folder.resolve("infer.py"), """
                import sys, time
                x, n, mode = sys.argv[1], int(sys.argv[3]), sys.argv[5]
                assert [x, sys.argv[2], sys.argv[4]] == ["-x", "--n", "--mode"]
                sys.exit(7) if n == 2 and mode == "b" else time.sleep(0.01 * n)
                """);

        Result result = new InferScopeProcess(folder)
                .run(
                        "scaling",
                        "--vary",
                        "n=1,2",
                        "--vary=mode=a,b",
                        "--output-dir",
                        "o",
                        "--",
                        "python3",
                        "infer.py",
                        "-x");

        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(1);
        assertThat(result.stderr())
                .contains("n 2, mode b: the run ended with 7", "3 of 4 runs succeeded; see o/scaling.md");
        assertThat(result.out()).containsPattern("(?m)^n 1, mode a: .*s, \\w+$");
        List<String> csv = Files.readAllLines(folder.resolve("o/scaling.csv"));
        assertThat(csv.get(0)).isEqualTo("n,mode,latency_ms,bottleneck,margin_points,report,trace");
        assertThat(csv.subList(1, csv.size()))
                .extracting(line -> String.join(" ", List.of(line.split(",")).subList(0, 2)))
                .containsExactly("1 a", "1 b", "2 a");
        assertThat(csv.get(1)).endsWith("o/report_1_a.json,o/trace_1_a.json.gz");
        assertThat(folder.resolve("o/report_1_a.json")).isNotEmptyFile();
        assertThat(folder.resolve("o/trace_2_a.json.gz")).isNotEmptyFile();
        assertThat(JsonValues.parse("{\"runs\":" + Files.readString(folder.resolve("o/scaling.json")) + "}"))
                .extractingByKey("runs")
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .hasSize(3);
        assertThat(folder.resolve("o/scaling.md"))
                .content()
                .contains("python3 infer.py -x", "](scaling-n.svg)", "| 2 | a |");
        assertThat(folder.resolve("o/scaling-n.svg")).content().contains("n 1: ", "mode a", "<line class=\"roof\"");
        assertThat(folder.resolve("o/scaling-mode.svg")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"n", "n=", "=1", "--n=1", "n=1,,2", "n=1 2", ""})
    void otherOptionsAreRefused(String text) {
        TestProgram.Answer answer = TestProgram.run("scaling", "--vary", text, "--", "true");

        assertThat(answer.exitCode()).isEqualTo(2);
        assertThat(answer.err()).contains("expected an option named once and its values");
    }

    @Test
    void anOptionIsVariedOnceAndRunsAreBounded() {
        assertThat(TestProgram.run("scaling", "--vary", "n=1", "--vary", "n=2", "--", "true")
                        .err())
                .contains("named once");
        String many = "1" + ",1".repeat(40);
        assertThat(TestProgram.run("scaling", "--vary", "n=" + many, "--vary", "m=" + many, "--", "true")
                        .err())
                .contains("expected at most 1000");
    }
}
