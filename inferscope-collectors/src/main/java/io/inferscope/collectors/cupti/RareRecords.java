package io.inferscope.collectors.cupti;

import io.inferscope.scope.spool.DeviceRecord;
import io.inferscope.scope.spool.DeviceRecord.Instance;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.bytedeco.cuda.cupti.CUpti_Activity;
import org.bytedeco.cuda.cupti.CUpti_ActivityContext4;
import org.bytedeco.cuda.cupti.CUpti_ActivityCudaEvent2;
import org.bytedeco.cuda.cupti.CUpti_ActivityDevice5;
import org.bytedeco.cuda.cupti.CUpti_ActivityExternalCorrelation;
import org.bytedeco.cuda.global.cupti;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Loader;
import org.jspecify.annotations.Nullable;

/** Activity records that are neither operations nor calls: devices, contexts, events, ids of frameworks. */
final class RareRecords {
    static final int UUID_BYTES = 16;

    private RareRecords() {}

    /** Returns the device record, null for another kind. */
    static @Nullable DeviceRecord decode(CUpti_Activity record) {
        if (record.kind() == cupti.CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
            CUpti_ActivityExternalCorrelation from = new CUpti_ActivityExternalCorrelation(record);
            return new DeviceRecord.ExternalId(from.externalId(), from.correlationId(), from.externalKind());
        } else if (record.kind() == cupti.CUPTI_ACTIVITY_KIND_CUDA_EVENT) {
            CUpti_ActivityCudaEvent2 from = new CUpti_ActivityCudaEvent2(record);
            return new DeviceRecord.CudaEvent(from.correlationId(), from.contextId(), from.streamId(), from.eventId());
        } else if (record.kind() == cupti.CUPTI_ACTIVITY_KIND_CONTEXT) {
            CUpti_ActivityContext4 from = new CUpti_ActivityContext4(record);
            return new DeviceRecord.Context(from.contextId(), from.deviceId());
        } else if (record.kind() == cupti.CUPTI_ACTIVITY_KIND_DEVICE) {
            return device(new CUpti_ActivityDevice5(record));
        }
        return null;
    }

    private static DeviceRecord device(CUpti_ActivityDevice5 from) {
        Instance instance = from.isMigEnabled() == 0
                ? null
                : new Instance(id(from, "migUuid"), from.gpuInstanceId(), from.computeInstanceId());
        return new DeviceRecord.Device(
                from.id(),
                CuptiTexts.text(from.name()),
                from.computeCapabilityMajor(),
                from.computeCapabilityMinor(),
                from.numMultiprocessors(),
                from.globalMemorySize(),
                id(from, "uuid"),
                instance,
                from.isCudaVisible() == 0);
    }

    /** Reads the 16 bytes of an id: the presets' own class of it belongs to the CUDA runtime, which is not loaded. */
    private static UUID id(CUpti_ActivityDevice5 from, String field) {
        byte[] bytes = new byte[UUID_BYTES];
        new BytePointer(from)
                .position(Loader.offsetof(CUpti_ActivityDevice5.class, field))
                .get(bytes);
        ByteBuffer id = ByteBuffer.wrap(bytes);
        return new UUID(id.getLong(), id.getLong());
    }
}
