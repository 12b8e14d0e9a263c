package io.inferscope.timeline.importer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The begin of an input, from which its format is recognised. A directory has no bytes. */
public final class TraceHead {
    /** In every trace seen, enough to include the part that identifies the format, after the metadata. */
    private static final int MAX_BYTES = 1 << 16;

    private final Path file;
    private final boolean directory;
    private final byte[] bytes;
    private @Nullable Set<String> memberNames;

    private TraceHead(Path file, boolean directory, byte[] bytes) {
        this.file = file;
        this.directory = directory;
        this.bytes = bytes;
    }

    /** Reads the head of a source, inflated when it is gzip. */
    public static TraceHead of(TraceSource source) throws IOException {
        boolean directory = Files.isDirectory(source.file());
        return new TraceHead(source.file(), directory, directory ? new byte[0] : source.head(MAX_BYTES));
    }

    /** Returns the file or directory itself, for formats that need more than the first bytes to be recognised. */
    public Path file() {
        return file;
    }

    public boolean isDirectory() {
        return directory;
    }

    /** Returns whether the content begins with {@code magic}. */
    public boolean startsWith(byte[] magic) {
        return bytes.length >= magic.length && java.util.Arrays.equals(bytes, 0, magic.length, magic, 0, magic.length);
    }

    /** Returns whether an ASCII text occurs in the head. */
    public boolean contains(String ascii) {
        return text().contains(ascii);
    }

    /** Returns the head as text, one character per byte. */
    public String text() {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Returns whether the content begins as a JSON object or array does, after white space and a byte order mark. */
    public boolean isJson() {
        int at = firstVisible();
        return at < bytes.length && (bytes[at] == '{' || bytes[at] == '[');
    }

    /**
     * Returns the member names in the head of a JSON object, or of the first object of a JSON array, in their order, as
     * written; empty for any other input.
     */
    public Set<String> memberNames() {
        if (memberNames == null) {
            memberNames = Collections.unmodifiableSet(findMemberNames());
        }
        return memberNames;
    }

    private Set<String> findMemberNames() {
        Set<String> names = new LinkedHashSet<>();
        int at = firstVisible();
        if (!isJson()) {
            return names;
        }
        int level = bytes[at] == '[' ? 2 : 1;
        int depth = 0;
        boolean closed = false;
        while (at < bytes.length && !closed) {
            byte b = bytes[at];
            if (b == '"') {
                int end = endOfText(at + 1);
                int colon = skipSpace(end + 1);
                if (depth == level && colon < bytes.length && bytes[colon] == ':') {
                    names.add(new String(bytes, at + 1, end - at - 1, StandardCharsets.UTF_8));
                }
                at = end;
            } else if (b == '{' || b == '[') {
                depth++;
            } else if (b == '}' || b == ']') {
                closed = depth-- == level;
            }
            at++;
        }
        return names;
    }

    private int firstVisible() {
        boolean mark =
                bytes.length > 2 && bytes[0] == (byte) 0xef && bytes[1] == (byte) 0xbb && bytes[2] == (byte) 0xbf;
        return skipSpace(mark ? 3 : 0);
    }

    private int skipSpace(int from) {
        int at = from;
        while (at < bytes.length && bytes[at] <= ' ' && bytes[at] > 0) {
            at++;
        }
        return at;
    }

    /** Returns the place of the quote that ends a text, or the end of the head. */
    private int endOfText(int from) {
        int at = from;
        while (at < bytes.length && bytes[at] != '"') {
            at += bytes[at] == '\\' ? 2 : 1;
        }
        return Math.min(at, bytes.length);
    }
}
