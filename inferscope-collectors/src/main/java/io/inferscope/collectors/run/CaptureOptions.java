package io.inferscope.collectors.run;

import io.inferscope.collectors.host.HostOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to capture.
 *
 * @param spoolDirectory where recorders write; made when missing
 * @param home InferScope's own folder, which holds {@code python/} and {@code native/}
 * @param probe whether to inject the Python probe
 * @param gpu which device work is recorded
 * @param maxSpoolBytes cap per spool file
 * @param host how to sample threads
 * @param jfr how JVMs record themselves
 * @param ops windows of PyTorch's profiler, as {@code 3x0.5}: number, and length of each in seconds; empty for none
 * @param shapes how to record the shapes of tensors; null for none
 */
public record CaptureOptions(
        Path spoolDirectory,
        Path home,
        boolean probe,
        GpuRecording gpu,
        long maxSpoolBytes,
        HostOptions host,
        JfrMode jfr,
        String ops,
        @Nullable ShapeRecording shapes) {}
