package io.inferscope.formats.duckdb;

import io.inferscope.formats.sqlite.TimelineQueries;
import io.inferscope.formats.sqlite.TimelineQueries.Answer;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;

/**
 * Queries Parquet files of one folder. DuckDB itself is told to open nothing else: no other file, no network, no
 * extension. It could still write into the folder, so only statements that DuckDB's own parser calls a SELECT run.
 */
public final class ParquetQueries implements AutoCloseable {
    private static final String DRIVER = "org.duckdb.DuckDBDriver";

    private final URLClassLoader loader;
    private final Connection connection;

    private ParquetQueries(URLClassLoader loader, Connection connection) {
        this.loader = loader;
        this.connection = connection;
    }

    /**
     * Opens a folder.
     *
     * @param driver the jar of DuckDB's JDBC driver
     * @param folder holds folders of tables
     * @param sets a pattern of their names
     * @param tables each becomes a view of the files {@code folder/sets/TABLE.parquet}
     * @throws IOException if the jar is none, or other users can change it, or DuckDB refuses the folder
     */
    public static ParquetQueries open(Path driver, Path folder, String sets, List<String> tables) throws IOException {
        if (!Files.isRegularFile(driver)) {
            throw new FileSystemException(driver.toString(), null, "no such file");
        }
        WholeFile.checkPrivate(driver);
        String real = folder.toRealPath().toString();
        if (real.matches(".*[*?\\[\\]{}].*")) {
            throw new FileSystemException(
                    real, null, "DuckDB takes * ? [ ] { } in a path for a pattern; rename the folder");
        }
        URLClassLoader loader =
                new URLClassLoader(new URL[] {driver.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
        try {
            Driver duckdb =
                    (Driver) loader.loadClass(DRIVER).getDeclaredConstructor().newInstance();
            ParquetQueries queries = new ParquetQueries(loader, duckdb.connect("jdbc:duckdb:", new Properties()));
            queries.prepare(real, sets, tables);
            return queries;
        } catch (ReflectiveOperationException | SQLException | LinkageError e) {
            loader.close();
            throw new FileSystemException(
                    driver.toString(), null, "is no driver of DuckDB that works here: " + e.getMessage());
        }
    }

    /** Once the configuration is locked, no statement can undo it. */
    private void prepare(String folder, String sets, List<String> tables) throws SQLException {
        long memoryMb = Math.max(256, (2 * Runtime.getRuntime().maxMemory()) >> 20);
        try (Statement statement = connection.createStatement()) {
            for (String setting : List.of(
                    "memory_limit='" + memoryMb + "MB'",
                    "temp_directory=''",
                    "autoinstall_known_extensions=false",
                    "autoload_known_extensions=false",
                    "allow_community_extensions=false",
                    "allowed_directories=[" + quoted(folder + "/") + "]",
                    "enable_external_access=false",
                    "lock_configuration=true")) {
                statement.execute("SET " + setting);
            }
            for (String table : tables) {
                statement.execute("CREATE VIEW " + table + " AS SELECT * FROM read_parquet("
                        + quoted(folder + "/" + sets + "/" + table + ".parquet") + ", union_by_name=true)");
            }
        }
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /**
     * Runs a query.
     *
     * @throws IllegalArgumentException if it is no single SELECT, or DuckDB refuses it
     */
    public void run(String sql, Answer answer) throws IOException {
        try {
            checkReads(sql);
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet result = statement.executeQuery()) {
                TimelineQueries.pass(result, answer);
            }
        } catch (SQLException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** DuckDB runs all statements of a text, and only SELECT can be turned into a tree of JSON. */
    private void checkReads(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT tree->>'error', tree->>'error_message',"
                        + " json_array_length(tree->'statements') FROM (SELECT json_serialize_sql(CAST(? AS VARCHAR)) AS tree)")) {
            statement.setString(1, sql);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                if (!"false".equals(result.getString(1))) {
                    throw new IllegalArgumentException(result.getString(2));
                }
                if (result.getLong(3) != 1) {
                    throw new IllegalArgumentException("it is more than one statement");
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            loader.close();
        }
    }
}
