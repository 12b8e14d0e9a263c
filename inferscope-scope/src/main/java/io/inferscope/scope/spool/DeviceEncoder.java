package io.inferscope.scope.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.scope.spool.DeviceRecord.CallThread;
import io.inferscope.scope.spool.DeviceRecord.Configuration;
import io.inferscope.scope.spool.DeviceRecord.Lane;
import io.inferscope.scope.spool.DeviceRecord.Operation;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Writes device records. Streams and launch configurations that are new to the file are written before the record that
 * refers to them.
 */
final class DeviceEncoder {
    private static final String CLOCK_DOMAIN_NAME = "cupti";

    /**
     * The most streams, and the most launch configurations, that are remembered, so that memory is bounded. Any further
     * one is stored again at each use.
     */
    private static final int MAX_REMEMBERED = 1 << 16;

    private final RecordOutput out;
    private final StoredTexts texts;
    private final Map<Lane, Integer> lanes = new HashMap<>();
    private final Map<Configuration, Integer> configurations = new HashMap<>();
    private int nextLane = 1;
    private int nextConfiguration = 1;

    DeviceEncoder(RecordOutput out, StoredTexts texts) {
        this.out = out;
        this.texts = texts;
    }

    void encode(DeviceRecord entry) {
        if (entry instanceof DeviceRecord.Kernel kernel) {
            kernel(kernel);
        } else if (entry instanceof DeviceRecord.ApiCall call) {
            call(call);
        } else if (entry instanceof DeviceRecord.Memcpy copy) {
            copy(copy);
        } else if (entry instanceof DeviceRecord.Memset fill) {
            begin(MEMSET, fill.operation(), MEMSET_BYTES)
                    .i64(MEMSET_SIZE_BYTES, fill.sizeBytes())
                    .i32(MEMSET_VALUE, fill.value())
                    .u16(MEMSET_MEMORY_KIND, fill.memoryKind());
        } else if (entry instanceof DeviceRecord.Sync sync) {
            timed(SYNC, 0, SYNC_BYTES, sync.startCuptiNs(), sync.endCuptiNs(), sync.correlation())
                    .i32(SYNC_CONTEXT, sync.context())
                    .i32(SYNC_STREAM, sync.stream())
                    .i32(SYNC_EVENT, sync.event())
                    .i32(SYNC_KIND, sync.type());
        } else if (entry instanceof DeviceRecord.Marker marker) {
            marker(marker);
        } else {
            rare(entry);
        }
    }

    private void rare(DeviceRecord entry) {
        if (entry instanceof DeviceRecord.CudaEvent event) {
            out.record(CUDA_EVENT, 0, CUDA_EVENT_BYTES)
                    .i32(CUDA_EVENT_CORRELATION, event.correlation())
                    .i32(CUDA_EVENT_CONTEXT, event.context())
                    .i32(CUDA_EVENT_STREAM, event.stream())
                    .i32(CUDA_EVENT_EVENT, event.event());
        } else if (entry instanceof DeviceRecord.ExternalId external) {
            out.record(EXTERNAL_ID, 0, EXTERNAL_ID_BYTES)
                    .i64(EXTERNAL_ID_ID, external.id())
                    .i32(EXTERNAL_ID_CORRELATION, external.correlation())
                    .i32(EXTERNAL_ID_KIND, external.kind());
        } else if (entry instanceof DeviceRecord.RecorderTime time) {
            out.record(RECORDER_TIME, 0, RECORDER_TIME_BYTES)
                    .i64(RECORDER_TIME_START_CUPTI_NS, time.startCuptiNs())
                    .i64(RECORDER_TIME_END_CUPTI_NS, time.endCuptiNs())
                    .i32(RECORDER_TIME_KIND, time.kind())
                    .i32(RECORDER_TIME_TID, time.tid());
        } else if (entry instanceof DeviceRecord.Heard heard) {
            out.record(HEARD, 0, HEARD_BYTES).i64(HEARD_CUPTI_NS, heard.cuptiNs());
        } else if (entry instanceof DeviceRecord.Moment moment) {
            int domain = texts.id(CLOCK_DOMAIN_NAME);
            out.record(CLOCK, 0, CLOCK_WITH_TICKS_BYTES)
                    .i64(CLOCK_MONOTONIC_NS, moment.monotonicNs())
                    .i64(CLOCK_REALTIME_NS, moment.realtimeNs())
                    .i64(CLOCK_DOMAIN_TIME, moment.cuptiNs())
                    .i32(CLOCK_DOMAIN, domain)
                    .i32(CLOCK_UNCERTAINTY_NS, moment.uncertaintyNs())
                    .i64(CLOCK_TICKS, moment.ticks());
        } else if (entry instanceof DeviceRecord.Context context) {
            out.record(CONTEXT, 0, CONTEXT_BYTES)
                    .i32(CONTEXT_NUMBER, context.context())
                    .i32(CONTEXT_DEVICE, context.device());
        } else if (entry instanceof DeviceRecord.Device device) {
            device(device);
        }
    }

    private void device(DeviceRecord.Device device) {
        int name = texts.id(device.name());
        out.record(DEVICE, device.hidden() ? DEVICE_FLAG_HIDDEN : 0, DEVICE_BYTES)
                .i32(DEVICE_NUMBER, device.device())
                .i32(DEVICE_NAME, name)
                .u16(DEVICE_MAJOR, device.major())
                .u16(DEVICE_MINOR, device.minor())
                .i32(DEVICE_MULTIPROCESSORS, device.multiprocessors())
                .i64(DEVICE_MEMORY_BYTES, device.memoryBytes());
        id(DEVICE_ID, device.id());
        DeviceRecord.Instance instance = device.instance();
        if (instance != null) {
            id(DEVICE_INSTANCE_ID, instance.id());
            out.i32(DEVICE_GPU_INSTANCE, instance.gpuInstance())
                    .i32(DEVICE_COMPUTE_INSTANCE, instance.computeInstance());
        }
    }

