package io.inferscope.batch;

import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The status of a pair: the contents of {@code _TRACE_STATUS.json}, whose members docs/trace.md lists. */
public record Status(Map<String, @Nullable Object> members) {
    public static final String FILE = "_TRACE_STATUS.json";

    private static final String FILES = "files";
    private static final String PATH = "path";

    /** Returns the status in a folder; empty if there is none or it cannot be read. */
    public static Optional<Status> in(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            return Files.isRegularFile(file) ? Optional.of(new Status(JsonValues.read(file))) : Optional.empty();
        } catch (IOException damaged) {
            return Optional.empty();
        }
    }

    public void write(Path folder) throws IOException {
        JsonValues.write(folder.resolve(FILE), members);
    }

    /** Returns whether the tracer did its work. */
    public boolean success() {
        return Boolean.TRUE.equals(members.get("success"));
    }

    /** Returns a member as text, empty where there is none. */
    public String text(String name) {
        return JsonValues.text(members, name);
    }

    /** Returns a member of an object as a number, 0 where there is none. */
    public double number(String object, String name) {
        return JsonValues.number(JsonValues.object(members, object), name);
    }

    /** Returns whether a file of this path is among the results. */
    public boolean lists(String path) {
        return JsonValues.objects(members, FILES).stream()
                .anyMatch(file -> JsonValues.text(file, PATH).equals(path));
    }

    int attempts() {
        return (int) JsonValues.number(members, "attempts");
    }

    /** Returns the members of a status that must be the same for its result to be reused. */
    static Map<String, @Nullable Object> identity(Pair pair, TraceOptions options, Installation installation) {
        Map<String, @Nullable Object> identity = new TreeMap<>();
        identity.put("tracer", pair.tracer().name());
        identity.put("tracer_version", pair.tracer().version());
        identity.put("framework", options.framework());
        identity.put("model_id", pair.model().id());
        identity.put("device", options.device());
        identity.put("mode", pair.mode());
        identity.put("dtype", options.dtype());
        identity.put("tensor_parallel_size", (long) options.tensorParallelSize());
        identity.put("versions", installation.versions(options.framework()));
        return identity;
    }

    /**
     * Returns whether the result can be reused: it is a success, with the same identity and the same state of the
     * model, and all its files are still there.
     */
    boolean isReusable(Map<String, ?> identity, String modelState, Path folder) {
        if (!success() || !text("model_state").equals(modelState)) {
            return false;
        }
        for (Map.Entry<String, ?> entry : identity.entrySet()) {
            if (!String.valueOf(entry.getValue()).equals(comparable(members.get(entry.getKey())))) {
                return false;
            }
        }
        List<Map<String, @Nullable Object>> files = JsonValues.objects(members, FILES);
        return !files.isEmpty() && files.stream().allMatch(file -> isThere(folder, file));
    }

    private static String comparable(@Nullable Object value) {
        return String.valueOf(value instanceof Map<?, ?> map ? new TreeMap<>(map) : value);
    }

    private static boolean isThere(Path folder, Map<String, ?> file) {
        long bytes = (long) JsonValues.number(file, "bytes");
        java.io.File found = folder.resolve(JsonValues.text(file, PATH)).toFile();
        return bytes == 0 ? found.isFile() : found.length() == bytes;
    }
}
