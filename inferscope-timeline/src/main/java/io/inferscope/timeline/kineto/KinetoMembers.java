package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** Writes members as Kineto does, and any text so that it reads back unchanged. */
record KinetoMembers(JsonGenerator json) {
    private static final int MAX_ID_DIGITS = 18;

    /** Writes a text. Half a surrogate pair, which UTF-8 cannot hold, is escaped. */
    void text(String key, String value) throws IOException {
        json.writeFieldName(key);
        value(value);
    }

    private void value(String value) throws IOException {
        if (isEncodable(value)) {
            json.writeString(value);
        } else {
            json.writeRawValue(escaped(value));
        }
    }

    private static boolean isEncodable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
            if (plain) {
                escaped.append(c);
            } else {
                escaped.append("\\u").append(String.format(java.util.Locale.ROOT, "%04x", (int) c));
            }
        }
        return escaped.append('"').toString();
    }

    /** Writes ids and codes that are numbers as numbers, like Kineto. */
    void id(String key, String value) throws IOException {
        json.writeFieldName(key);
        if (isNumber(value)) {
            json.writeNumber(Long.parseLong(value));
        } else {
            value(value);
        }
    }

    /** Returns whether a text is a JSON integer within the range of a long. */
    private static boolean isNumber(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        int digits = text.length() - start;
        if (digits == 0 || digits > MAX_ID_DIGITS || (text.charAt(start) == '0' && text.length() > 1)) {
            return false;
        }
        return text.chars().skip(start).allMatch(c -> c >= '0' && c <= '9');
    }

    /** Writes exact decimal microseconds. */
    void micros(String key, long ns) throws IOException {
        json.writeFieldName(key);
        long absolute = Math.abs(ns);
        long fraction = absolute % 1000;
        if (fraction == 0) {
            json.writeNumber(ns / 1000);
        } else {
            String zeros = fraction < 10 ? "00" : fraction < 100 ? "0" : "";
            json.writeNumber((ns < 0 ? "-" : "") + absolute / 1000 + '.' + zeros + fraction);
        }
    }

    /** Writes dimensions such as {@code [[8,8],[]]} as arrays, any other text as text. */
    void dimensions(String key, String value) throws IOException {
        json.writeFieldName(key);
        if (isNestedNumbers(value)) {
            json.writeRawValue(value);
        } else {
            value(value);
        }
    }

    /** Writes a list such as {@code [float,,[1, 1]]} as an array of texts, any other text as text. */
    void list(String key, String value) throws IOException {
        json.writeFieldName(key);
        if (!isList(value)) {
            value(value);
            return;
        }
        json.writeStartArray();
        int depth = 0;
        int start = 1;
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            if (depth == 0 && (c == ',' || i == value.length() - 1)) {
                value(value.substring(start, i));
                start = i + 1;
            }
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        }
        json.writeEndArray();
    }

    /** Returns whether a text is one balanced, non-empty list. */
    static boolean isList(String text) {
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (depth < 1 && i < text.length() - 1) {
                return false;
            }
        }
        return depth == 0 && text.length() > 2;
    }

    /** Returns whether a text is an array of integers and such arrays in exactly the form in which it reads back. */
    static boolean isNestedNumbers(String text) {
        int depth = 0;
        char last = ',';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean follows = switch (c) {
                case '[' -> last == ',' || last == '[';
                case ']' -> last != ',' && last != '-';
                case ',' -> last != ',' && last != '[' && last != '-';
                case '-' -> last == ',' || last == '[';
                default -> c >= '0' && c <= '9' && last != ']' && !isAfterLeadingZero(text, i);
            };
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            boolean closedEarly = depth == 0 && i < text.length() - 1;
            if (!follows || closedEarly || depth < 0 || depth > 50) {
                return false;
            }
            last = c;
        }
        return depth == 0 && last == ']';
    }

    private static boolean isAfterLeadingZero(String text, int at) {
        boolean zeroBefore = at > 0 && text.charAt(at - 1) == '0';
        return zeroBefore && (at < 2 || text.charAt(at - 2) < '0' || text.charAt(at - 2) > '9');
    }
}
