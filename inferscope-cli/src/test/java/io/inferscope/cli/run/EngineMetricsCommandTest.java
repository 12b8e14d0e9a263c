package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.inferscope.cli.TestProgram;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineMetricsCommandTest {
    private static final String METRICS = """
            # HELP vllm:num_preemptions_total Cumulative number of preemptions.
            # TYPE vllm:num_preemptions_total counter
            vllm:num_preemptions_total{engine="0",model_name="a model"} 3.0
            vllm:num_preemptions_created{engine="0"} 1.7e+09
            vllm:time_to_first_token_seconds_bucket{le="1.0"} 4.0
            sglang:token_usage 0.28
            sglang:num_queue_reqs NaN
            vllm:num_requests_running{engine="0"} nonsense
            process_cpu_seconds_total 4.0
            vllm:num_requests_waiting
            """;

    @TempDir
    private Path folder;

    private static TestProgram.Answer ofServer(String answer, String... more) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/metrics";
            String[] words = new String[more.length + 2];
            words[0] = "engine-metrics";
            words[1] = url;
            System.arraycopy(more, 0, words, 2, more.length);
            return TestProgram.run(words);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void theEnginesGaugesBecomeCountersWithTheirLabels() throws Exception {
        Path file = folder.resolve("metrics.json");
        TestProgram.Answer answer = ofServer(METRICS, "-o", file.toString(), "--duration", "50ms", "--period", "10ms");

        assertThat(answer.exitCode()).as(answer.err()).isZero();
        Timeline timeline = Formats.importers().load(file);
        assertThat(timeline.originUnixNs()).isGreaterThan(1_000_000_000_000_000_000L);
        assertThat(IntStream.range(0, timeline.rowCount())
                        .filter(row -> timeline.kind(row) == RowKind.COUNTER)
                        .mapToObj(row -> timeline.name(row) + " = "
                                + Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE))))
                .contains("sglang:token_usage = 0.28")
                .allMatch(text -> text.equals("sglang:token_usage = 0.28")
                        || text.equals("vllm:num_preemptions_total{engine=\"0\",model_name=\"a model\"} = 3.0"))
                .hasSizeGreaterThan(2);
    }

    @Test
    void aServerWithoutTheseCountersGivesNoFile() throws Exception {
        Path file = folder.resolve("metrics.json");
        TestProgram.Answer answer = ofServer("up 1\n", "-o", file.toString(), "--duration", "1ms");

        assertThat(answer.exitCode()).isEqualTo(4);
        assertThat(answer.err()).contains("no counter was read that rules use");
        assertThat(file).doesNotExist();
    }

    @Test
    void aServerThatIsNotThereIsSaidOnce() {
        TestProgram.Answer answer = TestProgram.run(
                "engine-metrics", "http://127.0.0.1:9/metrics", "--duration", "30ms", "--period", "10ms");

        assertThat(answer.exitCode()).isEqualTo(4);
        assertThat(answer.err()).containsOnlyOnce("http://127.0.0.1:9/metrics");
    }

    @Test
    void otherAddressesAreRefused() {
        for (String address : new String[] {"file:///etc/passwd", "metrics", "http:", "http://a b/"}) {
            TestProgram.Answer answer = TestProgram.run("engine-metrics", address);

            assertThat(answer.exitCode()).as(address).isEqualTo(2);
            assertThat(answer.err()).contains("expected an address such as");
        }
    }
}
