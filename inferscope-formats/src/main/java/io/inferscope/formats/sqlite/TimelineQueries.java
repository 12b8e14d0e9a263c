package io.inferscope.formats.sqlite;

import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.TableNames;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.text.Nearest;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Queries a timeline in SQLite's SQL. The tables are those of docs/convert.md, and {@code events}. They are in a file
 * whose name is already deleted, so nothing remains however the process ends.
 */
public final class TimelineQueries implements AutoCloseable {
    /** Words of queries that read the schema or all rows, and so need every table. */
    private static final List<String> NEED_ALL = List.of(TimelineDatabase.EVENTS, "sqlite_", "pragma");

    /** Quoted text and comments, in which a semicolon does not end the query. */
    private static final Pattern QUOTED =
            Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^\\]]*]|--[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    /** Statements that only read. The driver adds statements that copy whole files: BACKUP, RESTORE. */
    private static final Pattern READS =
            Pattern.compile("(?:select|with|values|explain|pragma)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** A word as in SQLite's tokeniser: https://www.sqlite.org/src/file/src/tokenize.c. */
    private static final String WORD = "[\\w$\\x80-\\x{10ffff}]";

    private static final String NOTHING = "[ \\t\\n\\f\\r]*";

    private static final Pattern PRAGMA = Pattern.compile(
            "(?:explain\\s+(?:query\\s+plan\\s+)?)?pragma\\b" + NOTHING + "(?:" + WORD + "+" + NOTHING + "\\." + NOTHING
                    + ")?(" + WORD + "*).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /**
     * Pragmas that only read; the others change settings, some of them a file name: https://www.sqlite.org/pragma.html.
     */
    static final Set<String> READING_PRAGMAS = Set.of(
            "collation_list",
            "compile_options",
            "database_list",
            "foreign_key_list",
            "function_list",
            "index_info",
            "index_list",
            "index_xinfo",
            "module_list",
            "pragma_list",
            "table_info",
            "table_list",
            "table_xinfo");

    /** The driver's words around SQLite's own. */
    private static final Pattern MESSAGE = Pattern.compile("\\[SQLITE_\\w+][^(]*\\((.*)\\)", Pattern.DOTALL);

    private static final Pattern UNKNOWN = Pattern.compile("no such (table|column): (\\S+)");

    private static final Set<Integer> OF_STORAGE = Set.of(
            SQLiteErrorCode.SQLITE_FULL.code, SQLiteErrorCode.SQLITE_IOERR.code, SQLiteErrorCode.SQLITE_CANTOPEN.code);

    private final Connection connection;
    private final List<String> names = new ArrayList<>(TableNames.ALL);
    private volatile @Nullable PreparedStatement running;

    private TimelineQueries(Connection connection, List<ExtraTable> extras) {
        this.connection = connection;
        extras.forEach(extra -> names.add(extra.name()));
    }

    public interface Answer {
        /** Takes the names of the columns, before any row. */
        void columns(List<String> names) throws IOException;

        /** Receives a row: a {@link Number}, a {@link String} or null per column. Returns whether to continue. */
        boolean row(List<@Nullable Object> values) throws IOException;
    }

    /**
     * Prepares the requirements of every query, before a trace is read for one.
     *
     * @throws IOException when the temporary folder cannot be written to, or SQLite's library cannot be loaded
     */
    public static void prepare() throws IOException {
        SqliteLibrary.load();
    }

    /**
     * Makes the tables that a query needs.
     *
     * @param extras tables that are not part of the timeline
     * @param sql the query; empty to ask for {@link #tables}
     * @throws IOException when there is no room for the tables
     */
    public static TimelineQueries of(Timeline timeline, List<ExtraTable> extras, String sql) throws IOException {
        return new TimelineQueries(TimelineDatabase.nameless(timeline, extras, needed(sql)), extras);
    }

    private static Predicate<String> needed(String sql) {
        String lower = sql.toLowerCase(Locale.ROOT);
        boolean all = lower.isBlank() || NEED_ALL.stream().anyMatch(lower::contains);
        return table -> lower.contains(table) || (all && (lower.isBlank() || TableNames.ALL.contains(table)));
    }

    /**
     * Runs a query.
     *
     * @throws IllegalArgumentException if SQLite refuses it; the message is SQLite's
     * @throws IOException if the answer cannot be written, or there is no room to sort it
     */
    public void run(String sql, Answer answer) throws IOException {
        checkReads(sql);
        // Prepared: a plain statement of this driver treats "backup to FILE" and "restore from FILE" as commands of its
        // own.
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            running = statement;
            try (ResultSet result = statement.executeQuery()) {
                pass(result, answer);
            }
        } catch (SQLException e) {
            String message = String.valueOf(e.getMessage());
            Matcher own = MESSAGE.matcher(message);
            String words = own.matches() ? own.group(1) : message;
            if (OF_STORAGE.contains(e.getErrorCode())) {
                throw TemporaryFolder.unusable("the answer cannot be sorted in it: " + words, e);
            }
            boolean tooLong = e.getErrorCode() == SQLiteErrorCode.SQLITE_TOOBIG.code;
            throw new IllegalArgumentException(
                    tooLong
                            ? "a text in it is longer than " + (TimelineDatabase.MOST_TEXT_BYTES >> 20) + " MiB"
                            : words + hint(words),
                    e);
        } finally {
            running = null;
        }
    }

    /** Returns the known name that is nearest to an unknown one of a query, in words. */
    private String hint(String problem) {
        Matcher unknown = UNKNOWN.matcher(problem);
        if (!unknown.matches()) {
            return "";
        }
        String name = unknown.group(2).substring(unknown.group(2).lastIndexOf('.') + 1);
        if (unknown.group(1).equals("table")) {
            return Nearest.hint(name, names);
        }
        Map<String, String> columns = columns();
        String table = columns.get(name);
        return table == null ? Nearest.hint(name, columns.keySet()) : " (a column of " + table + ")";
    }

    /** Returns all columns, each with its first table. */
    private Map<String, String> columns() {
        Map<String, String> columns = new TreeMap<>();
        String all = "SELECT c.name, t.name FROM sqlite_schema t, pragma_table_info(t.name) c ORDER BY t.name";
        try (PreparedStatement statement = connection.prepareStatement(all);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                columns.putIfAbsent(result.getString(1), result.getString(2));
            }
        } catch (SQLException e) {
            return Map.of(); // The query's own problem is told.
        }
        return columns;
    }

    /** Passes the columns and rows of a result until nobody wants more. */
    public static void pass(ResultSet result, Answer answer) throws SQLException, IOException {
        ResultSetMetaData meta = result.getMetaData();
        int count = meta.getColumnCount();
        List<String> labels = new ArrayList<>();
        for (int column = 1; column <= count; column++) {
            labels.add(meta.getColumnLabel(column));
        }
        answer.columns(labels);
        boolean goOn = true;
        while (goOn && result.next()) {
            @Nullable Object[] values = new Object[count];
            for (int column = 0; column < count; column++) {
                values[column] = value(result.getObject(column + 1));
            }
            goOn = answer.row(Arrays.asList(values));
        }
    }

    /** Interrupts the running query, if there is one, from another thread; {@link #run} then fails. */
    public void interrupt() {
        PreparedStatement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException ended) {
                // The query has just ended.
            }
        }
    }

    /**
     * Refuses statements that do not only read. The database is read-only, too, but SQLite permits statements such as
     * VACUUM INTO there.
     */
    static void checkReads(String sql) {
        if (sql.indexOf('\0') >= 0) { // SQLite would read what is before it, and that may be no statement.
            throw new IllegalArgumentException("it contains a NUL character");
        }
        String bare =
                QUOTED.matcher(sql).replaceAll(TimelineQueries::bare).strip().replaceFirst("(?<![;\\s])[;\\s]+$", "");
        if (bare.contains(";")) {
            throw new IllegalArgumentException("it is more than one statement");
        }
        Matcher pragma = PRAGMA.matcher(bare);
        if (!READS.matcher(bare).matches()) {
            throw new IllegalArgumentException("only SELECT, WITH, VALUES, EXPLAIN and PRAGMA are allowed");
        }
        if (pragma.matches() && !READING_PRAGMAS.contains(pragma.group(1).toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("PRAGMA " + pragma.group(1) + " is not allowed");
        }
    }

    /** A comment is a blank, a quoted text a quote: a pragma may have one as its argument, but not as its name. */
    private static String bare(MatchResult quoted) {
        char first = quoted.group().charAt(0);
        return first == '-' || first == '/' ? " " : "\"";
    }

    private static @Nullable Object value(@Nullable Object value) {
        if (value instanceof BigInteger whole) { // Sums of DuckDB have 128 bits.
            return whole.bitLength() < Long.SIZE ? (Object) whole.longValue() : whole.toString();
        }
        if (value instanceof BigDecimal || value instanceof Float) {
            return ((Number) value).doubleValue();
        }
        return value instanceof byte[] bytes ? bytes.length + " bytes" : value;
    }

    /** Passes the tables that have rows: name, number of rows and columns. */
    public void tables(Answer answer) throws IOException {
        StringBuilder sql = new StringBuilder();
        for (String table : names) {
            sql.append(sql.isEmpty() ? "" : " UNION ALL ")
                    .append("SELECT '")
                    .append(table)
                    .append("' AS \"table\", (SELECT count(*) FROM ")
                    .append(SqliteSchema.quoted(table))
                    .append(") AS \"rows\", (SELECT group_concat(name, ' ') FROM pragma_table_info('")
                    .append(table)
                    .append("')) AS columns");
        }
        run("SELECT * FROM (" + sql + ") WHERE \"rows\" > 0", answer);
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
