package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The code that one process has mapped: which file and function an address is in. Files and maps are read when an address first asks for them. */
public final class AddressSpace {
    /** Maps are read again for an unknown address, but not more often than this. */
    private static final long REREAD_NS = 200_000_000L;

    private static final int MAX_TABLES = 512;

    private final int pid;
    private final Map<String, SymbolTable> tables;
    private final Map<Long, Code> known = new HashMap<>();
    private TreeMap<Long, Mapping> mappings = new TreeMap<>();
    private @Nullable TreeMap<Long, String> generated;
    private long readNs = Long.MIN_VALUE / 2;

    /**
     * A function.
     *
     * @param function its name, {@code [offset]} of its file where it has none
     * @param file path of its file; {@code jit} for code that a compiler in the process made; empty where nothing is known
     */
    public record Code(String function, String file) {}

    private record Mapping(long start, long end, long offset, MappedFile file) {}

    /**
     * Makes one.
     *
     * @param tables functions of files read so far, by inode and path: processes share them
     */
    public AddressSpace(int pid, Map<String, SymbolTable> tables) {
        this.pid = pid;
        this.tables = tables;
    }

    /** Returns what an address is in, null for one outside of all code that is mapped. */
    public @Nullable Code code(long address, long nowNs) {
        Code code = known.get(address);
        if (code == null) {
            code = find(address, nowNs);
            if (code != null) {
                known.put(address, code);
            }
        }
        return code;
    }

    /** Returns what an address is in if it is in a file's code that is mapped as far as known; null for any other number. */
    public @Nullable Code mappedCode(long address) {
        Mapping mapping = mapping(address);
        return mapping == null || mapping.file().path().isEmpty() ? null : code(address, readNs);
    }

    /** Returns whether code of a file is mapped whose path ends so. */
    public boolean hasCodeOf(String pathEnd, long nowNs) {
        if (mappings.isEmpty() && nowNs - readNs > REREAD_NS) {
            readNs = nowNs;
            readMaps();
        }
        return mappings.values().stream().anyMatch(m -> m.file().path().endsWith(pathEnd));
    }

    private @Nullable Code find(long address, long nowNs) {
        Mapping mapping = mapping(address);
        if (mapping == null && nowNs - readNs > REREAD_NS) {
            readNs = nowNs;
            readMaps();
            mapping = mapping(address);
        }
        if (mapping == null) {
            return null;
        }
        if (mapping.file().path().isEmpty()) {
            return generated(address);
        }
        return new Code(function(mapping, address), mapping.file().path());
    }

    private @Nullable Mapping mapping(long address) {
        Map.Entry<Long, Mapping> entry = mappings.floorEntry(address);
        return entry == null || address >= entry.getValue().end() ? null : entry.getValue();
    }

    private void readMaps() {
        TreeMap<Long, Mapping> found = new TreeMap<>();
        try {
            String maps = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/maps")), StandardCharsets.UTF_8);
            maps.lines().forEach(line -> {
                int space = line.indexOf(' ');
                if (line.length() > space + 4 && line.charAt(space + 3) == 'x') {
                    Mapping mapping = mapping(line, space);
                    found.put(mapping.start(), mapping);
                }
            });
            mappings = found;
            generated = null;
        } catch (IOException | RuntimeException gone) {
            // The process has ended: what was read before stays.
        }
    }

    private static Mapping mapping(String line, int space) {
        int dash = line.indexOf('-');
        long start = Long.parseUnsignedLong(line.substring(0, dash), 16);
        long end = Long.parseUnsignedLong(line.substring(dash + 1, space), 16);
        int slash = line.indexOf('/');
        int special = line.indexOf('[');
        String path = slash >= 0 ? line.substring(slash) : special >= 0 ? line.substring(special) : "";
        MappedFile file = MappedFile.parse(line.substring(0, line.length() - path.length()), path);
        return new Mapping(start, end, file.offset(), file);
    }

    private String function(Mapping mapping, long address) {
        MappedFile file = mapping.file();
        if (!file.path().startsWith("/")) {
            return file.path();
        }
        try {
            Path path = file.openable(pid);
            SymbolTable table = table(file, path);
            long linked = table.linkedAt(address, mapping.start(), mapping.offset());
            int at = table.find(linked);
            if (at < 0) {
                return "[" + Long.toHexString(linked & ~0xfffL) + "]"; // Stripped: the page is as near as it gets.
            }
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                return table.name(channel, at);
            }
        } catch (IOException | RuntimeException unreadable) {
            return "[unknown]";
        }
    }

    private SymbolTable table(MappedFile file, Path path) throws IOException {
        String key = file.inode() + " " + file.path();
        SymbolTable table = tables.get(key);
        if (table == null) {
            if (tables.size() == MAX_TABLES) {
                tables.clear();
            }
            table = ElfFile.functions(path);
            tables.put(key, table);
        }
        return table;
    }

    /** Code of no file: compilers tell perf in /tmp/perf-PID.map what they made, as {@code start size name} lines. */
    private Code generated(long address) {
        TreeMap<Long, String> names = generated;
        if (names == null) {
            names = new TreeMap<>();
            Path map = Path.of("/proc/" + pid + "/root/tmp/perf-" + pid + ".map");
            try {
                for (String line : Files.readAllLines(map, StandardCharsets.UTF_8)) {
                    String[] words = line.split(" ", 3);
                    if (words.length == 3) {
                        names.put(Long.parseUnsignedLong(words[0], 16), words[2]);
                    }
                }
            } catch (IOException | RuntimeException none) {
                // Without a map nobody knows.
            }
            generated = names;
        }
        Map.Entry<Long, String> entry = names.floorEntry(address);
        return new Code(entry == null ? "[generated code]" : entry.getValue(), "jit");
    }
}
