package io.inferscope.formats.archive;

import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Compression and archive formats, recognised by their first bytes. */
enum Packing {
    /** Not packed, or in an unknown way. */
    PLAIN(0, ""),
    /** RFC 1952. */
    GZIP(0, "\u001f\u008b"),
    /** RFC 8878, section 3.1.1. */
    ZSTD(0, "(\u00b5/\u00fd"),
    /** The .xz file format, section 2.1.1.1. */
    XZ(0, "\u00fd7zXZ\u0000"),
    /** Signature, block size, and the magic number of the first block. */
    BZIP2(0, "BZh?1AY&SY"),
    /** POSIX.1-2017, pax, "ustar Interchange Format". */
    TAR(257, "ustar"),
    /** APPNOTE.TXT, 4.3.7: the header of the first file. */
    ZIP(0, "PK\u0003\u0004"),
    /** A database. It needs random access, so it must be unpacked if it is inside another packing. */
    SQLITE(0, "SQLite format 3");

    /** Number of first bytes needed. */
    static final int HEAD_BYTES = 512;

    private final int offset;
    private final String magic;

    /** Takes the magic bytes at an offset, one character each; ? is any byte. */
    Packing(int offset, String magic) {
        this.offset = offset;
        this.magic = magic;
    }

    /** Returns how content that begins so is packed. */
    static Packing of(byte[] head) {
        return Arrays.stream(values())
                .filter(packing -> packing != PLAIN && packing.isAt(head))
                .findFirst()
                .orElse(PLAIN);
    }

    private boolean isAt(byte[] head) {
        for (int i = 0; i < magic.length(); i++) {
            char expected = magic.charAt(i);
            if (offset + i >= head.length || (expected != '?' && (head[offset + i] & 0xff) != expected)) {
                return false;
            }
        }
        return true;
    }

    /** Returns how a file is packed on the outside. */
    static Packing of(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return of(in.readNBytes(HEAD_BYTES));
        }
    }

    /**
     * Returns whether a file must be unpacked before an importer can open it. Importers that read sequentially inflate
     * gzip themselves.
     */
    static boolean isPacked(Path file) throws IOException {
        Packing packing = of(file);
        if (packing != GZIP) {
            return packing != PLAIN && packing != SQLITE;
        }
        Packing inside = of(new TraceSource(file).head(HEAD_BYTES));
        return inside != PLAIN;
    }
}
