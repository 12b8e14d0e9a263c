package io.inferscope.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a summary says of a recording besides its analysis.
 *
 * @param traceId SHA-256 of its bytes, in hex
 * @param toolVersion the version of InferScope
 * @param name its file's name without folders
 * @param labels what the user says of it, such as {@code service} to {@code chat}; sorted
 */
public record Origin(String traceId, String toolVersion, String name, Map<String, String> labels) {
    /** Labels of such values need no escapes in JSON, SQL or Prometheus' text. */
    private static final Pattern LABEL = Pattern.compile("([a-z][a-z0-9_]{0,62})=([^\\p{Cntrl}\"\\\\']{1,200})");

    public Origin {
        labels = new TreeMap<>(labels);
    }

    /**
     * Returns labels from texts such as {@code service=chat}.
     *
     * @throws IllegalArgumentException if one is not such a text, or is given twice
     */
    public static Map<String, String> labels(Collection<String> texts) {
        Map<String, String> labels = new TreeMap<>();
        for (String text : texts) {
            Matcher label = LABEL.matcher(text);
            if (!label.matches() || labels.put(label.group(1), label.group(2)) != null) {
                throw new IllegalArgumentException(
                        text + ": expected KEY=VALUE, each key once: a key of a to z, 0 to 9 and _, a value of at most"
                                + " 200 characters without quotes and backslashes");
            }
        }
        return labels;
    }

    /**
     * Returns the id of a recording: the SHA-256 of its file. Of a folder, or of several files, that of the names and
     * SHA-256 of all files, sorted.
     */
    public static String traceId(List<Path> recording) throws IOException {
        if (recording.size() == 1 && Files.isRegularFile(recording.get(0))) {
            return sha256(recording.get(0));
        }
        List<String> parts = new ArrayList<>();
        for (Path path : recording) {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    parts.add(path.relativize(file) + " " + sha256(file) + "\n");
                }
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
        Collections.sort(parts);
        return ofText(String.join("", parts));
    }

    /** Returns the SHA-256 of a text, in hex. */
    static String ofText(String text) {
        return HexFormat.of().formatHex(digest().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
