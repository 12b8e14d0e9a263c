package io.inferscope.timeline.shapes;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a recorder counted itself: the {@code *_summary.json} beside a shape log. Numbers are -1 where it does not say.
 *
 * @param rank of the process in its group
 * @param totalOperations operators that were called
 * @param forwardPasses passes that were recorded
 * @param uniqueOperations operators by name
 * @param operationCounts calls by operator, in the order of their names
 * @param deduped whether calls with the same signature were logged once
 * @param dedupeSkipped calls that were not logged because of that
 * @param uniqueSignatures operators by name and shapes
 * @param problem why it could not be read; empty when it could
 */
public record ShapeSummary(
        long rank,
        long totalOperations,
        long forwardPasses,
        long uniqueOperations,
        Map<String, Long> operationCounts,
        boolean deduped,
        long dedupeSkipped,
        long uniqueSignatures,
        String problem) {
    /** A summary of more is none that a recorder writes. */
    private static final long MAX_BYTES = 64 << 20;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false)
            .build();

    /** Copies the map, keeping its order. */
    public ShapeSummary {
        operationCounts = java.util.Collections.unmodifiableMap(new TreeMap<>(operationCounts));
    }

    /** Returns where the summary of a log lies: {@code shapes_summary.json} beside {@code shapes.jsonl} or {@code shapes.jsonl.gz}. */
    public static Path fileOf(Path log) {
        String name = String.valueOf(log.getFileName());
        String plain = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
        String stem = plain.endsWith(".jsonl") ? plain.substring(0, plain.length() - 6) : plain;
        return log.resolveSibling(stem + "_summary.json");
    }

    /** Reads the summary beside a log; null when there is none. */
    public static @Nullable ShapeSummary beside(Path log) {
        Path file = fileOf(log);
        if (!Files.isRegularFile(file)) {
            return null;
        }
        Reader reader = new Reader();
        String problem = "";
        try (InputStream in = Files.newInputStream(file);
                JsonParser parser = FACTORY.createParser(in)) {
            problem = Files.size(file) > MAX_BYTES ? "larger than " + (MAX_BYTES >> 20) + " MiB" : reader.read(parser);
        } catch (JsonProcessingException e) {
            problem = "not valid JSON at byte "
                    + (e.getLocation() == null ? 0 : e.getLocation().getByteOffset());
        } catch (IOException e) {
            problem = "cannot be read: " + e.getMessage();
        }
        return reader.summary(problem);
    }

    private static final class Reader {
        private final Map<String, Long> numbers = new TreeMap<>();
        private final Map<String, Long> counts = new TreeMap<>();
        private boolean deduped;

        /** Returns what is wrong with it, or nothing. */
        String read(JsonParser parser) throws IOException {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return "no JSON object";
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (name.equals("operation_counts") && token == JsonToken.START_OBJECT) {
                    counts(parser);
                } else if (name.equals("dedupe_enabled")) {
                    deduped = token == JsonToken.VALUE_TRUE;
                } else {
                    numbers.put(name, TensorReader.size(parser));
                }
                parser.skipChildren();
            }
            return "";
        }

        private void counts(JsonParser parser) throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                counts.put(name, TensorReader.size(parser));
                parser.skipChildren();
            }
        }

        private long number(String name) {
            return numbers.getOrDefault(name, -1L);
        }

        ShapeSummary summary(String problem) {
            return new ShapeSummary(
                    number("rank"),
                    number("total_operations"),
                    number("forward_passes"),
                    number("unique_operations"),
                    counts,
                    deduped,
                    number("dedupe_skipped_count"),
                    number("unique_op_signatures"),
                    problem);
        }
    }
}
