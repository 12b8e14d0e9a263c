package io.inferscope.collectors.symbols;

import io.inferscope.collectors.symbols.SourceLines.Line;
import io.inferscope.collectors.symbols.SourceLines.Place;
import io.inferscope.timeline.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The code mapped by one process: finds file and function of an address. Files and maps are read when first needed. */
public final class AddressSpace {
    /** Maps are read again for an unknown address, but not more often than this. */
    private static final long REREAD_NS = 200_000_000L;

    /** Maps are read again at this period even without a sign of change. */
    private static final long REFRESH_NS = 2_000_000_000L;

    /** The file of code that a compiler in the process made. */
    public static final String JIT = Frame.GENERATED;

    /**
     * The functions of smaller files are read while the process runs: it takes little, and files that a program generates
     * and may remove are small.
     */
    private static final long SMALL_BYTES = 1 << 20;

    private static final String CODE_OF_PROGRAM = "\nVmExe:"; // proc(5), status

    private static final String CODE_OF_LIBRARIES = "\nVmLib:"; // the next line

    private final int pid;
    private final SymbolTables tables;
    private final Map<Long, Code> known = new HashMap<>();
    private final Map<Long, Place> places = new HashMap<>();

    /** Files with sampled code. */
    private final Set<MappedFile> kept = new HashSet<>();

    private volatile Maps maps = new Maps(new TreeMap<>());
    private volatile @Nullable PerfMap generated;
    private volatile boolean generates;
    private volatile boolean isReadingNames;
    private volatile long namesReadNs = System.nanoTime();

    /** {@link #codeSize} when the mappings were read. Used by the reading thread alone. */
    private String sizeRead = "";

    private long readNs = Long.MIN_VALUE / 2;

    /** How old the maps must be to be read for an unknown caller. */
    private long forCallersNs = REREAD_NS;

    /**
     * A function.
     *
     * @param function its name, or {@code [offset]} in its file
     * @param file path of its file; {@code jit} for code generated in the process; empty if unknown
     */
    public record Code(String function, String file) {
        // Those that the compiler generates cost several times as much, and each native sample looks some up.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Code code && function.equals(code.function) && file.equals(code.file);
        }

