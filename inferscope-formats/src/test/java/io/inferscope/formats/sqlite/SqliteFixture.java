package io.inferscope.formats.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Databases that tests write, as the tools write theirs. */
public final class SqliteFixture {
    private SqliteFixture() {}

    /** Writes a new database by statements that are separated by semicolons at line ends. */
    public static Path write(Path file, String script) {
        try {
            Files.deleteIfExists(file);
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                for (String sql : script.split(";\\s*\\n", -1)) {
                    if (!sql.isBlank()) {
                        statement.execute(sql);
                    }
                }
                connection.commit();
            }
            return file;
        } catch (SQLException e) {
            throw new IllegalArgumentException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
