package io.inferscope.timeline.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Knowledge that is a file beside the class that uses it: a row per line, cells divided by tabs, comments after {@code #}. */
public final class KnowledgeTable {
    private KnowledgeTable() {}

    /** Returns the rows of a table, in its order. */
    public static <T> List<T> read(Class<?> user, String file, Function<String[], T> row) {
        try {
            String text = text(user, file);
            List<T> rows = new ArrayList<>();
            for (int start = 0; start < text.length(); ) {
                int end = text.indexOf('\n', start);
                end = end < 0 ? text.length() : end;
                if (text.charAt(start) != '#') {
                    rows.add(row.apply(cells(text, start, end)));
                }
                start = end + 1;
            }
            return List.copyOf(rows);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what tabs divide. */
    private static String[] cells(String text, int from, int to) {
        int count = 1;
        for (int tab = text.indexOf('\t', from); tab >= 0 && tab < to; tab = text.indexOf('\t', tab + 1)) {
            count++;
        }
        String[] cells = new String[count];
        int start = from;
        for (int i = 0; i < count; i++) {
            int end = i == count - 1 ? to : text.indexOf('\t', start);
            cells[i] = text.substring(start, end);
            start = end + 1;
        }
        return cells;
    }

    /**
     * Returns the text of a table. A distribution has a copy of each beside its jars: the class loader would look for the
     * file in each module of the JDK and in each jar first, which takes a twentieth of a short command's CPU time.
     */
    private static String text(Class<?> user, String file) throws IOException {
        if (file.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    file + " is no file beside a class, so a distribution has no copy of it");
        }
        Path copy = Path.of(System.getProperty("inferscope.home", ""), "lib", "knowledge", file);
        if (copy.isAbsolute() && Files.exists(copy)) {
            return Files.readString(copy);
        }
        try (InputStream in = user.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing in the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
