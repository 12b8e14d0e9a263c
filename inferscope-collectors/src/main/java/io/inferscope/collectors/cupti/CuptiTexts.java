package io.inferscope.collectors.cupti;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;
import org.jspecify.annotations.Nullable;

/**
 * Texts that CUPTI owns. Names of kernels are found by address and checked by content, because addresses are reused.
 */
final class CuptiTexts {
    private static final int MAX_REMEMBERED = 1 << 14;

    private static final String MANGLED = "_Z"; // Itanium C++ ABI, 5.1.2

    /** The C++ library's demangler; without one, names stay mangled. */
    private final @Nullable Function demangle = find();

    private final Map<Long, Named> names = new HashMap<>();

    /** The original name at an address, and the shown name. */
    private record Named(BytePointer copy, String shown) {}

    /** Returns a kernel's name, demangled; empty for none. */
    String of(@Nullable BytePointer name) {
        if (name == null || name.isNull()) {
            return "";
        }
        Named known = names.get(name.address());
        if (known != null && BytePointer.strcmp(known.copy(), name) == 0) {
            return known.shown();
        }
        String shown = demangled(text(name));
        if (known != null) {
            known.copy().deallocate();
        }
        if (known != null || names.size() < MAX_REMEMBERED) {
            names.put(name.address(), new Named(new BytePointer(name.getStringBytes()), shown));
        }
        return shown;
    }

    /** Returns a text without caching it; empty for none. */
    static String text(@Nullable BytePointer text) {
        return text == null || text.isNull() ? "" : text.getString(StandardCharsets.UTF_8);
    }

    /** Forgets everything. */
    void clear() {
        names.values().forEach(named -> named.copy().deallocate());
        names.clear();
    }

    private static @Nullable Function find() {
        try {
            return NativeLibrary.getInstance("libstdc++.so.6").getFunction("__cxa_demangle");
        } catch (UnsatisfiedLinkError none) {
            return null;
        }
    }

    private String demangled(String name) {
        if (demangle == null || !name.startsWith(MANGLED)) {
            return name;
        }
        int[] status = {-1};
        Pointer text = demangle.invokePointer(new Object[] {name, Pointer.NULL, Pointer.NULL, status});
        if (text == null) {
            return name;
        }
        String readable = status[0] == 0 ? text.getString(0, "UTF-8") : name;
        Native.free(Pointer.nativeValue(text));
        return readable;
    }
}
