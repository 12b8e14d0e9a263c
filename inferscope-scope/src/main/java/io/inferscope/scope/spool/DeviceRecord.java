package io.inferscope.scope.spool;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One of the device records of docs/spool-format.md. Stamps named {@code cuptiNs} are of CUPTI's clock, which follows Unix time; a
 * {@link Moment} that lies behind them in the file maps them. Numbers of kinds are CUPTI's own. A {@code graphNode} of 0 means that no graph
 * replayed the operation.
 */
public sealed interface DeviceRecord extends SpoolRecord {
    /** A stream, by CUPTI's numbers of device, context and stream. */
    record Lane(int device, int context, int stream) {}

    /** How a kernel was launched: threads and blocks, registers per thread, shared memory in bytes. */
    record Shape(
            int gridX,
            int gridY,
            int gridZ,
            int blockX,
            int blockY,
            int blockZ,
            int registers,
            int staticSharedBytes,
            int dynamicSharedBytes) {}

    /** What operations of a device have in common. {@code correlation} is that of the call that caused it. */
    record Operation(long startCuptiNs, long endCuptiNs, int correlation, Lane lane, long graphNode, int graph) {}

    /** A kernel; its name is demangled. */
    record Kernel(Operation operation, String name, Shape shape) implements DeviceRecord {}

    /**
     * A copy.
     *
     * @param operation its stamps and stream
     * @param sizeBytes how much
     * @param direction CUPTI's kind of copy
     * @param from kind of the memory read
     * @param to kind of the memory written
     * @param flags CUPTI's
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
     * @param id kernel thread id; where it is not known any more, the low half of the pthread id
     * @param known whether it is the kernel's
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

    /** A synchronisation; {@code stream} -1 = all streams, {@code type} 1 event, 2 stream waits for event, 3 stream, 4 context. */
    record Sync(long startCuptiNs, long endCuptiNs, int correlation, int context, int stream, int event, int type)
            implements DeviceRecord {}

    /** Time that CUPTI itself took; {@code tid} 0 = of no one thread. */
    record RecorderTime(long startCuptiNs, long endCuptiNs, int kind, int tid) implements DeviceRecord {}

    /** A framework's own id of the call with that correlation. */
    record ExternalId(long id, int correlation, int kind) implements DeviceRecord {}

    /** The recording of a CUDA event on a stream, by the call with that correlation. */
    record CudaEvent(int correlation, int context, int stream, int event) implements DeviceRecord {}

    /** An NVTX mark, or one end of an NVTX range: {@code edge} 0 instant, 1 begins, 2 ends. */
    record Marker(int edge, long cuptiNs, int id, CallThread thread, String name, String domain)
            implements DeviceRecord {}

    /**
     * A device.
     *
     * @param device its number, as the process counts
     * @param name what the driver calls it
     * @param major compute capability
     * @param minor compute capability
     * @param multiprocessors how many
     * @param memoryBytes how much memory it has
     * @param id its unique id, all zeros where that is unknown
     * @param instance which part of it the process has, where it is divided by MIG
     * @param hidden whether CUDA_VISIBLE_DEVICES hides it from the program; its number means nothing then
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

    /** An instance of MIG: its unique id, and the numbers of its GPU and compute instances. */
    record Instance(UUID id, int gpuInstance, int computeInstance) {}

    /** A context and the device it is on. */
    record Context(int context, int device) implements DeviceRecord {}

    /** A call that the recorder itself made was recorded: the recorder receives CUPTI's records. */
    record Heard(long cuptiNs) implements DeviceRecord {}

    /**
     * One moment on several clocks.
     *
     * @param monotonicNs CLOCK_MONOTONIC
     * @param realtimeNs CLOCK_REALTIME
     * @param cuptiNs CUPTI's clock
     * @param ticks the processor's counter, 0 = not read
     * @param uncertaintyNs half the bracket in which they were read
     */
    record Moment(long monotonicNs, long realtimeNs, long cuptiNs, long ticks, int uncertaintyNs)
            implements DeviceRecord {}
}
