package io.inferscope.cli.common;

import io.inferscope.timeline.files.FileProblem;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Standard output that keeps the reason of a write failure, which a {@link PrintWriter} does not. */
public final class StandardOutput extends OutputStream {
    private static final int S_IFMT = 0170000;
    private static final int S_IFIFO = 0010000;
    private static final int S_IFSOCK = 0140000;

    private final OutputStream stream = new FileOutputStream(FileDescriptor.out);
    private @Nullable IOException problem;

    /** Returns the writer for commands. */
    public PrintWriter writer() {
        return new PrintWriter(new BufferedWriter(new OutputStreamWriter(this, Charset.defaultCharset())), true);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value});
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            stream.write(bytes, from, length);
        } catch (IOException e) {
            problem = e;
            throw e;
        }
    }

    /**
     * Returns the exit code of a command that would end with {@code code}: lost output is a failure, but a reader that
     * closes the pipe is not.
     */
    public int exitCode(int code, PrintWriter err) {
        if (problem == null || hasReader()) {
            return code;
        }
        Log.tell(err, "cannot write to standard output: " + FileProblem.describe(problem));
        return code == 0 ? Failures.ENVIRONMENT : code;
    }

    /**
     * Returns whether standard output is a pipe, which fails when its reader ends. Tested by the kind of file, because
     * error messages are in the user's language.
     */
    private static boolean hasReader() {
        try {
            int kind = (int) Files.getAttribute(Path.of("/dev/stdout"), "unix:mode") & S_IFMT;
            return Set.of(S_IFIFO, S_IFSOCK).contains(kind);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
