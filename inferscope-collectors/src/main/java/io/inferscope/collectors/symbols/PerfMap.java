package io.inferscope.collectors.symbols;

import io.inferscope.collectors.symbols.SourceLines.Line;
import io.inferscope.timeline.files.KnowledgeTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of code generated in a process. Its compilers write them for perf to {@code /tmp/perf-PID.map}, as lines {@code
 * start size name}, and append others while it runs. Any user can write to that folder, so, like perf itself, this reads
 * only a regular file of the process's own user, and only a part of a long one.
 */
final class PerfMap {
    /** Name of generated code that is not in the map. */
    static final String UNKNOWN = "[generated code]";

    /** Maps of large programs have some megabytes. */
    static final int MAX_BYTES = 32 << 20;

    private static final int MAX_NAME_CHARS = 1024;
    private static final int ROOT = 0;

    /** How engines name functions of which they know the source line. */
    private static final List<Pattern> FORMS =
            KnowledgeTable.read(PerfMap.class, "generated-names.tsv", cells -> Pattern.compile(cells[0]));

    private final Path file;
    private final Path process;
    private final ConcurrentSkipListMap<Long, Named> names = new ConcurrentSkipListMap<>();
    private int readBytes;

    private record Named(long end, String name) {}

    private PerfMap(Path file, Path process) {
        this.file = file;
        this.process = process;
    }

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
        PerfMap map = new PerfMap(file, process);
        map.readOn();
        return map;
    }

    /** Reads what was appended since. */
    void readOn() {
        try {
            Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            boolean own = owner.equals(ROOT) || owner.equals(Files.getAttribute(process, "unix:uid"));
            if (own && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > readBytes) {
                addAll();
            }
        } catch (IOException | RuntimeException none) {
            // The names stay unknown.
        }
    }

    private void addAll() throws IOException {
        try (InputStream in = Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            in.skipNBytes(readBytes);
            byte[] bytes = in.readNBytes(MAX_BYTES - readBytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--; // The process is still writing the last line.
            }
            readBytes += end;
            new String(bytes, 0, end, StandardCharsets.UTF_8).lines().forEach(this::add);
        }
    }

    private void add(String line) {
        String[] words = line.split(" ", 3);
        if (words.length == 3) {
            try {
                long start = Long.parseUnsignedLong(words[0], 16);
                long end = start + Math.max(1, Long.parseUnsignedLong(words[1], 16));
                String name = words[2].length() > MAX_NAME_CHARS ? words[2].substring(0, MAX_NAME_CHARS) : words[2];
                names.subMap(start, Math.max(start, end)).clear(); // It lies where code was that is gone.
                names.put(start, new Named(end, name));
            } catch (NumberFormatException damaged) {
                // A line of something else.
            }
        }
    }

    /** Returns the name of the function at an address. */
    String name(long address) {
        Map.Entry<Long, Named> entry = names.floorEntry(address);
        return entry == null || address >= entry.getValue().end ? UNKNOWN : entry.getValue().name;
    }

    /** Returns the line at which a function begins, by its name in the map; line 0 of no file if that does not tell it. */
    static Line line(String name) {
        for (Pattern form : FORMS) {
            Matcher parts = form.matcher(name);
            if (parts.matches()) {
                String function = parts.group("function");
                String shown = function == null || function.isEmpty() ? "<anonymous>" : function;
                return new Line(shown, parts.group("file"), Integer.parseInt(parts.group("line")));
            }
        }
        return new Line(name, "", 0);
    }
}
