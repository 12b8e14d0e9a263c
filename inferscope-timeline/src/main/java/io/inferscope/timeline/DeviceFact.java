package io.inferscope.timeline;

import java.util.Locale;
import java.util.SortedMap;

/** A fact about a device: a property {@code device.ID.NAME} of the recording. */
public enum DeviceFact {
    NAME,
    /** How many multiprocessors it has. */
    SMS,
    MEMORY_BYTES;

    private static final String DEVICE = "device.";

    private final String end = '.' + name().toLowerCase(Locale.ROOT);

    /** Stores the fact about a device; an empty one is not known. */
    public void store(TimelineBuilder builder, String id, String value) {
        if (!value.isEmpty()) {
            builder.property(DEVICE + id + end, value);
        }
    }

    /** Returns the fact about a device, empty if it is not recorded. */
    public String of(Timeline timeline, String id) {
        return timeline.properties().getOrDefault(DEVICE + id + end, "");
    }

    /** Returns the fact as a number, 0 if it is none. */
    public long number(Timeline timeline, String id) {
        return timeline.number(DEVICE + id + end, 0);
    }

    /** Returns the fact about every device of which it is recorded, by device. */
    public SortedMap<String, String> all(Timeline timeline) {
        return ProcessFact.all(timeline, DEVICE, end);
    }
}
