package io.inferscope.collectors.os;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Finds which functions a native library has: NVML and CUPTI differ between versions. Not thread-safe. */
public final class NativeFunctions {
    private static final int SUCCESS = 0; // NVML_SUCCESS, CUPTI_SUCCESS, CUDA_SUCCESS

    private final NativeLibrary library;
    private final Map<String, @Nullable Function> known = new HashMap<>();

    private NativeFunctions(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Opens a library, by name or by path.
     *
     * @throws UnsatisfiedLinkError when it cannot be loaded
     */
    public static NativeFunctions of(String library) {
        return new NativeFunctions(NativeLibrary.getInstance(library));
    }

    /** Returns whether the library has a function. */
    public boolean has(String name) {
        return find(name) != null;
    }

    private @Nullable Function find(String name) {
        if (!known.containsKey(name)) {
            known.put(name, lookUp(name));
        }
        return known.get(name);
    }

    private @Nullable Function lookUp(String name) {
        try {
            return library.getFunction(name);
        } catch (UnsatisfiedLinkError missing) {
            return null;
        }
    }

    /** Calls a function if it exists; returns true if it does not exist or fails. */
    public boolean refuses(String name, IntSupplier call) {
        return !has(name) || call.getAsInt() != SUCCESS;
    }

    /** Calls {@code int name(int *)} and returns what it stored, 0 when there is no such function or it failed. */
    public int storedInt(String name) {
        Function function = find(name);
        int[] value = new int[1];
        return function != null && function.invokeInt(new Object[] {value}) == SUCCESS ? value[0] : 0;
    }
}
