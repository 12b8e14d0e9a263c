package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OwnProcess;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Recovers the bytes of arguments and environment entries, which Java decodes to text and may lose. */
public final class NativeText {
    private NativeText() {}

    /** Returns the encoding of arguments, environment and file names. */
    public static Charset charset() {
        try {
            return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        } catch (IllegalArgumentException unknown) {
            return StandardCharsets.UTF_8;
        }
    }

    /** Returns the bytes of consecutive arguments of this process; other words are encoded. */
    static List<byte[]> arguments(List<String> words) {
        try {
            return arguments(words, OwnProcess.commandLine(), charset());
        } catch (IOException | RuntimeException unknown) {
            return encoded(words, charset());
        }
    }

    static List<byte[]> arguments(List<String> words, List<byte[]> commandLine, Charset charset) {
        List<String> decoded =
                commandLine.stream().map(word -> new String(word, charset)).toList();
        int at = java.util.Collections.lastIndexOfSubList(decoded, words);
        return at < 0 ? encoded(words, charset) : List.copyOf(commandLine.subList(at, at + words.size()));
    }

    private static List<byte[]> encoded(List<String> words, Charset charset) {
        return words.stream().map(word -> word.getBytes(charset)).toList();
    }
}
