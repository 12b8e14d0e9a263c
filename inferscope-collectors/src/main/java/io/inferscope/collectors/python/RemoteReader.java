package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.ProcessMemory;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Reads single objects outside of the rounds' batches: descriptions, texts, lists. */
final class RemoteReader {
    // PyBytesObject.ob_sval, Include/cpython/bytesobject.h; PyASCIIObject, Include/cpython/unicodeobject.h
    private static final int BYTES = 32;
    private static final int TEXT_LENGTH = 16;
    private static final int TEXT_STATE = 32;

    private static final int MAX_TEXT_BYTES = 4096;

    private final ProcessMemory memory;
    private final MemoryBatch batch = new MemoryBatch();

    RemoteReader(ProcessMemory memory) {
        this.memory = memory;
    }

    /**
     * Reads {@code length} bytes; they are at the start of the batch until the next call.
     *
     * @throws UnreadableRuntime when they cannot be read
     */
    MemoryBatch read(int pid, long address, int length) throws UnreadableRuntime {
        batch.clear();
        int range = batch.add(address, length);
        int error = memory.read(pid, batch);
        if (error == OperatingSystem.NO_SUCH_PROCESS) {
            throw new UnreadableRuntime("the process has ended");
        }
        if (error != 0) {
            throw new UnreadableRuntime(AccessRefused.why(pid, -error));
        }
        if (!batch.isRead(range)) {
            throw new UnreadableRuntime("address 0x" + Long.toHexString(address) + " is not mapped");
        }
        return batch;
    }

    /** Reads an 8-byte integer. */
    long getLong(int pid, long address) throws UnreadableRuntime {
        return read(pid, address, 8).getLong(0);
    }

    /** Reads the bytes of a Python bytes object, at most {@code most} of them. */
    byte[] bytes(int pid, RuntimeLayout layout, long object, int most) throws UnreadableRuntime {
        long size = getLong(pid, object + layout.size());
        int length = (int) Math.max(0, Math.min(size, most));
        return length == 0 ? new byte[0] : memory(pid, object + layout.field(BYTES), length);
    }

    /** Reads {@code length} bytes of memory. */
    byte[] memory(int pid, long address, int length) throws UnreadableRuntime {
        return copy(read(pid, address, length), length);
    }

    /** Reads a Python text; longer ones than 4 KiB are cut. Layout: Include/cpython/unicodeobject.h, PEP 393. */
    String text(int pid, RuntimeLayout layout, long object) throws UnreadableRuntime {
        int asciiBytes = layout.asciiBytes();
        MemoryBatch header = read(pid, object, asciiBytes);
        long length = header.getLong(layout.field(TEXT_LENGTH));
        int state = header.getInt(layout.field(TEXT_STATE)) >> layout.kindBit();
        int kind = state & 7;
        boolean compact = (state & 1 << 3) != 0;
        boolean ascii = (state & 1 << 4) != 0;
        if (layout.isFree(header) || length < 0 || length > 1 << 20 || (kind != 1 && kind != 2 && kind != 4)) {
            throw noText(object);
        }
        long letters = object + asciiBytes;
        if (!compact || !ascii) {
            letters += layout.minor() < 12 ? 24 : 16; // PyCompactUnicodeObject; it lost wstr_length in 3.12
        }
        if (!compact) {
            letters = getLong(pid, letters); // PyUnicodeObject.data
        }
        int bytes = (int) Math.min(length * kind, MAX_TEXT_BYTES);
        String text = bytes == 0 ? "" : decode(copy(read(pid, letters, bytes), bytes), kind);
        if (ascii && text.chars().anyMatch(letter -> letter > 127)) {
            throw noText(object);
        }
        return text;
    }

    private static UnreadableRuntime noText(long object) {
        return new UnreadableRuntime("no text at 0x" + Long.toHexString(object));
    }

    private static byte[] copy(MemoryBatch batch, int length) {
        byte[] bytes = new byte[length];
        batch.data().get(0, bytes);
        return bytes;
    }

    private static String decode(byte[] bytes, int kind) {
        Charset charset = kind == 1 ? StandardCharsets.ISO_8859_1 : kind == 2 ? StandardCharsets.UTF_16LE : UTF_32LE;
        return charset.decode(ByteBuffer.wrap(bytes)).toString();
    }

    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");
}
