package io.inferscope.timeline.redact;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Redacts bytes as the texts of a timeline. Jazzer calls it: {@code lab/fuzz}. */
public final class RedactionTarget {
    private static final String SECRET = "s3cr3tcanary77";

    private RedactionTarget() {}

    /** Throws where a secret with a telling key stays, whatever stands around it. */
    public static void fuzzerTestOneInput(byte[] input) {
        String around = new String(input, StandardCharsets.UTF_8);
        String text = around + "\npassword=" + SECRET + "\n" + around;
        String redacted = PrivateText.learning(List.of(text)).redacted(text);
        if (redacted.contains(SECRET) && !around.contains(SECRET)) {
            throw new AssertionError("the secret stays in: " + redacted);
        }
    }
}
