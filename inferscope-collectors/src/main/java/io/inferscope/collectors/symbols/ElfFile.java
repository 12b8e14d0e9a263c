package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The needed parts of a 64-bit little-endian ELF file (System V ABI, chapters 4 and 5): its load segments, some
 * symbols, one section.
 */
public final class ElfFile {
    private static final int HEADER_BYTES = 64;
    private static final int SYMBOL_WORDS = 3;
    static final int SYMBOL_BYTES = SYMBOL_WORDS * Long.BYTES;

    /** Symbols of a table that are read at once. */
    private static final int SYMBOLS_AT_ONCE = 1 << 13;

    private static final int PT_LOAD = 1;
    private static final int PF_X = 1;
    private static final int MAX_PAGE_BYTES = 1 << 16;
    private static final int SHT_SYMTAB = 2;
    private static final int SHT_DYNSYM = 11;
    private static final int STT_FUNC = 2;
    private static final int STT_GNU_IFUNC = 10;
    private static final int MAX_TABLE_BYTES = 256 << 20;

    /** Longest name searched for. A damaged table may contain one endless text that every entry names. */
    private static final int MAX_NAME_BYTES = 64;

    /** A part of the file that is mapped: file offset, address it is linked at, bytes. */
    public record Segment(long offset, long address, long bytes) {}

    /** Where the bytes of a file come from. */
    @FunctionalInterface
    private interface Content {
        /** Returns a part of the file, little-endian. */
        ByteBuffer bytes(long from, long count) throws IOException;
    }

    private record Section(String name, int type, long address, long offset, long size, int link) {}

    private final List<Segment> segments;
    private final Map<String, Long> symbols;
    private final long namedSection;

    private ElfFile(List<Segment> segments, Map<String, Long> symbols, long namedSection) {
        this.segments = segments;
        this.symbols = symbols;
        this.namedSection = namedSection;
    }

