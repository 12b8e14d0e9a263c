package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * Names of code generated in a process. Its compilers write them for perf to {@code /tmp/perf-PID.map}, as lines {@code
 * start size name}. Any user can write to that folder, so, like perf itself, this reads only a regular file of the
 * process's own user, and only a part of a long one.
 */
final class PerfMap {
    /** Name of generated code that is not in the map. */
    static final String UNKNOWN = "[generated code]";

    /** Maps of large programs have some megabytes. */
    static final int MAX_BYTES = 32 << 20;

    private static final int MAX_NAME_CHARS = 1024;
    private static final int ROOT = 0;

    private final TreeMap<Long, String> names = new TreeMap<>();

    private PerfMap() {}

    /** Reads the map of a process; without one there are no names. */
    static PerfMap of(int pid) {
        return read(Path.of("/proc/" + pid + "/root/tmp/perf-" + pid + ".map"), Path.of("/proc/" + pid));
    }

    /**
     * Reads a map.
     *
     * @param process a file that belongs to the process's user
     */
    static PerfMap read(Path file, Path process) {
        PerfMap map = new PerfMap();
        try {
            Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            boolean own = owner.equals(ROOT) || owner.equals(Files.getAttribute(process, "unix:uid"));
            if (own && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                map.addAll(file);
            }
        } catch (IOException | RuntimeException none) {
            // The names stay unknown.
        }
        return map;
    }

    private void addAll(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).lines().forEach(this::add);
        }
    }

    private void add(String line) {
        String[] words = line.split(" ", 3);
        if (words.length == 3) {
            try {
                String name = words[2].length() > MAX_NAME_CHARS ? words[2].substring(0, MAX_NAME_CHARS) : words[2];
                names.put(Long.parseUnsignedLong(words[0], 16), name);
            } catch (NumberFormatException halfWritten) {
                // The process is still writing.
            }
        }
    }

    /** Returns the name of the last function that begins at or before an address. */
    String name(long address) {
        Map.Entry<Long, String> entry = names.floorEntry(address);
        return entry == null ? UNKNOWN : entry.getValue();
    }
}
