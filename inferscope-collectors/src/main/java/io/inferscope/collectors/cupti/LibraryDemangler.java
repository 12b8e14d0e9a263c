package io.inferscope.collectors.cupti;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/** The C++ library's demangler; without one, names stay mangled. */
final class LibraryDemangler {
    private static final String MANGLED = "_Z"; // Itanium C++ ABI, 5.1.2

    private final @Nullable Function demangle = find();

    private static @Nullable Function find() {
        try {
            return NativeLibrary.getInstance("libstdc++.so.6").getFunction("__cxa_demangle");
        } catch (UnsatisfiedLinkError none) {
            return null;
        }
    }

    String demangled(String name) {
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
