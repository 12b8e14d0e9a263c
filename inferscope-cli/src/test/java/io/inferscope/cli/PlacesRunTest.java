package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real programs whose cost lies at one line: that line is named, and its cost is told once. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class PlacesRunTest {
    @TempDir
    Path folder;

    private List<Map<String, Object>> findings(String... command) throws Exception {
        String[] words = new String[command.length + 4];
        List.of("run", "-o", "report.json", "--").toArray(words);
        System.arraycopy(command, 0, words, 4, command.length);
        Result result = new InferScopeProcess(folder).run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        try (InputStream in = Files.newInputStream(folder.resolve("report.json"))) {
            return Json.list(Json.object(Json.parse(in)).get("findings")).stream()
                    .map(Json::object)
                    .filter(finding -> !"cpu-contention".equals(finding.get("rule")))
                    .toList();
        }
    }

    /**
     * Each of its scopes is far shorter than the time between two samples. The function has all but 3 to 4 points of the
     * class, so its finding or that of the class tells it.
     */
    @Test
    void theDeepestLineOfShortScopesIsThePlace() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(root.resolve("examples/quickstart.py"))) {
            root = root.getParent();
        }
        String program = root.resolve("examples/quickstart.py").toString();
        QuietMachine.judge(attempt -> {
            List<Map<String, Object>> findings = findings("python3", program);

            assertThat((String) findings.get(0).get("claim"))
                    .matches("quickstart\\.py:7\\d merge_word(.*: Tokenization takes| takes .*: tokenization) .*")
                    .containsOnlyOnce("% of the steady state");
            assertThat(findings).noneMatch(finding -> ((String) finding.get("claim")).contains(" main"));
        });
    }

    /** A hook that sorts what the model computes, in calls that are shorter than the time between two samples. */
    @Test
    @Tag("torch")
    void ownCodeThatAModelCallsBackHasItsWholeCost() throws Exception {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        assumeTrue("1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && python != null, "needs a Python with torch");
        Files.writeString(folder.resolve("rerank.py"), """
                import sys, time, torch
                torch.set_num_threads(1)
                torch.set_grad_enabled(False)
                spent = 0
                def top_ids(module, inputs, output):
                    global spent
                    start = time.perf_counter_ns()
                    for row in output[:, :400].tolist():
                        sorted(range(len(row)), key=row.__getitem__, reverse=True)
                    spent += time.perf_counter_ns() - start
                layers = [layer for _ in range(6) for layer in (torch.nn.Linear(512, 512), torch.nn.GELU())]
                model = torch.nn.Sequential(*layers, torch.nn.Linear(512, 2000)).eval()
                model[-1].register_forward_hook(top_ids)
                inputs, begin, cpu = torch.randn(32, 512), time.perf_counter_ns(), time.thread_time()
                while time.thread_time() < cpu + 4:
                    model(inputs)
                print(spent / (time.perf_counter_ns() - begin))
                """);
        QuietMachine.judge(attempt -> {
            Map<String, Object> first = findings(python, "rerank.py").stream()
                    .filter(finding -> !"compile-load".equals(finding.get("rule")))
                    .findFirst()
                    .orElseThrow();
            double clocked = Double.parseDouble(
                    Files.readString(folder.resolve(".stdout")).strip());

            assertThat((String) first.get("claim")).startsWith("rerank.py:").contains("top_ids");
            assertThat(((Number) first.get("share")).doubleValue()).isCloseTo(clocked, within(0.08));
        });
    }

    /** A process that polls memory which it shares with a worker, as vLLM's engine core does, is on a CPU all the time. */
    @Test
    void whoPollsWaitsForTheWorkersLine() throws Exception {
        Path module = folder.resolve("vllm/distributed/device_communicators/shm_broadcast.py");
        Files.createDirectories(module.getParent());
        Files.writeString(module, """
                import os
                from multiprocessing.shared_memory import SharedMemory
                class Buffer:
                    def __init__(self): self.shared_memory = SharedMemory(create=True, size=1)
                class MessageQueue:
                    def __init__(self): self.buffer = Buffer()
                    def turn(self, full):
                        state = self.buffer.shared_memory.buf
                        while state[0] == full: os.sched_yield()
                        state[0] = full
                    def enqueue(self): self.turn(1)
                    def dequeue(self): self.turn(0)
                """);
        Files.writeString(folder.resolve("serve.py"), """
                import multiprocessing
                from vllm.distributed.device_communicators.shm_broadcast import MessageQueue
                asks, answers = MessageQueue(), MessageQueue()
                def count_letters():
                    return sum(1 for n in range(300_000) if str(n)[0] == "7")
                def work():
                    for _ in range(20):
                        asks.dequeue()
                        count_letters()
                        answers.enqueue()
                worker = multiprocessing.get_context("fork").Process(target=work)
                worker.start()
                for _ in range(20):
                    asks.enqueue()
                    answers.dequeue()
                worker.join()
                for queue in asks, answers:
                    queue.buffer.shared_memory.close()
                    queue.buffer.shared_memory.unlink()
                """);
        QuietMachine.judge(attempt -> {
            List<Map<String, Object>> findings = findings("python3", "serve.py");

            assertThat(findings)
                    .as("%s", findings)
                    .anyMatch(finding -> "waiting-for-worker".equals(finding.get("rule"))
                            && finding.get("evidence").toString().contains("count_letters"));
        });
    }

    @Test
    void oneCostIsOneFinding() throws Exception {
        Files.writeString(folder.resolve("dump.py"), """
                import json, time
                vectors = [[i / 7.0 + j for j in range(256)] for i in range(64)]
                def score(count):
                    return sum(i * 0.5 for i in range(count))
                def answer():
                    return json.dumps({"data": vectors})
                while time.thread_time() < 3:
                    score(30000)
                    answer()
                """);
        QuietMachine.judge(attempt -> {
            List<Map<String, Object>> findings = findings("python3", "dump.py");

            assertThat(findings)
                    .filteredOn(finding -> Json.list(finding.get("causes")).contains("cpu.serialization")
                            && ((String) finding.get("claim"))
                                    .toLowerCase(Locale.ROOT)
                                    .contains("serialis"))
                    .hasSize(1);
        });
    }
}
