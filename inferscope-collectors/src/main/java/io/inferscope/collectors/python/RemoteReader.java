package io.inferscope.collectors.python;

import io.inferscope.collectors.os.Kernel;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Reads single objects outside of the rounds' batches: descriptions, texts, lists. */
final class RemoteReader {
    /** Offset of an object's type: ob_type of PyObject, Include/object.h. */
    static final int TYPE = 8;

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
        if (error == Kernel.NO_SUCH_PROCESS) {
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

    /**
     * Returns whether the object at the start of a batch has been freed: a free block contains the address of the next
     * one, or 0, in place of an object's reference count (Objects/obmalloc.c). The count has 32 bits; 3.14 keeps flags
     * in the upper 16 of its word.
     */
    static boolean isFree(MemoryBatch batch) {
        return batch.getInt(0) == 0 || (batch.getInt(4) & 0xffff) != 0;
    }

    /** Reads the bytes of a Python bytes object, at most {@code most} of them. */
    byte[] bytes(int pid, long object, int most) throws UnreadableRuntime {
        long size = getLong(pid, object + 16); // ob_size of PyVarObject, then ob_sval: Include/cpython/bytesobject.h
        int length = (int) Math.max(0, Math.min(size, most));
        return length == 0 ? new byte[0] : memory(pid, object + 32, length);
    }

    /** Reads {@code length} bytes of memory. */
    byte[] memory(int pid, long address, int length) throws UnreadableRuntime {
        return copy(read(pid, address, length), length);
    }

    /** Reads a Python text; longer ones than 4 KiB are cut. Layout: Include/cpython/unicodeobject.h, PEP 393. */
    String text(int pid, long object, int asciiBytes) throws UnreadableRuntime {
        MemoryBatch header = read(pid, object, asciiBytes);
        long length = header.getLong(16);
        int state = header.getInt(32);
        int kind = state >> 2 & 7;
        boolean compact = (state & 1 << 5) != 0;
        boolean ascii = (state & 1 << 6) != 0;
        if (isFree(header) || length < 0 || length > 1 << 20 || (kind != 1 && kind != 2 && kind != 4)) {
            throw noText(object);
        }
        long letters = object + asciiBytes;
        if (!compact || !ascii) {
            letters += asciiBytes == 48 ? 24 : 16; // PyCompactUnicodeObject; it lost wstr_length in 3.12
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