    /**
     * Reads a file.
     *
     * @param names the symbols looked for: first among the exported ones, then among all
     * @param sectionName a section whose address is needed
     * @throws IOException when the file cannot be read or is no such ELF file
     */
    public static ElfFile read(Path file, Set<String> names, String sectionName) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Content content = (from, count) -> bytes(channel, from, count);
            ByteBuffer header = content.bytes(0, HEADER_BYTES);
            boolean known = header.getInt(0) == 0x464c_457f && header.get(4) == 2 && header.get(5) == 1;
            if (!known) {
                throw new IOException(file + " is not a 64-bit little-endian ELF file");
            }
            List<Section> sections = sections(content, header);
            Map<String, Long> symbols = new HashMap<>();
            for (int type : new int[] {SHT_DYNSYM, SHT_SYMTAB}) {
                for (Section table : sections) {
                    if (table.type() == type && symbols.size() < names.size()) {
                        findSymbols(content, table, sections.get(table.link()), names, symbols);
                    }
                }
            }
            long named = sections.stream()
                    .filter(section -> section.name().equals(sectionName))
                    .mapToLong(Section::address)
                    .findFirst()
                    .orElse(0);
            return new ElfFile(segments(content, header, 0), symbols, named);
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            throw new IOException(file + " is damaged: " + damaged, damaged);
        }
    }

    /** Returns the address a symbol is linked at, 0 when the file does not have it. */
    public long symbol(String name) {
        return symbols.getOrDefault(name, 0L);
    }

    /** Returns the address of the section that was asked for, 0 when the file does not have it. */
    public long section() {
        return namedSection;
    }

    /**
     * Returns the difference between addresses in a process and the file's linked addresses.
     *
     * @param mappedAt where a part of the file is mapped
     * @param fileOffset file offset of that part
     */
    public long bias(long mappedAt, long fileOffset) throws IOException {
        return bias(segments, mappedAt, fileOffset);
    }

    /** Returns where, in a part of the file, its load segments end; mapped bytes after that are unused. */
    public long usedUntil(long fileOffset, long length) {
        return segments.stream()
                .filter(one -> one.offset() < fileOffset + length && one.offset() + one.bytes() > fileOffset)
                .mapToLong(one -> one.offset() + one.bytes())
                .max()
                .orElse(Long.MAX_VALUE);
    }

    static long bias(List<Segment> segments, long mappedAt, long fileOffset) throws IOException {
        for (Segment segment : segments) {
            boolean begins = fileOffset <= segment.offset() && segment.offset() - fileOffset < MAX_PAGE_BYTES;
            boolean inside = fileOffset > segment.offset() && fileOffset < segment.offset() + segment.bytes();
            if (begins || inside) {
                return mappedAt - (segment.address() + fileOffset - segment.offset());
            }
        }
        throw new IOException("no load segment holds file offset " + fileOffset);
    }

    /**
     * Reads the functions of a file: those of its full symbol table where it has one, else the exported ones and those
     * of its {@link MiniDebugInfo}.
     *
     * @throws IOException when the file cannot be read or is no such ELF file
     */
    public static SymbolTable functions(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Content content = (from, count) -> bytes(channel, from, count);
            ByteBuffer header = content.bytes(0, HEADER_BYTES);
            List<Section> sections = sections(content, header);
            SymbolTable.Builder functions = new SymbolTable.Builder();
            addFunctions(content, sections, SHT_SYMTAB, null, functions);
            if (functions.isEmpty()) {
                addFunctions(content, sections, SHT_DYNSYM, null, functions);
                Section packed = first(sections, MiniDebugInfo.SECTION);
                if (packed != null) {
                    addMiniDebugInfo(content.bytes(packed.offset(), packed.size()), functions);
                }
            }
            functions.describesLines(first(sections, ".debug_line") != null || hasDebugLink(file, content, sections));
            return functions.build(segments(content, header, PF_X));
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            throw new IOException(file + " is damaged: " + damaged, damaged);
        }
    }

    /**
     * Returns whether the file with the debugging information, which a stripped file names, is there (GDB's manual,
     * "Separate Debug Files").
     */
    private static boolean hasDebugLink(Path file, Content content, List<Section> sections) {
        Section link = first(sections, ".gnu_debuglink");
        Path folder = file.getParent();
        if (link == null || folder == null) {
            return false;
        }
        try {
            String name = text(content.bytes(link.offset(), link.size()), 0);
            return !name.isEmpty()
                    && (Files.isRegularFile(folder.resolve(name))
                            || Files.isRegularFile(folder.resolve(".debug").resolve(name)));
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException damaged) {
            return false; // The file's functions are still right.
        }
    }

    private static @Nullable Section first(List<Section> sections, String name) {
        for (Section section : sections) {
            if (section.name().equals(name)) {
                return section;
            }
        }
        return null;
    }

    /** Adds nothing if the compressed file is damaged: the exported functions are still right. */
    private static void addMiniDebugInfo(ByteBuffer packed, SymbolTable.Builder functions) {
        try {
            ByteBuffer file = MiniDebugInfo.inflate(packed);
            Content content = (from, count) -> bytes(file, from, count);
            addFunctions(content, sections(content, content.bytes(0, HEADER_BYTES)), SHT_SYMTAB, file, functions);
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException damaged) {
            // Its functions stay unknown.
        }
    }

    /** {@code memory}: the unpacked file that is the content, null for the file itself. */
    private static void addFunctions(
            Content content,
            List<Section> sections,
            int type,
            @Nullable ByteBuffer memory,
            SymbolTable.Builder functions)
            throws IOException {
        for (Section table : sections) {
            if (table.type() == type) {
                long count = Math.min(table.size(), MAX_TABLE_BYTES) / SYMBOL_BYTES;
                functions.begin(
                        count, table.offset(), sections.get(table.link()).offset(), memory);
                long[] words = new long[SYMBOL_WORDS * (int) Math.min(count, SYMBOLS_AT_ONCE)];
                for (int from = 0; from < count; from += SYMBOLS_AT_ONCE) {
                    int some = SYMBOL_WORDS * (int) Math.min(SYMBOLS_AT_ONCE, count - from);
                    long offset = table.offset() + (long) from * SYMBOL_BYTES;
                    content.bytes(offset, (long) some * Long.BYTES)
                            .asLongBuffer()
                            .get(words, 0, some);
                    addFunctions(words, some, from, functions);
                }
                return;
            }
        }
    }

    /** Takes the functions among some symbols, whose first has the index {@code from} in its table. */
    private static void addFunctions(long[] words, int end, int from, SymbolTable.Builder functions) {
        int index = from;
        for (int at = 0; at < end; at += SYMBOL_WORDS) {
            long head = words[at]; // u32 name, u8 info, u8 other, u16 section
            int kind = (int) (head >>> 32) & 0xf;
            if ((kind == STT_FUNC || kind == STT_GNU_IFUNC) && head >>> 48 != 0) {
                functions.add(index, words[at + 1], words[at + 2]);
            }
            index++;
        }
    }

    /**
     * Reads the load segments that have all of these flags. Two segments may share a page of the file, which is mapped
     * twice, at two distances from the linked address: lld's files are so.
     */
    private static List<Segment> segments(Content content, ByteBuffer header, int flags) throws IOException {
        int size = header.getShort(54) & 0xffff;
        int count = header.getShort(56) & 0xffff;
        ByteBuffer table = content.bytes(header.getLong(32), (long) size * count);
        List<Segment> segments = new ArrayList<>();
        for (int at = 0; at < size * count; at += size) {
            if (table.getInt(at) == PT_LOAD && (table.getInt(at + 4) & flags) == flags) {
                segments.add(new Segment(table.getLong(at + 8), table.getLong(at + 16), table.getLong(at + 32)));
            }
        }
        return segments;
    }

    private static List<Section> sections(Content content, ByteBuffer header) throws IOException {
        int size = header.getShort(58) & 0xffff;
        int count = header.getShort(60) & 0xffff;
        ByteBuffer table = content.bytes(header.getLong(40), (long) size * count);
        int names = (header.getShort(62) & 0xffff) * size;
        ByteBuffer texts = count == 0
                ? ByteBuffer.allocate(0)
                : content.bytes(table.getLong(names + 24), table.getLong(names + 32));
        List<Section> sections = new ArrayList<>();
        for (int at = 0; at < size * count; at += size) {
            sections.add(new Section(
                    text(texts, table.getInt(at)),
                    table.getInt(at + 4),
                    table.getLong(at + 16),
                    table.getLong(at + 24),
                    table.getLong(at + 32),
                    table.getInt(at + 40)));
        }
        return sections;
    }

    private static void findSymbols(
            Content content, Section table, Section texts, Set<String> names, Map<String, Long> found)
            throws IOException {
        ByteBuffer symbols = content.bytes(table.offset(), table.size());
        ByteBuffer letters = content.bytes(texts.offset(), texts.size());
        for (int at = 0; at + SYMBOL_BYTES <= symbols.capacity(); at += SYMBOL_BYTES) {
            int name = symbols.getInt(at);
            boolean defined = symbols.getShort(at + 6) != 0; // st_shndx
            if (defined && beginsLikeOne(letters, name, names)) {
                String text = text(letters, name);
                if (names.contains(text)) {
                    found.putIfAbsent(text, symbols.getLong(at + 8));
                }
            }
        }
    }

    /** Sorts out most symbols without making their names. */
    private static boolean beginsLikeOne(ByteBuffer letters, int at, Set<String> names) {
        if (at < 0 || at + 1 >= letters.capacity()) {
            return false;
        }
        for (String name : names) {
            if (letters.get(at) == name.charAt(0) && letters.get(at + 1) == name.charAt(1)) {
                return true;
            }
        }
        return false;
    }

    private static String text(ByteBuffer letters, int from) {
        int end = from;
        int last = Math.min(letters.capacity(), from + MAX_NAME_BYTES);
        while (end < last && letters.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - from];
        letters.get(from, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static ByteBuffer bytes(FileChannel channel, long from, long count) throws IOException {
        if (count < 0 || count > MAX_TABLE_BYTES || from < 0 || from + count > channel.size()) {
            throw new IOException("a table of " + count + " bytes at " + from + " lies outside the file");
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) count).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, from + buffer.position()) < 0) {
                throw new IOException("the file ends early");
            }
        }
        return buffer.rewind();
    }

    private static ByteBuffer bytes(ByteBuffer file, long from, long count) throws IOException {
        if (count < 0 || from < 0 || from > file.capacity() - count) {
            throw new IOException("a table of " + count + " bytes at " + from + " lies outside the file");
        }
        return file.slice((int) from, (int) count).order(ByteOrder.LITTLE_ENDIAN);
    }
}
