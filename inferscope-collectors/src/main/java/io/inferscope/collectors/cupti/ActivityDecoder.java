package io.inferscope.collectors.cupti;

import io.inferscope.scope.spool.DeviceRecord;
import io.inferscope.scope.spool.DeviceRecord.CallThread;
import io.inferscope.scope.spool.DeviceRecord.Configuration;
import io.inferscope.scope.spool.DeviceRecord.Lane;
import io.inferscope.scope.spool.DeviceRecord.Operation;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cupti.CUpti_Activity;
import org.bytedeco.cuda.cupti.CUpti_ActivityAPI;
import org.bytedeco.cuda.cupti.CUpti_ActivityContext4;
import org.bytedeco.cuda.cupti.CUpti_ActivityCudaEvent2;
import org.bytedeco.cuda.cupti.CUpti_ActivityDevice5;
import org.bytedeco.cuda.cupti.CUpti_ActivityExternalCorrelation;
import org.bytedeco.cuda.cupti.CUpti_ActivityKernel11;
import org.bytedeco.cuda.cupti.CUpti_ActivityMarker2;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemcpy6;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemcpyPtoP4;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemset4;
import org.bytedeco.cuda.cupti.CUpti_ActivityOverhead3;
import org.bytedeco.cuda.cupti.CUpti_ActivitySynchronization2;
import org.bytedeco.cuda.global.cupti;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * Converts CUPTI's activity records to device records of the spool, through the presets' structures. The presets are
 * made for one version of CUPTI, whereas another may be loaded. Only fields with equal offsets in all versions since
 * CUDA 12 are read, so a record needs to be only as long as these.
 */
final class ActivityDecoder {
    private static final CallThread NO_THREAD = new CallThread(0, true);

    private final Map<Integer, Integer> bytesRead = new HashMap<>();
    private final CuptiTexts names;
    private final CallNames runtimeCalls;
    private final CallNames driverCalls;
    private final ThreadIds threads;
    private final int ownPthreadLow;

