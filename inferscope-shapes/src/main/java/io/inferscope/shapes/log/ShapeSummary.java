package io.inferscope.shapes.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The recorder's own counts: the {@code *_summary.json} beside a shape log. A number that the file does not hold is -1.
 *
 * @param rank of the process in its group
 * @param totalOperations number of operator calls
 * @param forwardPasses number of passes that were recorded
 * @param uniqueOperations number of different operators, by name
 * @param operationCounts calls by operator, in the order of their names
 * @param deduped whether calls with the same signature were logged once
 * @param dedupeSkipped number of calls that were not logged because of that
 * @param uniqueSignatures number of different pairs of operator and shapes
 * @param ending how the recording ended
 * @param problem why the summary could not be read; empty when it could
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
        Ending ending,
        String problem) {
    /** Recorders write no larger summaries. */
    private static final long MAX_BYTES = 64 << 20;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false)
            .build();

    /** Copies the map, keeping its order. */
    public ShapeSummary {
        operationCounts = Collections.unmodifiableMap(new TreeMap<>(operationCounts));
    }

    /**
     * How a recording ended, and what is not in its log.
     *
     * @param complete false where the process was killed, or still records
     * @param lost number of operator calls lost because the recorder's buffer was full
     * @param problems what the recorder could not do, and how often, in the order of the texts
     * @param rest the folder beside the log with calls that are not yet in the log; empty when there is none
     */
    public record Ending(boolean complete, long lost, Map<String, Long> problems, String rest) {
        /** Copies the map, keeping its order. */
        public Ending {
            problems = Collections.unmodifiableMap(new TreeMap<>(problems));
        }
    }

    /**
     * Returns where the summary of a log lies: {@code shapes_summary.json} beside {@code shapes.jsonl} or
     * {@code shapes.jsonl.gz}.
     */
    public static Path fileOf(Path log) {
        String name = String.valueOf(log.getFileName());
        String plain = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
        String stem = plain.endsWith(".jsonl") ? plain.substring(0, plain.length() - 6) : plain;
        return log.resolveSibling(stem + "_summary.json");
    }

    /** Reads the summary beside a log; null when there is neither a summary nor any other file of a recording there. */
    public static @Nullable ShapeSummary beside(Path log) {
        Path file = fileOf(log);
        Path rest = log.resolveSibling(log.getFileName() + ".log");
        Reader reader = new Reader(Files.isDirectory(rest) ? rest.toString() : "");
        if (!Files.isRegularFile(file)) {
            return reader.rest.isEmpty() ? null : reader.summary("");
        }
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
        private final Map<String, Long> problems = new TreeMap<>();
        private final String rest;
        private boolean deduped;
        private boolean complete;

        Reader(String rest) {
            this.rest = rest;
            this.complete = rest.isEmpty();
        }

        /** Returns what is wrong with the summary, empty when nothing is. */
        String read(JsonParser parser) throws IOException {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return "not a JSON object";
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (name.equals("operation_counts") && token == JsonToken.START_OBJECT) {
                    counts(parser, counts);
                } else if (name.equals("problems") && token == JsonToken.START_OBJECT) {
                    counts(parser, problems);
                } else if (name.equals("dedupe_enabled")) {
                    deduped = token == JsonToken.VALUE_TRUE;
                } else if (name.equals("complete")) {
                    complete &= token != JsonToken.VALUE_FALSE;
                } else {
                    numbers.put(name, TensorReader.size(parser));
                }
                parser.skipChildren();
            }
            return "";
        }

        private static void counts(JsonParser parser, Map<String, Long> into) throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                into.put(name, TensorReader.size(parser));
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
                    new Ending(complete, Math.max(0, number("lost_operations")), problems, rest),
                    problem);
        }
    }
}
