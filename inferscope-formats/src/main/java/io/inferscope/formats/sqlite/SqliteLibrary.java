package io.inferscope.formats.sqlite;

import io.inferscope.formats.common.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.sqlite.SQLiteJDBCLoader;

/**
 * Loads SQLite's native library once, when the first database is read.
 *
 * <p>A distribution contains it unpacked, because /tmp may be mounted noexec. Otherwise the driver would unpack it to a
 * folder that other users can write to and leave it there until the JVM ends, or for ever if the JVM is killed. So it
 * is unpacked here to a folder that only this user can enter, and deleted as soon as it is loaded.
 */
final class SqliteLibrary {
    /** The driver's setting for the folder to unpack to: its manual, "Configuration". */
    private static final String UNPACK_TO = "org.sqlite.tmpdir";

    /** The driver's setting for the folder of the unpacked library, which the launcher sets. */
    private static final String SHIPPED_IN = "org.sqlite.lib.path";

    private static boolean loaded;

    private SqliteLibrary() {}

    /**
     * Loads the library unless it is already loaded.
     *
     * @throws IOException if there is none for this system, or it cannot be unpacked or loaded
     */
    static synchronized void load() throws IOException {
        if (loaded) {
            return;
        }
        String shippedIn = System.getProperty(SHIPPED_IN);
        if (shippedIn != null && Files.isRegularFile(Path.of(shippedIn, System.mapLibraryName("sqlitejdbc")))) {
            initialize("the library that the installation has for it does not fit this system");
        } else {
            unpack();
        }
        loaded = true;
    }

    private static void initialize(String problem) throws IOException {
        try {
            SQLiteJDBCLoader.initialize();
        } catch (Exception | LinkageError e) {
            throw new IOException("SQLite's native library cannot be loaded: " + problem, e);
        }
    }

    private static void unpack() throws IOException {
        Path folder = TemporaryFolder.make("inferscope-sqlite");
        String before = System.getProperty(UNPACK_TO);
        System.setProperty(UNPACK_TO, folder.toString());
        try {
            initialize("it is not unpacked");
        } catch (IOException e) {
            throw TemporaryFolder.unusable(
                    "SQLite's native library cannot be loaded from it, as it must be a folder that may hold programs",
                    e);
        } finally {
            if (before == null) {
                System.clearProperty(UNPACK_TO);
            } else {
                System.setProperty(UNPACK_TO, before);
            }
            remove(folder);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }
}
