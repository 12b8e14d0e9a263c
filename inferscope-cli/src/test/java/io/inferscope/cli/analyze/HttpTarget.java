package io.inferscope.cli.analyze;

import io.inferscope.cli.analyze.LoopbackServer.Page;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/** Reads bytes as a request to the server of {@code open}. Jazzer calls it: {@code lab/fuzz}. */
public final class HttpTarget {
    private HttpTarget() {}

    /** Throws if a request is answered that does not ask for a page below the secret name at this address. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String request = new String(input, StandardCharsets.ISO_8859_1);
        AtomicReference<String> asked = new AtomicReference<>();
        Page page = LoopbackServer.answer(request, "127.0.0.1:9", "/s/", path -> {
            asked.set(path);
            return Page.of("", new byte[0]);
        });
        boolean answered = asked.get() != null;
        if (answered != page.status().startsWith("200 ")
                || (answered
                        && !(request.startsWith("GET /s/" + asked.get() + " HTTP/1.")
                                && request.contains("127.0.0.1:9")))) {
            throw new AssertionError(page.status() + " for " + request);
        }
    }
}
