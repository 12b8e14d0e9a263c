package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.traceevent.TextTable.Form;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Texts of JSON values whose syntax was checked before. */
final class RawText {
    private static final int CHECKED_CHARS = 1 << 12;

    private RawText() {}

    /**
     * Returns the text of {@code bytes[from, to)}: unescaped; empty for null; of an array or object, without white
     * space and quotes. Invalid UTF-8 is replaced.
     */
    static String of(byte[] bytes, int from, int to, Form form) {
        if (form == Form.BARE) {
            String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
            char first = text.charAt(text.startsWith("-") ? 1 : 0);
            return text.equals("null") ? "" : first == 'i' || first == 'n' ? "NaN" : text;
        }
        boolean plain = true;
        boolean ascii = true;
        for (int i = from; i < to; i++) {
            plain &= bytes[i] != '\\';
            ascii &= bytes[i] >= 0;
        }
        String text = new String(bytes, from, to - from, ascii ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
        if (form == Form.NESTED) {
            return compact(text);
        }
        return plain ? text : unescaped(text, 0, text.length());
    }

    /** Checks a few thousand characters at a time, because a text may be as large as the window. */
    static boolean isUtf8(byte[] bytes, int from, int to) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes, from, to - from);
        CharBuffer letters = CharBuffer.allocate(Math.min(to - from + 1, CHECKED_CHARS));
        CoderResult result = decoder.decode(in, letters, true);
        while (result.isOverflow()) {
            letters.clear();
            result = decoder.decode(in, letters, true);
        }
        return !result.isError();
    }

    private static String unescaped(String text, int from, int to) {
        StringBuilder plain = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                plain.append(c);
                continue;
            }
            char escape = text.charAt(++i);
            switch (escape) {
                case 'b' -> plain.append('\b');
                case 'f' -> plain.append('\f');
                case 'n' -> plain.append('\n');
                case 'r' -> plain.append('\r');
                case 't' -> plain.append('\t');
                case 'u' -> {
                    plain.append((char) Integer.parseInt(text, i + 1, i + 5, 16));
                    i += 4;
                }
                default -> plain.append(escape);
            }
        }
        return plain.toString();
    }

    private static String compact(String nested) {
        StringBuilder text = new StringBuilder(nested.length());
        boolean comma = false;
        for (int i = 0; i < nested.length(); i++) {
            char c = nested.charAt(i);
            if (c <= ' ') {
                continue;
            }
            if (c == ',') {
                comma = true;
                continue;
            }
            if (comma && c != ']' && c != '}') {
                text.append(',');
            }
            comma = false;
            if (c == '"') {
                int end = i + 1;
                while (nested.charAt(end) != '"') {
                    end += nested.charAt(end) == '\\' ? 2 : 1;
                }
                text.append(unescaped(nested, i + 1, end));
                i = end;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
