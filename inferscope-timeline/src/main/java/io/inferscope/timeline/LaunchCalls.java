package io.inferscope.timeline;

import java.util.regex.Pattern;

/**
 * The calls that submit work to a device: the names of CUDA 13, HIP 7 and MUSA 4, of Intel's Unified Runtime and Level
 * Zero, of Vulkan and OpenCL, of CANN, CNRT, Enflame's TOPS, Meta's MTIA and Habana's SynapseAI. A host function that waits in a stream for
 * its turn ({@code cuLaunchHostFunc}) is no work of the device.
 */
public final class LaunchCalls {
    private static final Pattern NAMES = Pattern.compile(String.join(
            "|",
            "(cuda|hip|cu|musa|mu|mc|tops)(Ext)?(Module)?(Launch(Cooperative)?Kernel|GraphLaunch|GraphUpload).*",
            "(cuda|hip|cu|musa|mu|mc|tops)Memcpy(?!Batch).*Async.*",
            "(cuda|hip|cu|musa|mu|mc|tops)Memset.*",
            "hipMemcpyWithStream",
            "(cu|mu)Launch(?!HostFunc).*",
            "(ur|pi)Enqueue(?!Events?Wait|DeviceGlobal).*",
            "zeCommandListAppend(Launch|Memory(Copy|Fill)).*",
            "(AscendCL|Runtime|Node)@(launch|KernelLaunch.*|aclrtMemcpyAsync|aclrtMemsetAsync)",
            "aclrt(LaunchKernel|MemcpyAsync|MemsetAsync).*",
            "cn(rt)?(InvokeKernel|Memcpy.*Async|Memset).*",
            "runFunction( .*)?|enqueueCommand memcpy.*",
            "vkQueueSubmit2?(KHR)?|clEnqueue(NDRangeKernel|(Copy|Fill|Read|Write)(Buffer|Image)).*",
            "Launch|syn(Launch|MemCopyAsync|Memset).*"));

    private static final Pattern COPY = Pattern.compile("(?i)mem_?cpy|mem(ory)?_?copy|memBuffer(copy|read|write)");
    private static final Pattern SET = Pattern.compile("(?i)mem_?set|fill");

    private LaunchCalls() {}

    /** Returns whether a call of this name submits work. */
    public static boolean contains(String name) {
        return NAMES.matcher(name).matches();
    }

    /** Returns the kind of operation that a call of this name submits: a copy, a memset, else a kernel. */
    public static RowKind operation(String name) {
        if (COPY.matcher(name).find()) {
            return RowKind.MEMCPY_OTHER;
        }
        return SET.matcher(name).find() ? RowKind.MEMSET : RowKind.KERNEL;
    }
}