    /** {@code ownPthreadLow} names the recorder's own thread, whose calls show that records arrive. */
    ActivityDecoder(
            CuptiTexts names, CallNames runtimeCalls, CallNames driverCalls, ThreadIds threads, int ownPthreadLow) {
        this.names = names;
        this.runtimeCalls = runtimeCalls;
        this.driverCalls = driverCalls;
        this.threads = threads;
        this.ownPthreadLow = ownPthreadLow;
        reads(cupti.CUPTI_ACTIVITY_KIND_KERNEL, CUpti_ActivityKernel11.class, "graphId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUpti_ActivityKernel11.class, "graphId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_MEMCPY, CUpti_ActivityMemcpy6.class, "graphId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_MEMCPY2, CUpti_ActivityMemcpyPtoP4.class, "graphId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_MEMSET, CUpti_ActivityMemset4.class, "graphId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_RUNTIME, CUpti_ActivityAPI.class, "returnValue", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_DRIVER, CUpti_ActivityAPI.class, "returnValue", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUpti_ActivitySynchronization2.class, "cudaEventId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_OVERHEAD, CUpti_ActivityOverhead3.class, "end", 8);
        reads(cupti.CUPTI_ACTIVITY_KIND_MARKER, CUpti_ActivityMarker2.class, "domain", 8);
        reads(
                cupti.CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                CUpti_ActivityExternalCorrelation.class,
                "correlationId",
                4);
        reads(cupti.CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUpti_ActivityCudaEvent2.class, "eventId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_CONTEXT, CUpti_ActivityContext4.class, "deviceId", 4);
        reads(cupti.CUPTI_ACTIVITY_KIND_DEVICE, CUpti_ActivityDevice5.class, "migUuid", RareRecords.UUID_BYTES);
    }

    private void reads(int kind, Class<? extends Pointer> structure, String lastField, int itsBytes) {
        bytesRead.put(kind, Loader.offsetof(structure, lastField) + itsBytes);
    }

    /** Returns how many bytes of a record of that kind are read, 0 for an unused kind. */
    int bytesRead(int kind) {
        return bytesRead.getOrDefault(kind, 0);
    }

    /**
     * Returns the device record of an activity record, null if it is not kept. All bytes that are read must be in the
     * buffer.
     */
    @Nullable
    DeviceRecord decode(CUpti_Activity record) {
        return switch (record.kind()) {
            case cupti.CUPTI_ACTIVITY_KIND_KERNEL, cupti.CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ->
                kernel(new CUpti_ActivityKernel11(record));
            case cupti.CUPTI_ACTIVITY_KIND_MEMCPY -> copy(new CUpti_ActivityMemcpy6(record));
            case cupti.CUPTI_ACTIVITY_KIND_MEMCPY2 -> peerCopy(new CUpti_ActivityMemcpyPtoP4(record));
            case cupti.CUPTI_ACTIVITY_KIND_MEMSET -> fill(new CUpti_ActivityMemset4(record));
            case cupti.CUPTI_ACTIVITY_KIND_RUNTIME -> call(new CUpti_ActivityAPI(record), false);
            case cupti.CUPTI_ACTIVITY_KIND_DRIVER -> call(new CUpti_ActivityAPI(record), true);
            case cupti.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION -> sync(new CUpti_ActivitySynchronization2(record));
            case cupti.CUPTI_ACTIVITY_KIND_MARKER -> marker(new CUpti_ActivityMarker2(record));
            case cupti.CUPTI_ACTIVITY_KIND_OVERHEAD -> recorderTime(new CUpti_ActivityOverhead3(record));
            default -> RareRecords.decode(record);
        };
    }

    private DeviceRecord kernel(CUpti_ActivityKernel11 from) {
        Lane lane = new Lane(from.deviceId(), from.contextId(), from.streamId());
        Configuration configuration = new Configuration(
                from.gridX(),
                from.gridY(),
                from.gridZ(),
                from.blockX(),
                from.blockY(),
                from.blockZ(),
                from.registersPerThread() & 0xffff,
                from.staticSharedMemory(),
                from.dynamicSharedMemory());
        Operation operation =
                new Operation(from.start(), from.end(), from.correlationId(), lane, from.graphNodeId(), from.graphId());
        return new DeviceRecord.Kernel(operation, names.of(from.name()), configuration);
    }

    private static DeviceRecord copy(CUpti_ActivityMemcpy6 from) {
        Lane lane = new Lane(from.deviceId(), from.contextId(), from.streamId());
        Operation operation =
                new Operation(from.start(), from.end(), from.correlationId(), lane, from.graphNodeId(), from.graphId());
        return new DeviceRecord.Memcpy(
                operation, from.bytes(), from.copyKind(), from.srcKind(), from.dstKind(), from.flags(), 0, 0);
    }

    private static DeviceRecord peerCopy(CUpti_ActivityMemcpyPtoP4 from) {
        Lane lane = new Lane(from.deviceId(), from.contextId(), from.streamId());
        Operation operation =
                new Operation(from.start(), from.end(), from.correlationId(), lane, from.graphNodeId(), from.graphId());
        return new DeviceRecord.Memcpy(
                operation,
                from.bytes(),
                from.copyKind(),
                from.srcKind(),
                from.dstKind(),
                from.flags(),
                from.srcDeviceId(),
                from.dstDeviceId());
    }

    private static DeviceRecord fill(CUpti_ActivityMemset4 from) {
        Lane lane = new Lane(from.deviceId(), from.contextId(), from.streamId());
        Operation operation =
                new Operation(from.start(), from.end(), from.correlationId(), lane, from.graphNodeId(), from.graphId());
        return new DeviceRecord.Memset(operation, from.bytes(), from.value(), from.memoryKind());
    }

    private @Nullable DeviceRecord call(CUpti_ActivityAPI from, boolean driver) {
        int thread = from.threadId();
        if (thread == ownPthreadLow) {
            return new DeviceRecord.Heard(from.start());
        }
        CallNames.Call call = (driver ? driverCalls : runtimeCalls).of(from.cbid());
        if (call.isNoisy()) {
            return null;
        }
        return new DeviceRecord.ApiCall(
                driver,
                from.start(),
                from.end(),
                from.correlationId(),
                threads.of(thread),
                call.name(),
                from.returnValue());
    }

    private static DeviceRecord sync(CUpti_ActivitySynchronization2 from) {
        return new DeviceRecord.Sync(
                from.start(),
                from.end(),
                from.correlationId(),
                from.contextId(),
                from.streamId(),
                from.cudaEventId(),
                from.type());
    }

    private DeviceRecord recorderTime(CUpti_ActivityOverhead3 from) {
        boolean ofThread = from.objectKind() == cupti.CUPTI_ACTIVITY_OBJECT_THREAD;
        CallThread thread = ofThread ? threads.of(from.objectId().pt_threadId()) : NO_THREAD;
        return new DeviceRecord.RecorderTime(
                from.start(), from.end(), from.overheadKind(), thread.known() ? thread.id() : 0);
    }

    private DeviceRecord marker(CUpti_ActivityMarker2 from) {
        boolean ofThread = from.objectKind() == cupti.CUPTI_ACTIVITY_OBJECT_THREAD;
        int flags = from.flags();
        int edge = (flags & cupti.CUPTI_ACTIVITY_FLAG_MARKER_START) != 0
                ? 1
                : (flags & cupti.CUPTI_ACTIVITY_FLAG_MARKER_END) != 0 ? 2 : 0;
        return new DeviceRecord.Marker(
                edge,
                from.timestamp(),
                from.id(),
                ofThread ? threads.of(from.objectId().pt_threadId()) : NO_THREAD,
                CuptiTexts.text(from.name()),
                CuptiTexts.text(from.domain()));
    }
}
