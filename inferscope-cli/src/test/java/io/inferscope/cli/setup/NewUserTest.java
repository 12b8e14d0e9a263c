package io.inferscope.cli.setup;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.TestProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody meets who does not know the program yet. */
class NewUserTest {
    @ParameterizedTest
    @CsvSource({
        "analyse x, Unknown command: 'analyse' (did you mean analyze?)",
        "run --sampel-rate 3 x, did you mean --sample-rate?",
        "help analyse, did you mean analyze?",
        "run --report python3 x.py, --report without a file goes last",
        "completion powershell, 'no shell \"powershell\": bash, zsh or fish'",
        "open trace.nsys-rep, trace.nsys-rep: no such file",
        "open gone.html, no such file",
        "run torchrun --nnodes 2 infer.py, 'the job has 2 nodes (--nnodes 2), and InferScope explains one'",
    })
    void mistakesNameWhatWouldBeRight(String words, String answer) {
        TestProgram.Answer given = TestProgram.run(words.split(" "));
        assertThat(given.err()).contains(answer);
        assertThat(given.exitCode()).isNotZero();
    }

    @Test
    void aRecordingNamedTwiceIsRefused(@TempDir Path folder) throws IOException {
        Path trace = Files.writeString(folder.resolve("a.json"), "{\"traceEvents\":[]}");
        Path link = Files.createSymbolicLink(folder.resolve("b.json"), trace);
        TestProgram.Answer given = TestProgram.run("analyze", trace.toString(), link.toString());
        assertThat(given.exitCode()).isEqualTo(2);
        assertThat(given.err()).contains("are the same recording; name it once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "attach", "analyze", "diff", "query", "convert", "doctor", "trace", "open", "demo"})
    void helpHasExamplesAndItsSentencesAreWrappedOnce(String command) {
        TestProgram.Answer given = TestProgram.run("help", command);
        assertThat(given.exitCode()).isZero();
        assertThat(given.err()).isEmpty();
        assertThat(given.out()).contains("Examples:\n  inferscope " + command).doesNotContain("%%");
        assertThat(TestProgram.run(command, "--help").out()).isEqualTo(given.out());
        String[] lines = given.out()
                .substring(given.out().indexOf("Print version"), given.out().indexOf("\nExamples:"))
                .split("\n", -1);
        for (int i = 1; i + 1 < lines.length; i++) {
            boolean sentence = !lines[i].isEmpty()
                    && !lines[i].endsWith(":")
                    && !lines[i].startsWith(" ")
                    && !lines[i + 1].isEmpty();
            assertThat(sentence && lines[i].length() < 40)
                    .as("short line in the middle of a sentence: %s", lines[i])
                    .isFalse();
        }
    }

    @Test
    void everyShellGetsEveryCommandAndOption() {
        String bash = TestProgram.run("completion", "bash").out();
        String zsh = TestProgram.run("completion", "zsh").out();
        String fish = TestProgram.run("completion", "fish").out();
        assertThat(bash).contains("--fail-on").contains("shapes");
        assertThat(zsh)
                .startsWith("#compdef inferscope\n")
                .contains("'*--fail-on=[End with exit code 1 when one of the LIMITS is crossed]:LIMITS:_files'")
                .contains("'analyze:Explain a recorded trace'")
                .contains("_inferscope_shapes_diff() {");
        assertThat(fish)
                .contains(
                        "complete -c inferscope -n '__fish_use_subcommand' -f -a analyze -d 'Explain a recorded trace'\n")
                .contains("complete -c inferscope -n '__fish_seen_subcommand_from analyze' -l fail-on -r -d ")
                .contains(
                        "'__fish_seen_subcommand_from shapes; and __fish_seen_subcommand_from analyze' -l timeline -r")
                .contains("PyTorch\\'s");
    }
}
