package io.inferscope.cli.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess;
import io.inferscope.cli.common.Failures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapesStandaloneCommandTest {
    @TempDir
    private Path folder;

    @Test
    void theFileIsNamedAfterTheModel() {
        assertThat(ShapesStandaloneCommand.defaultFile("Qwen/Qwen2.5-7B-Instruct"))
                .hasToString("qwen2.5_7b_instruct_tp1_shapes.jsonl");
        assertThat(ShapesStandaloneCommand.defaultFile("/models/tiny/")).hasToString("tiny_tp1_shapes.jsonl");
    }

    @Tag("process")
    @Test
    void severalRanksNeedTheirWorkersRecorded() throws Exception {
        InferScopeProcess.Result result =
                new InferScopeProcess(folder).run("shapes", "standalone", "--model-path", "m", "--tp-size", "8");

        assertThat(result.exitCode()).isEqualTo(Failures.USAGE);
        assertThat(result.stderr())
                .contains("worker processes", "sglang.launch_server --model-path m --tp-size 8")
                .hasLineCount(1);
    }

    /** An engine that calls no operator in this process: its options reach it, that nothing was recorded is said, and an earlier log stays. */
    @Tag("process")
    @Test
    void anEngineWithoutOperatorsIsWarnedOf() throws Exception {
        write("m_tp1_shapes.jsonl", "earlier");
        write("m_tp1_shapes_summary.json", "{}");
        Files.setLastModifiedTime(folder.resolve("m_tp1_shapes_summary.json"), FileTime.fromMillis(0));
        write("sglang/__init__.py", """
                class Engine:
                    def __init__(self, **arguments):
                        print(sorted(arguments.items()))

                    def generate(self, prompts, settings):
                        return [{"text": "%d tokens" % settings["max_new_tokens"]} for prompt in prompts]

                    def shutdown(self):
                        pass
                """);
        write("sglang/srt/__init__.py", "");
        write("sglang/srt/server_args.py", """
                import dataclasses

                @dataclasses.dataclass
                class ServerArgs:
                    model_path: str
                    tp_size: int
                    log_requests: bool

                    @staticmethod
                    def add_cli_args(parser):
                        parser.add_argument("--model-path")
                        parser.add_argument("--tp-size", type=int, default=1)
                        parser.add_argument("--log-requests", action="store_true")

                    @classmethod
                    def from_cli_args(cls, args):
                        return cls(args.model_path, args.tp_size, args.log_requests)
                """);
        ProcessBuilder builder = new InferScopeProcess(folder)
                .builder(
                        "shapes",
                        "standalone",
                        "--model-path",
                        "m",
                        "--log-requests",
                        "--num-prompts",
                        "2",
                        "--max-tokens",
                        "7");
        builder.environment().put("PYTHONPATH", folder.toString());
        Process process = builder.start();
        InferScopeProcess.Result result = new InferScopeProcess(folder).await(process);

        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.out())
                .contains("[('log_requests', True), ('model_path', 'm'), ('tp_size', 1)]")
                .contains("7 tokens\n7 tokens\n");
        assertThat(result.stderr()).contains("warning: 0 operators were recorded");
        assertThat(folder.resolve("m_tp1_shapes.jsonl")).hasContent("earlier");
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
