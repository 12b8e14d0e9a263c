package io.inferscope.timeline.kineto;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.importer.CopyNames;
import java.util.regex.Pattern;

/**
 * What a task of a device is whose event says no more than a name: Ascend's task types (CANN's msprof), MTIA's control
 * processor, HIP and HSA copies.
 */
final class DeviceTasks {
    private static final Pattern COPY =
            Pattern.compile("(?i)mem_?cpy|copy|dma|htod|dtoh|dtod|(read|write)(buffer|image)");
    private static final Pattern SET = Pattern.compile("(?i)mem_?set|fillbuffer");
    private static final Pattern WAIT = Pattern.compile(
            "(?i)(notify|event|stream)[_ ]?(wait|record|reset|sync)|write[_ ]value|capture[_ ](wait|record)|place_?holder|profiling_(en|dis)able");

    private DeviceTasks() {}

    /** Returns the kind of a task by its name; one of no known word is a kernel. */
    static RowKind kind(String name) {
        if (WAIT.matcher(name).find()) {
            return RowKind.DEVICE_SYNC;
        }
        if (SET.matcher(name).find()) {
            return RowKind.MEMSET;
        }
        return COPY.matcher(name).find() ? CopyNames.of(name) : RowKind.KERNEL;
    }
}
