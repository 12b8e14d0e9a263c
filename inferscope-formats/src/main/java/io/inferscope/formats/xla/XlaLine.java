package io.inferscope.formats.xla;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A lane of an XLA profile: a line of a plane. Names are those of xla/tsl/profiler/utils/xplane_schema.cc and of
 * GetDeviceXLineName in xla/backends/profiler/gpu/cupti_collector.cc, in github.com/openxla/xla.
 *
 * @param process key of a host line's process, null for a device line
 * @param device key of a device line's device, null for a host line
 * @param key the line's id
 * @param name the line's name, empty where it has none
 * @param content the kind of events on it
 */
record XlaLine(@Nullable String process, @Nullable String device, String key, String name, Content content) {
    enum Content {
        /** Activity of a host thread. */
        HOST,
        /** Kernels, copies and sets of a GPU's stream. */
        STREAM,
        /** Operations of an accelerator's core, those of a loop inside the loop. */
        OPERATIONS,
        /** Rows derived from operations: modules, steps, name scopes. */
        DERIVED,
        /** The profiler's own work. */
        OVERHEAD,
        /** Not read. */
        OTHER
    }

    private static final String HOST = "/host:CPU";
    /**
     * Planes that are merged into the host's plane when a profile is stored, but separate in raw profiles. Their lines
     * are host threads, too.
     */
    private static final Pattern HOST_PLANE = Pattern.compile("/host:(CPU|CUPTI|ROCTRACER|NVTX-CUPTI|python-tracer)");

    private static final Pattern OTHER_HOST = Pattern.compile("/host:(?!metadata|__ScopeRangeCallStack__).+");
    private static final Pattern GPU = Pattern.compile("/device:GPU:(\\d+)");
    private static final Pattern DEVICE = Pattern.compile("/device:(.+)");
    private static final Pattern OPERATION_LINE = Pattern.compile("XLA Ops|Sparse Core Ops");

    static XlaLine of(String plane, String key, String line) {
        if (HOST_PLANE.matcher(plane).matches()) {
            return new XlaLine(HOST, null, key, line, Content.HOST);
        }
        if (OTHER_HOST.matcher(plane).matches()) {
            return new XlaLine(plane, null, key, line, Content.HOST);
        }
        Matcher gpu = GPU.matcher(plane);
        if (gpu.matches()) {
            return new XlaLine(null, gpu.group(1), key, line, onGpu(line));
        }
        Matcher device = DEVICE.matcher(plane);
        if (device.matches()) {
            boolean operations = OPERATION_LINE.matcher(line).matches();
            return new XlaLine(null, device.group(1), key, line, operations ? Content.OPERATIONS : Content.DERIVED);
        }
        return new XlaLine(plane, null, key, line, Content.OTHER);
    }

    private static Content onGpu(String line) {
        if (line.startsWith("Stream")) {
            return Content.STREAM;
        }
        return switch (line) {
            case "CUPTI overhead" -> Content.OVERHEAD;
            case "_counters_" -> Content.OTHER;
            default -> Content.DERIVED;
        };
    }
}
