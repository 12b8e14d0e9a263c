package io.inferscope.collectors.nvml;

import com.sun.jna.NativeLibrary;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/** Which functions a native library has: those of NVML differ from driver to driver. Not thread-safe. */
final class Functions {
    private static final int SUCCESS = 0; // NVML_SUCCESS

    private final NativeLibrary library;
    private final Map<String, Boolean> known = new HashMap<>();

    Functions(NativeLibrary library) {
        this.library = library;
    }

    boolean has(String name) {
        return known.computeIfAbsent(name, this::lookUp);
    }

    private boolean lookUp(String name) {
        try {
            return library.getFunction(name) != null;
        } catch (UnsatisfiedLinkError missing) {
            return false;
        }
    }

    /** Calls a function if there is one; returns true when there is none, or it says that it cannot. */
    boolean refuses(String name, IntSupplier call) {
        return !has(name) || call.getAsInt() != SUCCESS;
    }
}
