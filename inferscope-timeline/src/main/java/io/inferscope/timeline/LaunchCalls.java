package io.inferscope.timeline;

import java.util.regex.Pattern;

/**
 * The calls of the CUDA and HIP runtime and driver APIs that submit work to a device: the names of CUDA 13 and HIP 7. A
 * host function that waits in a stream for its turn ({@code cuLaunchHostFunc}) is no work of the device.
 */
public final class LaunchCalls {
    private static final Pattern NAMES = Pattern.compile(
            "(cuda|hip|cu)(Ext)?(Module)?(Launch(Cooperative)?Kernel|GraphLaunch|GraphUpload).*|(cuda|hip|cu)Memcpy(?!Batch).*Async.*|(cuda|hip|cu)Memset.*|hipMemcpyWithStream|cuLaunch(?!HostFunc).*");

    private LaunchCalls() {}

    /** Returns whether a call of this name submits work. */
    public static boolean contains(String name) {
        return NAMES.matcher(name).matches();
    }

    /** Returns the kind of operation that a call of this name submits: a copy, a memset, else a kernel. */
    public static RowKind operation(String name) {
        if (name.contains("Memcpy")) {
            return RowKind.MEMCPY_OTHER;
        }
        return name.contains("Memset") ? RowKind.MEMSET : RowKind.KERNEL;
    }
}
