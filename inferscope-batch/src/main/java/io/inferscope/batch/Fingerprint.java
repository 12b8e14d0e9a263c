package io.inferscope.batch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Short hashes of texts: equal for equal texts, and practically never equal for different ones. */
public final class Fingerprint {
    private static final int CHARS = 16;

    private Fingerprint() {}

    /** Returns 16 hexadecimal digits for lines of text. */
    public static String of(List<String> lines) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // Every Java platform must have SHA-256.
        }
    }
}
