package io.inferscope.collectors.symbols;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.tukaani.xz.XZInputStream;

/**
 * The section of a stripped file that keeps the names of functions that are not exported: a whole ELF file in the XZ
 * format, as Fedora and RHEL ship it (GDB's manual, "Debugging information in a special section").
 */
final class MiniDebugInfo {
    static final String SECTION = ".gnu_debugdata";

    /** Most bytes inflated. 200,000 functions need some 15 MB; a malicious file is small and has no end. */
    private static final int MAX_BYTES = 32 << 20;

    /** Memory limit; {@code xz -9} needs 65 MiB. */
    private static final int XZ_MEMORY_KIB = 80 << 10;

    private MiniDebugInfo() {}

    /**
     * Returns the ELF file in a section.
     *
     * @throws IOException when the section is damaged or inflates to more than 32 MiB
     */
    static ByteBuffer inflate(ByteBuffer section) throws IOException {
        byte[] packed = new byte[section.capacity()];
        section.get(0, packed);
        try (InputStream in = new XZInputStream(new ByteArrayInputStream(packed), XZ_MEMORY_KIB)) {
            byte[] file = in.readNBytes(MAX_BYTES + 1);
            if (file.length > MAX_BYTES) {
                throw new IOException(SECTION + " is larger than " + MAX_BYTES + " bytes");
            }
            return ByteBuffer.wrap(file);
        }
    }
}