        @Override
        public int hashCode() {
            return 31 * function.hashCode() + file.hashCode();
        }
    }

    private record Mapping(long start, long end, long offset, MappedFile file) {}

    /** All mapped code, in the order of addresses. */
    private static final class Maps {
        final long[] starts;
        final Mapping[] mappings;

        Maps(SortedMap<Long, Mapping> byStart) {
            starts = byStart.keySet().stream().mapToLong(Long::longValue).toArray();
            mappings = byStart.values().toArray(Mapping[]::new);
        }

        @Nullable
        Mapping at(long address) {
            int at = Arrays.binarySearch(starts, address);
            at = at < 0 ? -at - 2 : at;
            return at < 0 || address >= mappings[at].end() ? null : mappings[at];
        }
    }

    /**
     * Makes one.
     *
     * @param tables functions of files, shared by processes
     */
    public AddressSpace(int pid, SymbolTables tables) {
        this.pid = pid;
        this.tables = tables;
    }

    /**
     * Returns the code at an address that is certain to be code; null outside of all known mappings, which are then
     * read again in the background. Until its file's functions are read, the page is used as the function.
     */
    public @Nullable Code code(long address, long nowNs) {
        if (maps.at(address) == null && nowNs - readNs > REREAD_NS) {
            readAgain(nowNs);
        }
        return mappedCode(address);
    }

    /**
     * Returns the code at an address that may be a caller's; null outside of all known mappings. What frame pointers
     * lead to may be no code, so the mappings are read again for such addresses less and less often.
     */
    public @Nullable Code caller(long address, long nowNs) {
        if (forCallersNs < REFRESH_NS && nowNs - readNs > forCallersNs && maps.at(address) == null) {
            forCallersNs *= 2;
            readAgain(nowNs);
        }
        return mappedCode(address);
    }

    /**
     * Makes sure that the code at an address can be found out later, even after the process has ended: reads the mappings
     * again if they lack it, and the functions of a file that may be gone by then. {@code certain}: whether the address
     * is certain to be code.
     */
    public void keep(long address, long nowNs, boolean certain) {
        Mapping mapping = maps.at(address);
        if (mapping == null) {
            if (certain && nowNs - readNs > REREAD_NS) {
                readAgain(nowNs);
            }
        } else if (mapping.file().path().isEmpty()) {
            generated(address);
        } else if (kept.add(mapping.file())) {
            tables.execute(() -> keep(mapping.file()));
        }
    }

    private void keep(MappedFile file) {
        if (!file.path().startsWith("/")) {
            return;
        }
        Path path = file.openable(pid);
        try {
            if (!file.isLasting(path) || Files.size(path) < SMALL_BYTES) {
                tables.get(file, pid);
            }
        } catch (IOException | RuntimeException unreadable) {
            // It will have no functions.
        }
    }

    private void readAgain(long nowNs) {
        readNs = nowNs;
        tables.execute(this::readMaps);
    }

    /**
     * Reads the mappings in the background if they are old and the process has mapped other code since. {@code changed}:
     * whether the process loads code.
     */
    public void refresh(long nowNs, boolean changed) {
        if (nowNs - readNs > (changed ? REREAD_NS : REFRESH_NS)) {
            readNs = nowNs;
            tables.execute(this::readChangedMaps);
        }
    }

    private void readChangedMaps() {
        String size = codeSize();
        if (size.isEmpty() || !size.equals(sizeRead)) {
            readMaps();
            sizeRead = size;
        }
    }

    /** Returns how much code the process has mapped, empty if unknown. Some 50 times as fast as reading the mappings. */
    private String codeSize() {
        try {
            String status = Files.readString(Path.of("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1);
            int exe = status.indexOf(CODE_OF_PROGRAM);
            int libraries = exe < 0 ? -1 : status.indexOf(CODE_OF_LIBRARIES, exe);
            return libraries < 0 ? "" : status.substring(exe, status.indexOf('\n', libraries + 1));
        } catch (IOException | RuntimeException gone) {
            return "";
        }
    }

    /** Returns the path of the file with the code at an address; null outside of all known mappings. */
    public @Nullable String file(long address) {
        Mapping mapping = maps.at(address);
        return mapping == null ? null : mapping.file().path();
    }

    /** Returns the mapped file with a path; null if no known mapping has it. */
    public @Nullable MappedFile mapped(String path) {
        for (Mapping mapping : maps.mappings) {
            if (mapping.file().path().equals(path)) {
                return mapping.file();
            }
        }
        return null;
    }

    /** Returns the code at an address inside known mappings; null for any other number. */
    public @Nullable Code mappedCode(long address) {
        Code code = known.get(address);
        return code == null ? find(address) : code;
    }

    /**
     * Returns where the source lines of an address can be asked for; null if its file has none, or its functions are
     * not read yet.
     */
    public @Nullable Place place(long address) {
        Place known = places.get(address);
        return known == null ? findPlace(address) : known;
    }

    private @Nullable Place findPlace(long address) {
        Mapping mapping = maps.at(address);
        if (mapping != null && mapping.file().path().isEmpty()) {
            long sampledNs = System.nanoTime();
            return hurry -> linesOfGenerated(address, sampledNs);
        }
        SymbolTable table =
                mapping == null || !mapping.file().path().startsWith("/") ? null : tables.get(mapping.file(), pid);
        SourceLines lines = table == null ? null : table.lines();
        if (mapping == null || table == null || lines == null) {
            return null;
        }
        try {
            long linked = table.linkedAt(address, mapping.start(), mapping.offset());
            Place place = hurry -> lines.at(linked, hurry);
            places.put(address, place);
            return place;
        } catch (IOException noSegment) {
            return null;
        }
    }

    /** Returns whether code of a file with this end of its path is mapped. */
    public boolean hasCodeOf(String pathEnd, long nowNs) {
        if (maps.mappings.length == 0 && nowNs - readNs > REREAD_NS) {
            readNs = nowNs;
            readMaps();
        }
        return Arrays.stream(maps.mappings).anyMatch(m -> m.file().path().endsWith(pathEnd));
    }

    private @Nullable Code find(long address) {
        Mapping mapping = maps.at(address);
        if (mapping == null) {
            return null;
        }
        if (mapping.file().path().isEmpty()) {
            Code code = generated(address);
            return code == null ? new Code(PerfMap.UNKNOWN, JIT) : remembered(address, code);
        }
        String path = mapping.file().path();
        SymbolTable table = path.startsWith("/") ? tables.get(mapping.file(), pid) : null;
        if (path.startsWith("/") && table == null) {
            return new Code(page(address - mapping.start() + mapping.offset()), path);
        }
        return remembered(address, new Code(table == null ? path : function(mapping, table, address), path));
    }

    private Code remembered(long address, Code code) {
        known.put(address, code);
        return code;
    }

    private static String page(long address) {
        return "[" + Long.toHexString(address & ~0xfffL) + "]";
    }

    private void readMaps() {
        TreeMap<Long, Mapping> found = new TreeMap<>();
        try {
            byte[] lines = Files.readAllBytes(Path.of("/proc/" + pid + "/maps"));
            for (int from = 0, end = 0; from < lines.length; from = end + 1) {
                int space = from;
                while (lines[space] != ' ') {
                    space++;
                }
                end = space;
                while (end < lines.length && lines[end] != '\n') {
                    end++;
                }
                if (lines[space + 3] == 'x') { // Few are, and making texts of the others takes longer than this.
                    Mapping mapping =
                            mapping(new String(lines, from, end - from, StandardCharsets.UTF_8), space - from);
                    found.put(mapping.start(), mapping);
                }
            }
            maps = found.isEmpty() ? maps : new Maps(found); // A process that has ended has none.
            readNames();
        } catch (IOException | RuntimeException gone) {
            // The process has ended: the known mappings stay.
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

    private String function(Mapping mapping, SymbolTable table, long address) {
        try {
            long linked = table.linkedAt(address, mapping.start(), mapping.offset());
            int at = table.find(linked);
            if (at < 0) {
                return page(linked); // A stripped file: this is the best name available.
            }
            String name = table.known(at);
            return name == null ? table.name(mapping.file().openable(pid), at) : name;
        } catch (IOException | RuntimeException unreadable) {
            return "[unknown]";
        }
    }

    /**
     * Generated code, in no file. Another thread reads its names, because the process may have replaced the file of
     * names by anything.
     */
    private @Nullable Code generated(long address) {
        if (generated == null && !generates) {
            generates = true;
            tables.execute(this::readNames);
        }
        PerfMap names = generated;
        String name = names == null ? PerfMap.UNKNOWN : names.name(address);
        return name.equals(PerfMap.UNKNOWN) ? null : new Code(name, JIT);
    }

    /** Reads the names of generated code that are new. On the reading thread. */
    private void readNames() {
        PerfMap names = generated;
        if (names != null) {
            names.readOn();
        } else if (generates) {
            generated = PerfMap.of(pid);
        }
        namesReadNs = System.nanoTime();
        isReadingNames = false;
    }

    /** Returns where generated code has its source. A name may be written only after its code was sampled. */
    private @Nullable List<Line> linesOfGenerated(long address, long sampledNs) {
        Code code = generated(address);
        if (code != null) {
            return List.of(PerfMap.line(code.function()));
        }
        if (generated != null && namesReadNs - sampledNs > 0) {
            return List.of();
        }
        if (!isReadingNames && System.nanoTime() - namesReadNs > REREAD_NS) {
            isReadingNames = true;
            tables.execute(this::readNames);
        }
        return null;
    }
}
