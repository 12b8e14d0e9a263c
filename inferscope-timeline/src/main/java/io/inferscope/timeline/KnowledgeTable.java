package io.inferscope.timeline;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> row.apply(line.split("\t")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
