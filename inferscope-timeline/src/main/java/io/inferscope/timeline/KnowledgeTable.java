package io.inferscope.timeline;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Knowledge that is a file beside the class that uses it: a row per line, cells divided by tabs, comments after {@code #}. */
public final class KnowledgeTable {
    private KnowledgeTable() {}

    /** Returns the rows of a table, in its order. */
    public static <T> List<T> read(Class<?> user, String file, Function<String[], T> row) {
        try (InputStream in = user.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing in the program");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<T> rows = new ArrayList<>();
            for (int start = 0; start < text.length(); ) {
                int end = text.indexOf('\n', start);
                end = end < 0 ? text.length() : end;
                if (text.charAt(start) != '#') {
                    rows.add(row.apply(text.substring(start, end).split("\t")));
                }
                start = end + 1;
            }
            return List.copyOf(rows);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
