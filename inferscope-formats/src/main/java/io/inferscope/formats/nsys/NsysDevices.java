package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.TimelineBuilder;
import java.util.HashMap;
import java.util.Map;

/**
 * Maps device numbers to GPUs. Rows contain CUDA's number, which starts at 0 in every process, even if it sees only
 * some of the GPUs; TARGET_INFO_CUDA_DEVICE has the GPU. Otherwise CUDA's number identifies the GPU.
 */
final class NsysDevices {
    private final TimelineBuilder builder;
    private final Map<Long, String> names = new HashMap<>();
    private final Map<CudaDevice, Long> gpus = new HashMap<>();

    /** CUDA's number of a device in a process; process 0 if the table has none. */
    private record CudaDevice(long process, long number) {}

    NsysDevices(SqliteFile file, TimelineBuilder builder) {
        this.builder = builder;
        file.scan("TARGET_INFO_GPU", row -> names.put(row.number(0, -1), row.text(1)), "id", "name");
        file.scan(
                "TARGET_INFO_CUDA_DEVICE",
                row -> gpus.put(new CudaDevice(row.number(0, 0), row.number(1, -1)), row.number(2, -1)),
                "pid",
                "cudaId",
                "gpuId");
    }

    /** Returns the key of a device's track, and keeps the GPU's name as a property. */
    String key(long process, long number) {
        long gpu = gpus.getOrDefault(
                new CudaDevice(process, number), gpus.getOrDefault(new CudaDevice(0, number), number));
        String key = gpu == SqliteRow.ABSENT ? "0" : Long.toString(gpu);
        String name = names.getOrDefault(gpu, "");
        if (!name.isEmpty()) {
            builder.property("device." + key + ".name", name);
        }
        return key;
    }
}
