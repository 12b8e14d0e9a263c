package io.inferscope.shapes.log;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.analyzer.model.ShapeTensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the tensors in a JSON value, in any of the layouts that recorders write: {@code {"self": {"shape": [2, 3],
 * "dtype": "torch.float16"}}}, the same in lists, and sizes alone, {@code {"self": [2, 3]}} or {@code [[2, 3], [3,
 * 4]]}. Anything else is skipped.
 */
record TensorReader(JsonParser parser, List<ShapeTensor> into) {
    /** Reads the value at which the parser stands, whose tensors are called {@code name}. */
    void read(String name) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> object(name);
            case START_ARRAY -> array(name);
            default -> {
                // A number or a text among the arguments.
            }
        }
    }

    private void object(String name) throws IOException {
        int before = into.size();
        List<Long> dims = null;
        String dtype = "";
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String member = parser.currentName();
            JsonToken token = parser.nextToken();
            if (member.equals("shape") && token == JsonToken.START_ARRAY) {
                dims = sizes();
            } else if (member.equals("dtype") && token == JsonToken.VALUE_STRING) {
                dtype = parser.getText();
            } else {
                read(name.isEmpty() ? member : name + "." + member);
            }
        }
        if (dims != null) {
            into.subList(before, into.size()).clear(); // Its strides would look like sizes.
            into.add(new ShapeTensor(name, dtype, dims));
        }
    }

    /** Reads a list: without nested values it holds the sizes of one tensor, otherwise its elements are tensors. */
    private void array(String name) throws IOException {
        List<Long> sizes = new ArrayList<>();
        boolean numbers = false;
        boolean nested = false;
        int index = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken().isStructStart()) {
                nested = true;
                read(name.isEmpty() ? "#" + index : name);
            } else {
                numbers |= parser.currentToken().isNumeric();
                sizes.add(size(parser));
            }
            index++;
        }
        if (!nested && (numbers || index == 0)) {
            into.add(new ShapeTensor(name, "", sizes));
        }
    }

    private List<Long> sizes() throws IOException {
        List<Long> sizes = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            sizes.add(size(parser));
            parser.skipChildren();
        }
        return sizes;
    }

    /** Returns a whole number from 0, else {@link ShapeTensor#UNKNOWN}. */
    static long size(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            return ShapeTensor.UNKNOWN;
        }
        JsonParser.NumberType type = parser.getNumberType();
        boolean fits = type == JsonParser.NumberType.INT || type == JsonParser.NumberType.LONG;
        return fits ? Math.max(ShapeTensor.UNKNOWN, parser.getLongValue()) : ShapeTensor.UNKNOWN;
    }
}
