package io.inferscope.formats.fuzz;

import io.inferscope.formats.sqlite.TimelineQueries;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs bytes as SQL. Jazzer calls it: {@code lab/fuzz}. */
public final class QueryTarget {
    private static final int MOST_ROWS = 1000;
    private static final Path WORKING_FOLDER = Path.of("").toAbsolutePath();
    private static final long FILES = files();

    /** One for all queries: none of them can change it. */
    private static @Nullable TimelineQueries queries;

    private QueryTarget() {}

    /** Throws where a query breaks a promise: anything but the declared exceptions, or a file that it made. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String sql = new String(input, StandardCharsets.UTF_8);
        String lower = sql.toLowerCase(Locale.ROOT);
        if (lower.contains("recursive") || lower.contains("generate_series") || lower.contains("zeroblob")) {
            return; // May compute for ever, which is the user's own affair.
        }
        try {
            queries().run(sql, new FewRows());
        } catch (IllegalArgumentException refused) {
            // Its text is SQLite's.
        }
        if (files() != FILES) {
            throw new AssertionError("a query made or removed a file in " + WORKING_FOLDER);
        }
    }

    /** Ends what all queries share. */
    static void close() throws IOException {
        if (queries != null) {
            queries.close();
            queries = null;
        }
    }

    private static TimelineQueries queries() throws IOException {
        TimelineQueries known = queries;
        if (known == null) {
            known = made();
            queries = known;
        }
        return known;
    }

    private static TimelineQueries made() throws IOException {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10        20
                thread main  LL........LL........
                stream 7     ..KKKK......KKKKKK..
                links in order
                """);
        return TimelineQueries.of(timeline, List.of(), "");
    }

    private static long files() {
        String[] names = WORKING_FOLDER.toFile().list();
        return names == null ? 0 : names.length;
    }

    private static final class FewRows implements TimelineQueries.Answer {
        private int rows;

        @Override
        public void columns(List<String> names) {
            rows = 0;
        }

        @Override
        public boolean row(List<@Nullable Object> values) {
            return ++rows < MOST_ROWS;
        }
    }
}
