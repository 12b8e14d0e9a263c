package io.inferscope.batch.summary;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The operations that one tracer recorded of one model: {@code {operators: {name: {count, shapes}}, kernels: {name:
 * count}}}.
 *
 * @param operators how often each operator was called
 * @param kernels how often each kernel was launched
 * @param shapes each operator's name together with the shapes of its inputs; the values are all 1
 */
record OperationCounts(Map<String, Long> operators, Map<String, Long> kernels, Map<String, Long> shapes) {
    /** The name of the file with them. */
    static final String FILE = "_OPERATIONS.json";

    private static final String OPERATORS = "operators";
    private static final String KERNELS = "kernels";
    private static final JsonFactory JSON = new JsonFactory();

    /** Reads a file, which may be large, as a stream; throws if any part cannot be read. */
    static OperationCounts read(Path file) throws IOException {
        OperationCounts read = new OperationCounts(new HashMap<>(), new HashMap<>(), new HashMap<>());
        try (InputStream in = Files.newInputStream(file);
                JsonParser parser = JSON.createParser(in)) {
            read.take(parser);
        }
        return read;
    }

    private void take(JsonParser parser) throws IOException {
        int depth = 0;
        String section = "";
        String name = "";
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token == JsonToken.FIELD_NAME) {
                section = depth == 1 ? parser.currentName() : section;
                name = depth == 2 ? parser.currentName() : name;
            } else if (token == JsonToken.VALUE_NUMBER_INT && section.equals(KERNELS)) {
                kernels.put(name, parser.getLongValue());
            } else if (token == JsonToken.VALUE_NUMBER_INT && section.equals(OPERATORS)) {
                operators.put(name, parser.getLongValue());
            } else if (token == JsonToken.VALUE_STRING && section.equals(OPERATORS)) {
                shapes.put(name + " " + parser.getText(), 1L);
            }
        }
    }
}
