package io.inferscope.collectors.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How this process stands to its controlling terminal, by {@code /proc/self/stat} (proc(5), fields 5, 7 and 8).
 *
 * @param exists whether there is a controlling terminal
 * @param foreground whether this process' group is the one that the terminal's keys reach
 */
public record Terminal(boolean exists, boolean foreground) {
    private static final int GROUP = 2;
    private static final int TERMINAL = 4;
    private static final int FOREGROUND_GROUP = 5;

    /** Returns how things stand now; no terminal when that cannot be read. */
    public static Terminal now() {
        try {
            return of(Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1));
        } catch (IOException | RuntimeException unknown) {
            return new Terminal(false, false);
        }
    }

    static Terminal of(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ", -1);
        boolean exists = !fields[TERMINAL].equals("0") && !fields[FOREGROUND_GROUP].equals("-1");
        return new Terminal(exists, exists && fields[GROUP].equals(fields[FOREGROUND_GROUP]));
    }
}
