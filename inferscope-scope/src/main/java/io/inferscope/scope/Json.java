package io.inferscope.scope;

import java.util.Map;
import java.util.TreeMap;

/** Writes the little JSON that this module needs. */
final class Json {
    private Json() {}

    /**
     * Returns a JSON object with sorted keys; numbers and booleans are written as such, all other values as text. An
     * empty map gives an empty text.
     */
    static String object(Map<String, ?> values) {
        if (values.isEmpty()) {
            return "";
        }
        StringBuilder json = new StringBuilder("{");
        for (Map.Entry<String, ?> entry : new TreeMap<>(values).entrySet()) {
            json.append(json.length() > 1 ? "," : "")
                    .append(text(entry.getKey()))
                    .append(':');
            json.append(value(entry.getValue()));
        }
        return json.append('}').toString();
    }

    private static String value(Object value) {
        boolean plain = value instanceof Boolean
                || value instanceof Long
                || value instanceof Integer
                || (value instanceof Double number && Double.isFinite(number));
        return plain ? value.toString() : text(String.valueOf(value));
    }

    /** Returns a JSON string literal. */
    static String text(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
