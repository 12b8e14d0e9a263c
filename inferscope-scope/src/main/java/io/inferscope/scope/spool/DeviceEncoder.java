package io.inferscope.scope.spool;

import io.inferscope.scope.spool.DeviceRecord.CallThread;
import io.inferscope.scope.spool.DeviceRecord.Lane;
import io.inferscope.scope.spool.DeviceRecord.Operation;
import io.inferscope.scope.spool.DeviceRecord.Shape;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Lays device records out; streams and launch configurations that are new to the file before the record that names them. */
final class DeviceEncoder {
    private static final String CLOCK_DOMAIN = "cupti";
    private static final UUID UNKNOWN_ID = new UUID(0, 0);

    /** Streams, and launch configurations, remembered; a later one is stored again each time, so memory stays bounded. */
    private static final int MAX_REMEMBERED = 1 << 16;

    private final StoredTexts texts;
    private final Map<Lane, Integer> lanes = new HashMap<>();
    private final Map<Shape, Integer> shapes = new HashMap<>();
    private int nextLane = 1;
    private int nextShape = 1;
    private ByteBuffer out = ByteBuffer.allocate(0);

    DeviceEncoder(StoredTexts texts) {
        this.texts = texts;
    }

    void encode(DeviceRecord entry, ByteBuffer target) {
        out = target;
        if (entry instanceof DeviceRecord.Kernel kernel) {
            kernel(kernel);
        } else if (entry instanceof DeviceRecord.ApiCall call) {
            call(call);
        } else if (entry instanceof DeviceRecord.Memcpy copy) {
            copy(copy);
        } else if (entry instanceof DeviceRecord.Memset fill) {
            begin(SpoolFormat.MEMSET, fill.operation(), 48);
            out.putLong(fill.sizeBytes()).putInt(fill.value());
            out.putShort((short) fill.memoryKind()).putShort((short) 0);
            graph(fill.operation());
        } else if (entry instanceof DeviceRecord.Sync sync) {
            begin(SpoolFormat.SYNC, 0, 48);
            out.putLong(sync.startCuptiNs()).putLong(sync.endCuptiNs()).putInt(sync.correlation());
            out.putInt(sync.context()).putInt(sync.stream()).putInt(sync.event());
            out.putInt(sync.type()).putInt(0);
        } else if (entry instanceof DeviceRecord.Marker marker) {
            marker(marker);
        } else {
            rare(entry);
        }
    }

    private void rare(DeviceRecord entry) {
        if (entry instanceof DeviceRecord.CudaEvent event) {
            begin(SpoolFormat.CUDA_EVENT, 0, 24);
            out.putInt(event.correlation())
                    .putInt(event.context())
                    .putInt(event.stream())
                    .putInt(event.event());
        } else if (entry instanceof DeviceRecord.ExternalId external) {
            begin(SpoolFormat.EXTERNAL_ID, 0, 24);
            out.putLong(external.id()).putInt(external.correlation()).putInt(external.kind());
        } else if (entry instanceof DeviceRecord.RecorderTime time) {
            begin(SpoolFormat.RECORDER_TIME, 0, 32);
            out.putLong(time.startCuptiNs())
                    .putLong(time.endCuptiNs())
                    .putInt(time.kind())
                    .putInt(time.tid());
        } else if (entry instanceof DeviceRecord.Heard heard) {
            begin(SpoolFormat.HEARD, 0, 16);
            out.putLong(heard.cuptiNs());
        } else if (entry instanceof DeviceRecord.Moment moment) {
            int domain = texts.id(CLOCK_DOMAIN, out);
            begin(SpoolFormat.CLOCK, 0, 48);
            out.putLong(moment.monotonicNs()).putLong(moment.realtimeNs()).putLong(moment.cuptiNs());
            out.putInt(domain).putInt(moment.uncertaintyNs()).putLong(moment.ticks());
        } else if (entry instanceof DeviceRecord.Context context) {
            begin(SpoolFormat.CONTEXT, 0, 16);
            out.putInt(context.context()).putInt(context.device());
        } else if (entry instanceof DeviceRecord.Device device) {
            device(device);
        }
    }

