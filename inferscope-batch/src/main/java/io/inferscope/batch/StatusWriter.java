package io.inferscope.batch;

import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds a status; docs/trace.md explains its members. */
final class StatusWriter {
    private static final List<String> OWN_FACTS = List.of("model", "dtype", "load_s", "trace_s");
    private static final double NS_PER_S = 1e9;

    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();
    private final Map<String, Object> durations = new LinkedHashMap<>();

    StatusWriter(TraceOptions options, Installation installation, Pair pair, int attempts) {
        members.put("success", false);
        members.putAll(Status.identity(pair, options, installation));
        members.put("model", "");
        members.put("timestamp", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        members.put("model_state", pair.model().state());
        members.put("attempts", attempts);
    }

    /** Sets the members about the outcome; {@code ended} is null if no process was started. */
    void verdict(RunOutcome verdict, Worker.@Nullable Ended ended, Map<String, ?> result) {
        members.put("success", verdict.exitClass() == ExitClass.OK);
        members.put("exit_class", verdict.exitClass().label());
        members.put("reason", verdict.reason());
        Map<String, @Nullable Object> facts = JsonValues.object(result, "facts");
        members.put("model", JsonValues.text(facts, "model"));
        members.put("model_dtype", JsonValues.text(facts, "dtype"));
        Map<String, @Nullable Object> rest = new LinkedHashMap<>(facts);
        rest.keySet().removeAll(OWN_FACTS);
        members.put("facts", rest);
        duration("load", JsonValues.number(facts, "load_s"));
        duration("trace", JsonValues.number(facts, "trace_s"));
        if (ended != null) {
            members.put("exit_code", ended.end().bySignal() ? null : ended.end().code());
            members.put("signal", ended.end().bySignal() ? ended.end().code() : null);
            members.put("peak_memory_bytes", ended.peakBytes());
            duration("process", ended.wallNs() / NS_PER_S);
            duration("process_cpu", ended.cpuNs() / NS_PER_S);
        }
    }

    void duration(String name, double seconds) {
        durations.put(name, Math.round(seconds * 1e3) / 1e3);
    }

    void files(Path folder) throws IOException {
        List<Map<String, Object>> files = new ArrayList<>();
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path file : found.filter(Files::isRegularFile).sorted().toList()) {
                Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("path", folder.relativize(file).toString());
                entry.put("bytes", Files.size(file));
                files.add(entry);
            }
        }
        members.put("files", files);
    }

    Status status() {
        members.put("durations_s", durations);
        return new Status(members);
    }
}