    /** Writes the 16 bytes of an id in the order of its text form. */
    private void id(int field, UUID id) {
        out.i64(field, Long.reverseBytes(id.getMostSignificantBits()))
                .i64(field + Long.BYTES, Long.reverseBytes(id.getLeastSignificantBits()));
    }

    private void kernel(DeviceRecord.Kernel kernel) {
        int name = texts.id(kernel.name());
        int configuration = configuration(kernel.configuration());
        begin(KERNEL, kernel.operation(), KERNEL_BYTES).i32(KERNEL_NAME, name).i32(KERNEL_CONFIGURATION, configuration);
    }

    private void copy(DeviceRecord.Memcpy copy) {
        begin(MEMCPY, copy.operation(), MEMCPY_BYTES)
                .i64(MEMCPY_SIZE_BYTES, copy.sizeBytes())
                .u8(MEMCPY_DIRECTION, copy.direction())
                .u8(MEMCPY_FROM_KIND, copy.from())
                .u8(MEMCPY_TO_KIND, copy.to())
                .u8(MEMCPY_CUPTI_FLAGS, copy.flags())
                .u16(MEMCPY_FROM_DEVICE, copy.fromDevice())
                .u16(MEMCPY_TO_DEVICE, copy.toDevice());
    }

    private void call(DeviceRecord.ApiCall call) {
        int name = texts.id(call.name());
        int flags =
                (call.driver() ? API_CALL_FLAG_DRIVER : 0) | (call.thread().known() ? 0 : API_CALL_FLAG_THREAD_UNKNOWN);
        timed(API_CALL, flags, API_CALL_BYTES, call.startCuptiNs(), call.endCuptiNs(), call.correlation())
                .i32(API_CALL_TID, call.thread().id())
                .i32(API_CALL_NAME, name)
                .i32(API_CALL_RESULT, call.result());
    }

    private void marker(DeviceRecord.Marker marker) {
        int name = texts.id(marker.name());
        int domain = texts.id(marker.domain());
        CallThread thread = marker.thread();
        out.record(MARKER, marker.edge() | (thread.known() ? 0 : MARKER_FLAG_THREAD_UNKNOWN), MARKER_BYTES)
                .i64(MARKER_CUPTI_NS, marker.cuptiNs())
                .i32(MARKER_ID, marker.id())
                .i32(MARKER_TID, thread.id())
                .i32(MARKER_NAME, name)
                .i32(MARKER_DOMAIN, domain);
    }

    /**
     * Begins an operation's record. If a graph launched the operation, the graph's fields follow the {@code bytes} of
     * the record.
     */
    private RecordOutput begin(int type, Operation operation, int bytes) {
        int lane = lane(operation.lane());
        boolean graph = operation.graphNode() != 0;
        timed(
                        type,
                        0,
                        graph ? bytes + GRAPH_BYTES : bytes,
                        operation.startCuptiNs(),
                        operation.endCuptiNs(),
                        operation.correlation())
                .i32(OPERATION_LANE, lane);
        return graph
                ? out.i64(bytes + GRAPH_NODE, operation.graphNode()).i32(bytes + GRAPH_ID, operation.graph())
                : out;
    }

    private RecordOutput timed(int type, int flags, int bytes, long startCuptiNs, long endCuptiNs, int correlation) {
        return out.record(type, flags, bytes)
                .i64(TIMED_START_CUPTI_NS, startCuptiNs)
                .i64(TIMED_END_CUPTI_NS, endCuptiNs)
                .i32(TIMED_CORRELATION, correlation);
    }

    private int lane(Lane lane) {
        Integer known = lanes.get(lane);
        if (known != null) {
            return known;
        }
        out.record(LANE, 0, LANE_BYTES)
                .i32(LANE_ID, nextLane)
                .i32(LANE_DEVICE, lane.device())
                .i32(LANE_CONTEXT, lane.context())
                .i32(LANE_STREAM, lane.stream());
        if (lanes.size() < MAX_REMEMBERED) {
            lanes.put(lane, nextLane);
        }
        return nextLane++;
    }

    private int configuration(Configuration configuration) {
        Integer known = configurations.get(configuration);
        if (known != null) {
            return known;
        }
        out.record(CONFIGURATION, 0, CONFIGURATION_BYTES)
                .i32(CONFIGURATION_ID, nextConfiguration)
                .i32(CONFIGURATION_GRID_X, configuration.gridX())
                .i32(CONFIGURATION_GRID_Y, configuration.gridY())
                .i32(CONFIGURATION_GRID_Z, configuration.gridZ())
                .i32(CONFIGURATION_BLOCK_X, configuration.blockX())
                .i32(CONFIGURATION_BLOCK_Y, configuration.blockY())
                .i32(CONFIGURATION_BLOCK_Z, configuration.blockZ())
                .i32(CONFIGURATION_REGISTERS, configuration.registers())
                .i32(CONFIGURATION_STATIC_SHARED_BYTES, configuration.staticSharedBytes())
                .i32(CONFIGURATION_DYNAMIC_SHARED_BYTES, configuration.dynamicSharedBytes());
        if (configurations.size() < MAX_REMEMBERED) {
            configurations.put(configuration, nextConfiguration);
        }
        return nextConfiguration++;
    }
}
