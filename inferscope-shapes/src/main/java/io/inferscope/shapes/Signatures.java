package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The different signatures of calls: operator, names, types and sizes of inputs and outputs, failure. The growing cache
 * of keys and values gives a language model new signatures in nearly every pass. So each is stored in some 40 bytes
 * without an object, its numbers in a variable length of seven bits a byte:
 *
 * <pre>
 *   operator, error type, error message, inputs { name, type, rank, sizes + 1 ... }, outputs { ... }
 * </pre>
 */
final class Signatures {
    /** Returned when the table has no room for a new signature. */
    static final int FULL = -1;

    private static final int MAX_NAMES = 20_000;
    private static final int MAX_ARENA_BYTES = 40 << 20;

    private final TextIds texts = new TextIds(MAX_NAMES);
    private final TextIds operations = new TextIds(MAX_NAMES);
    private final int limit;
    private byte[] arena = new byte[1 << 12];
    private int[] starts = new int[64];
    private int[] hashes = new int[64];
    private int[] slots = new int[256];
    private int count;
    private byte[] scratch = new byte[256];
    private int at;

    /** Makes a table of at most {@code limit} signatures. */
    Signatures(int limit) {
        this.limit = limit;
    }

    int size() {
        return count;
    }

    int operation(String name) {
        return operations.id(name);
    }

    String operationName(int operation) {
        return operations.text(operation);
    }

    int operationCount() {
        return operations.size();
    }

    /**
     * Returns the number of a signature. A new signature gets the {@link #size} before it was added, or {@link #FULL}
     * when there is no room.
     */
    int add(Call call) {
        encode(call);
        int hash = hash();
        int slot = hash & (slots.length - 1);
        while (slots[slot] != 0) {
            int id = slots[slot] - 1;
            if (hashes[id] == hash && Arrays.equals(arena, starts[id], starts[id + 1], scratch, 0, at)) {
                return id;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        if (count >= limit || starts[count] + at > MAX_ARENA_BYTES) {
            return FULL;
        }
        slots[slot] = count + 1;
        store(hash);
        return count++;
    }

    private void store(int hash) {
        int end = starts[count] + at;
        if (end > arena.length) {
            arena = Arrays.copyOf(arena, Math.max(end, arena.length + arena.length / 2));
        }
        if (count + 2 > starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            hashes = Arrays.copyOf(hashes, 2 * hashes.length);
        }
        System.arraycopy(scratch, 0, arena, starts[count], at);
        starts[count + 1] = end;
        hashes[count] = hash;
        if (2 * (count + 1) > slots.length) {
            slots = new int[2 * slots.length];
            for (int id = 0; id <= count; id++) {
                enter(id);
            }
        }
    }

    private void enter(int id) {
        int slot = hashes[id] & (slots.length - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = id + 1;
    }

    private int hash() {
        int hash = at;
        for (int i = 0; i < at; i++) {
            hash = hash * 31 + scratch[i];
        }
        hash *= 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    private void encode(Call call) {
        at = 0;
        put(operations.id(call.operation()));
        put(texts.id(call.errorType()));
        put(texts.id(call.errorMessage()));
        encode(call.inputs());
        encode(call.outputs());
    }

    private void encode(List<ShapeTensor> tensors) {
        put(tensors.size());
        for (ShapeTensor tensor : tensors) {
            put(texts.id(tensor.name()));
            put(texts.id(tensor.dtype()));
            put(tensor.dims().size());
            tensor.dims().forEach(size -> put(size + 1));
        }
    }

    private void put(long value) {
        if (at + 10 > scratch.length) {
            scratch = Arrays.copyOf(scratch, 2 * scratch.length);
        }
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            scratch[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        scratch[at++] = (byte) rest;
    }

    int operationOf(int id) {
        return (int) new Cursor(starts[id]).next();
    }

    /** Returns the call with this signature as it was logged. */
    Call get(int id) {
        Cursor cursor = new Cursor(starts[id]);
        String operation = operations.text((int) cursor.next());
        String errorType = texts.text((int) cursor.next());
        String errorMessage = texts.text((int) cursor.next());
        return new Call(operation, tensors(cursor), tensors(cursor), errorType, errorMessage);
    }

    private List<ShapeTensor> tensors(Cursor cursor) {
        List<ShapeTensor> tensors = new ArrayList<>();
        for (long i = cursor.next(); i > 0; i--) {
            String name = texts.text((int) cursor.next());
            String dtype = texts.text((int) cursor.next());
            List<Long> dims = new ArrayList<>();
            for (long rank = cursor.next(); rank > 0; rank--) {
                dims.add(cursor.next() - 1);
            }
            tensors.add(new ShapeTensor(name, dtype, dims));
        }
        return tensors;
    }

    private final class Cursor {
        private int at;

        Cursor(int at) {
            this.at = at;
        }

        long next() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte b = arena[at++];
                value |= (long) (b & 0x7f) << shift;
                if (b >= 0) {
                    return value;
                }
            }
        }
    }
}
