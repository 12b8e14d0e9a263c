package io.inferscope.scope.spool;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One of the device records of docs/spool-format.md. Stamps named {@code cuptiNs} are of CUPTI's clock, which follows
 * Unix time; a {@link Moment} later in the file maps them to the other clocks. Numbers of kinds are CUPTI's own. A
 * {@code graphNode} of 0 means that no graph replayed the operation.
 */
public sealed interface DeviceRecord extends SpoolRecord {
    /** A stream, by CUPTI's numbers of device, context and stream. */
    record Lane(int device, int context, int stream) {}

    /** How a kernel was launched: threads and blocks, registers per thread, shared memory in bytes. */
    record Configuration(
            int gridX,
            int gridY,
            int gridZ,
            int blockX,
            int blockY,
            int blockZ,
            int registers,
            int staticSharedBytes,
            int dynamicSharedBytes) {}

    /**
     * The fields that all operations of a device have. {@code correlation} is the correlation number of the call that
     * caused the operation.
     */
    record Operation(long startCuptiNs, long endCuptiNs, int correlation, Lane lane, long graphNode, int graph) {}

    /** A kernel; its name is demangled. */
    record Kernel(Operation operation, String name, Configuration configuration) implements DeviceRecord {}

    /**
     * A copy.
     *
     * @param operation its stamps and stream
     * @param sizeBytes number of bytes copied
     * @param direction kind of copy, as CUPTI numbers them
     * @param from kind of the memory read
     * @param to kind of the memory written
     * @param flags CUPTI's flags of the copy
     * @param fromDevice device read, 0 unless it is between devices
     * @param toDevice device written, 0 unless it is between devices
     */
    record Memcpy(
            Operation operation,
            long sizeBytes,
            int direction,
            int from,
            int to,
            int flags,
            int fromDevice,
            int toDevice)
            implements DeviceRecord {}

    /** A fill of {@code sizeBytes} with {@code value}. */
    record Memset(Operation operation, long sizeBytes, int value, int memoryKind) implements DeviceRecord {}

    /**
     * The thread of a call.
     *
     * @param id kernel thread id, or the low half of the pthread id if the kernel's is no longer known
     * @param known whether {@code id} is the kernel's
     */
    record CallThread(int id, boolean known) {}

    /** A call of CUDA's runtime, or of its driver; {@code result} is what it returned. */
    record ApiCall(
            boolean driver,
            long startCuptiNs,
            long endCuptiNs,
            int correlation,
            CallThread thread,
            String name,
            int result)
            implements DeviceRecord {}

    /**
     * A synchronisation; {@code stream} -1 = all streams, {@code type} 1 event, 2 stream waits for event, 3 stream, 4
     * context.
     */
    record Sync(long startCuptiNs, long endCuptiNs, int correlation, int context, int stream, int event, int type)
            implements DeviceRecord {}

    /** Time that CUPTI itself took; {@code tid} 0 = not on one particular thread. */
    record RecorderTime(long startCuptiNs, long endCuptiNs, int kind, int tid) implements DeviceRecord {}

    /** A framework's own id of the call with that correlation. */
    record ExternalId(long id, int correlation, int kind) implements DeviceRecord {}

    /** The recording of a CUDA event on a stream, by the call with this correlation number. */
    record CudaEvent(int correlation, int context, int stream, int event) implements DeviceRecord {}

    /** An NVTX mark, or one end of an NVTX range: {@code edge} 0 instant, 1 begins, 2 ends. */
    record Marker(int edge, long cuptiNs, int id, CallThread thread, String name, String domain)
            implements DeviceRecord {}

    /**
     * A device.
     *
     * @param device its number in this process
     * @param name its name according to the driver
     * @param major compute capability
     * @param minor compute capability
     * @param multiprocessors number of streaming multiprocessors
     * @param memoryBytes its memory
     * @param id its unique id, all zeros where that is unknown
     * @param instance the MIG instance that the process uses, if the device is divided by MIG
     * @param hidden whether CUDA_VISIBLE_DEVICES hides it from the program; its number is meaningless then
     */
    record Device(
            int device,
            String name,
            int major,
            int minor,
            int multiprocessors,
            long memoryBytes,
            UUID id,
            @Nullable Instance instance,
            boolean hidden)
            implements DeviceRecord {}

    /** A MIG instance: its unique id, and the numbers of its GPU instance and compute instance. */
    record Instance(UUID id, int gpuInstance, int computeInstance) {}

    /** A CUDA context and its device. */
    record Context(int context, int device) implements DeviceRecord {}

    /**
     * CUPTI recorded a call that the recorder made as a test. This proves that the recorder receives CUPTI's records.
     */
    record Heard(long cuptiNs) implements DeviceRecord {}

    /**
     * One moment on several clocks.
     *
     * @param monotonicNs CLOCK_MONOTONIC
     * @param realtimeNs CLOCK_REALTIME
     * @param cuptiNs CUPTI's clock
     * @param ticks the processor's time stamp counter, 0 = not read
     * @param uncertaintyNs half the time between the first and the last reading of the clocks
     */
    record Moment(long monotonicNs, long realtimeNs, long cuptiNs, long ticks, int uncertaintyNs)
            implements DeviceRecord {}
}