    private void device(DeviceRecord.Device device) {
        int name = texts.id(device.name(), out);
        begin(SpoolFormat.DEVICE, device.hidden() ? SpoolFormat.FLAG_HIDDEN : 0, 72);
        out.putInt(device.device()).putInt(name);
        out.putShort((short) device.major()).putShort((short) device.minor());
        out.putInt(device.multiprocessors()).putLong(device.memoryBytes());
        id(device.id());
        DeviceRecord.Instance instance = device.instance();
        id(instance == null ? UNKNOWN_ID : instance.id());
        out.putInt(instance == null ? 0 : instance.gpuInstance());
        out.putInt(instance == null ? 0 : instance.computeInstance());
    }

    /** The 16 bytes of an id in the order in which it is written as text. */
    private void id(UUID id) {
        out.putLong(Long.reverseBytes(id.getMostSignificantBits()));
        out.putLong(Long.reverseBytes(id.getLeastSignificantBits()));
    }

    private void kernel(DeviceRecord.Kernel kernel) {
        int name = texts.id(kernel.name(), out);
        int shape = shape(kernel.shape());
        begin(SpoolFormat.KERNEL, kernel.operation(), 40);
        out.putInt(name).putInt(shape);
        graph(kernel.operation());
    }

    private void copy(DeviceRecord.Memcpy copy) {
        begin(SpoolFormat.MEMCPY, copy.operation(), 48);
        out.putLong(copy.sizeBytes());
        out.put((byte) copy.direction()).put((byte) copy.from()).put((byte) copy.to());
        out.put((byte) copy.flags()).putShort((short) copy.fromDevice()).putShort((short) copy.toDevice());
        graph(copy.operation());
    }

    private void call(DeviceRecord.ApiCall call) {
        int name = texts.id(call.name(), out);
        begin(SpoolFormat.API_CALL, (call.driver() ? SpoolFormat.FLAG_DRIVER : 0) | flags(call.thread()), 40);
        out.putLong(call.startCuptiNs()).putLong(call.endCuptiNs()).putInt(call.correlation());
        out.putInt(call.thread().id()).putInt(name).putInt(call.result());
    }

    private void marker(DeviceRecord.Marker marker) {
        int name = texts.id(marker.name(), out);
        int domain = texts.id(marker.domain(), out);
        begin(SpoolFormat.MARKER, marker.edge() | flags(marker.thread()), 32);
        out.putLong(marker.cuptiNs()).putInt(marker.id()).putInt(marker.thread().id());
        out.putInt(name).putInt(domain);
    }

    private static int flags(CallThread thread) {
        return thread.known() ? 0 : SpoolFormat.FLAG_THREAD_UNKNOWN;
    }

    /** Begins an operation's record, up to its stream; {@code length} is without a graph's fields. */
    private void begin(int type, Operation operation, int length) {
        int lane = lane(operation.lane());
        begin(type, 0, operation.graphNode() == 0 ? length : length + 16);
        out.putLong(operation.startCuptiNs()).putLong(operation.endCuptiNs()).putInt(operation.correlation());
        out.putInt(lane);
    }

    private void graph(Operation operation) {
        if (operation.graphNode() != 0) {
            out.putLong(operation.graphNode()).putInt(operation.graph()).putInt(0);
        }
    }

    private int lane(Lane lane) {
        Integer known = lanes.get(lane);
        if (known != null) {
            return known;
        }
        begin(SpoolFormat.LANE, 0, 24);
        out.putInt(nextLane).putInt(lane.device()).putInt(lane.context()).putInt(lane.stream());
        if (lanes.size() < MAX_REMEMBERED) {
            lanes.put(lane, nextLane);
        }
        return nextLane++;
    }

    private int shape(Shape shape) {
        Integer known = shapes.get(shape);
        if (known != null) {
            return known;
        }
        begin(SpoolFormat.SHAPE, 0, 48);
        out.putInt(nextShape).putInt(shape.gridX()).putInt(shape.gridY()).putInt(shape.gridZ());
        out.putInt(shape.blockX()).putInt(shape.blockY()).putInt(shape.blockZ());
        out.putInt(shape.registers()).putInt(shape.staticSharedBytes()).putInt(shape.dynamicSharedBytes());
        if (shapes.size() < MAX_REMEMBERED) {
            shapes.put(shape, nextShape);
        }
        return nextShape++;
    }

    private void begin(int type, int flags, int length) {
        out.putShort((short) type).putShort((short) flags).putInt(length);
    }
}
