package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real Python programs whose time goes by beneath Python: what the report calls it. Each does one thing nearly all of its time. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class BeneathPythonRunTest {
    @TempDir
    Path folder;

    /** Ledger of the judged part: share by class id. */
    private Map<String, Double> sharesOf(String script, String... options) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("infer.py"), script);
        List<String> words = new ArrayList<>(List.of("run", "-o", "r.json"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "python3", "infer.py"));
        Result result = new InferScopeProcess(folder).run(words.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        Map<String, Double> shares = new HashMap<>();
        Map<String, Object> report = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))));
        Map<String, Object> ledger =
                Json.object(Json.list(report.get("ledgers")).get(0));
        for (Object entry : Json.list(ledger.get("classes"))) {
            Map<String, Object> named = Json.object(entry);
            shares.merge((String) named.get("id"), ((Number) named.get("share")).doubleValue(), Double::sum);
        }
        return shares;
    }

    @Test
    void timeInAWrappedCallIsNotTheRecorders() throws Exception {
        Map<String, Double> shares = sharesOf("""
                import socket
                near, far = socket.socketpair()
                data, view = bytes(150_000), memoryview(bytearray(150_000))
                for _ in range(12_000):
                    near.sendall(data)
                    got = 0
                    while got < len(data):
                        got += far.recv_into(view)
                """);
        assertThat(ofWork(shares, "profiler")).as("%s", shares).isLessThan(0.6);
    }

    /** The share of classes, by the beginnings of their ids, in the time that is neither waited nor spent loading. */
    private static double ofWork(Map<String, Double> shares, String... classes) {
        double work = 0;
        double some = 0;
        for (Map.Entry<String, Double> share : shares.entrySet()) {
            String id = share.getKey();
            boolean counts = !id.startsWith("wait.") && !id.equals("framework.compile-load");
            work += counts ? share.getValue() : 0;
            some += counts && Arrays.stream(classes).anyMatch(id::startsWith) ? share.getValue() : 0;
        }
        return some / work;
    }
}
