package io.inferscope.formats.common;

import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder for temporary files. The launcher takes it from {@code TMPDIR}. */
public final class TemporaryFolder {
    private TemporaryFolder() {}

    public static String path() {
        return System.getProperty("java.io.tmpdir");
    }

    /**
     * Makes a folder in it that only this user can enter, and that the caller removes.
     *
     * @throws IOException when it cannot be written to; the message names it and the remedy
     */
    public static Path make(String prefix) throws IOException {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw unusable(FileProblem.reason(e), e);
        }
    }

    /**
     * Makes a file in it that the caller removes.
     *
     * @throws IOException when it cannot be written to; the message names it and the remedy
     */
    public static Path makeFile(String prefix, String suffix) throws IOException {
        try {
            return Files.createTempFile(prefix, suffix);
        } catch (IOException e) {
            throw unusable(FileProblem.reason(e), e);
        }
    }

    public static IOException unusable(String reason, Throwable cause) {
        return new IOException(
                "temporary folder " + path() + ": " + reason + "; TMPDIR=FOLDER names another one", cause);
    }
}
