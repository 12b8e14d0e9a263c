package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;

/** The number by which a linker tells a file from its other builds: a note of ELF files (elf(5), NT_GNU_BUILD_ID). */
public final class BuildId {
    private static final int HEADER_BYTES = 64;
    private static final int PT_NOTE = 4;
    private static final int NT_GNU_BUILD_ID = 3;
    private static final int GNU = 0x0055_4e47; // "GNU" and its end
    private static final int NOTE_HEADER_BYTES = 12;
    private static final int MAX_NOTES_BYTES = 1 << 16;
    private static final int MAX_BYTES = 64;

    private BuildId() {}

    /**
     * Returns the build id of a file in hexadecimal digits, empty if it has none.
     *
     * @throws IOException when the file cannot be read or is damaged
     */
    public static String of(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer header = ElfFile.bytes(channel, 0, HEADER_BYTES);
            boolean known = header.getInt(0) == 0x464c_457f && header.get(4) == 2 && header.get(5) == 1;
            return known ? read(channel, header) : "";
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            throw new IOException(file + " is damaged: " + damaged, damaged);
        }
    }

    private static String read(FileChannel channel, ByteBuffer header) throws IOException {
        int size = header.getShort(54) & 0xffff;
        int count = header.getShort(56) & 0xffff;
        ByteBuffer segments = ElfFile.bytes(channel, header.getLong(32), (long) size * count);
        for (int i = 0; i < count; i++) {
            int at = i * size;
            long bytes = segments.getLong(at + 32);
            if (segments.getInt(at) == PT_NOTE && bytes <= MAX_NOTES_BYTES) {
                ByteBuffer notes = ElfFile.bytes(channel, segments.getLong(at + 8), bytes);
                String id = find(notes, segments.getLong(at + 48) == Long.BYTES ? Long.BYTES : Integer.BYTES);
                if (!id.isEmpty()) {
                    return id;
                }
            }
        }
        return "";
    }

    /** Each note has the lengths of its name and content, its type, and both texts, padded. */
    private static String find(ByteBuffer notes, long padding) {
        for (long at = 0; at + NOTE_HEADER_BYTES <= notes.capacity(); ) {
            int note = (int) at;
            long nameBytes = notes.getInt(note) & 0xffff_ffffL;
            long bytes = notes.getInt(note + 4) & 0xffff_ffffL;
            long content = padded(at + NOTE_HEADER_BYTES + nameBytes, padding);
            boolean isId = notes.getInt(note + 8) == NT_GNU_BUILD_ID
                    && nameBytes == Integer.BYTES
                    && notes.getInt(note + NOTE_HEADER_BYTES) == GNU;
            if (isId && bytes <= MAX_BYTES) {
                byte[] id = new byte[(int) bytes];
                notes.get((int) content, id);
                return HexFormat.of().formatHex(id);
            }
            at = padded(content + bytes, padding);
        }
        return "";
    }

    private static long padded(long at, long padding) {
        return (at + padding - 1) / padding * padding;
    }
}
