package io.inferscope.shapes.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeBody.Marker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one row, whatever the order of its members. Unknown members are skipped: a later version of the log may have
 * more.
 */
final class RowParser {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .configure(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS, true)
            .configure(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS, true)
            .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false)
            .build();

    /**
     * The result of reading {@code []}: the sizes of a single number where a log has sizes alone, else a list without
     * tensors.
     */
    private static final ShapeTensor EMPTY_LIST = new ShapeTensor("", "", List.of());

    /** Thrown for a line that is not a row. */
    static final class NoRow extends Exception {
        private static final long serialVersionUID = 1L;

        NoRow(String problem) {
            super(problem, null, false, false);
        }

        String problem() {
            return String.valueOf(getMessage());
        }
    }

    private final RowNumbers numbers = new RowNumbers();
    private long count;
    private long graph;
    private int lastNumberAt;
    private int outputsFrom;
    private int outputsTo;
    private String operation = "";
    private String marker = "";
    private String errorType = "";
    private String errorMessage = "";
    private final List<ShapeTensor> inputs = new ArrayList<>();
    private final List<ShapeTensor> outputs = new ArrayList<>();

    /**
     * Reads {@code line[from, to)}.
     *
     * @throws NoRow when the text is not a row
     */
    ShapeBody parse(byte[] line, int from, int to) throws NoRow {
        clear();
        try (JsonParser parser = FACTORY.createParser(line, from, to - from)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new NoRow("not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                member(parser);
            }
            if (parser.nextToken() != null) {
                throw new NoRow("something follows the JSON object");
            }
        } catch (JsonProcessingException e) {
            String message = String.valueOf(e.getOriginalMessage());
            throw new NoRow(message.startsWith("Unexpected end-of-input") ? "cut short" : "no JSON: " + words(message));
        } catch (IOException e) {
            throw new NoRow("no JSON: " + words(String.valueOf(e.getMessage())));
        }
        return body();
    }

    private static String words(String message) {
        String line = message.replaceFirst("(?s)(\n|: was expecting).*", "");
        return line.length() > 100 ? line.substring(0, 100) : line;
    }

    private void clear() {
        numbers.clear();
        count = -1;
        graph = -1;
        lastNumberAt = -1;
        outputsFrom = 0;
        outputsTo = 0;
        operation = "";
        marker = "";
        errorType = "";
        errorMessage = "";
        inputs.clear();
        outputs.clear();
    }

    private ShapeBody body() throws NoRow {
        Marker said = marker.isEmpty() ? Marker.inPlaceOf(operation) : new Marker(marker, graph);
        if (said != null) {
            return said;
        }
        if (operation.isEmpty()) {
            throw new NoRow("no member \"operation\"");
        }
        boolean sizesAlone = inputs.stream().anyMatch(input -> input.dtype().isEmpty());
        if (!sizesAlone && outputs.size() == 1 && outputs.get(0).equals(EMPTY_LIST)) {
            outputs.clear();
        }
        return new Call(operation, inputs, outputs, errorType, errorMessage);
    }

    private void member(JsonParser parser) throws IOException {
        String name = parser.currentName();
        int at = (int) parser.currentTokenLocation().getByteOffset();
        JsonToken token = parser.nextToken();
        switch (name) {
            case "call_id" -> numbers.callId = number(parser, at);
            case "forward_pass" -> numbers.forwardPass = number(parser, at);
            case "op_count" -> numbers.operationCount = number(parser, at);
            case "operation" -> operation = text(parser);
            case "inputs", "kwargs" -> new TensorReader(parser, inputs).read("");
            case "outputs" -> outputs(parser, token);
            case "error" -> error(parser);
            case "marker" -> marker = text(parser);
            case "count" -> count = number(parser, at);
            case "graph" -> graph = number(parser, at);
            default -> parser.skipChildren();
        }
    }

    private void outputs(JsonParser parser, JsonToken token) throws IOException {
        outputs.clear();
        outputsFrom = (int) parser.currentTokenLocation().getByteOffset();
        new TensorReader(parser, outputs).read("");
        parser.finishToken();
        outputsTo = (int) parser.currentLocation().getByteOffset();
        if (token == JsonToken.VALUE_NULL) {
            outputsTo = outputsFrom;
        }
    }

    private void error(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            errorMessage = text(parser);
            errorType = errorMessage.isEmpty() ? "" : "Error";
            return;
        }
        errorType = "Error";
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "error_type", "type" -> errorType = text(parser);
                case "error_message", "message" -> errorMessage = text(parser);
                default -> parser.skipChildren();
            }
        }
    }

    private long number(JsonParser parser, int at) throws IOException {
        lastNumberAt = at;
        long value = TensorReader.size(parser);
        parser.skipChildren();
        return value;
    }

    /** Returns a scalar as text; empty for null, for objects and for lists. */
    private static String text(JsonParser parser) throws IOException {
        @Nullable JsonToken token = parser.currentToken();
        if (token == null || token == JsonToken.VALUE_NULL || token.isStructStart()) {
            parser.skipChildren();
            return "";
        }
        return parser.getText();
    }

    RowNumbers numbers() {
        return numbers;
    }

    /** Returns how many calls the row stands for. */
    long count() {
        return Math.max(1, count);
    }

    /** Returns the offset in the line of the last of the row's own numbers (ids and counts); -1 if the row has none. */
    int lastNumberAt() {
        return lastNumberAt;
    }

    /** Returns the offset in the line at which the outputs begin. */
    int outputsFrom() {
        return outputsFrom;
    }

    /** Returns the offset in the line at which the outputs end; the same as their beginning when there are none. */
    int outputsTo() {
        return outputsTo;
    }
}
