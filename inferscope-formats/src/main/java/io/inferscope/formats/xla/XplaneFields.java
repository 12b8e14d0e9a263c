package io.inferscope.formats.xla;

/**
 * Field numbers of the messages in an {@code xplane.pb}, from {@code xplane.proto} (package tensorflow.profiler) in
 * github.com/openxla/xla, third_party/tsl/tsl/profiler/protobuf. A line has its id and name before its events and its
 * display name after them; a plane has its lines before the names that their events refer to.
 */
final class XplaneFields {
    static final int SPACE_PLANE = 1;
    static final int SPACE_ERROR = 2;
    static final int SPACE_WARNING = 3;

    static final int PLANE_NAME = 2;
    static final int PLANE_LINE = 3;
    static final int PLANE_EVENT_METADATA = 4;
    static final int PLANE_STAT_METADATA = 5;
    static final int PLANE_STAT = 6;

    static final int LINE_ID = 1;
    static final int LINE_NAME = 2;
    /** Nanoseconds: since the profile's start if the profile contains it, otherwise since 1970. */
    static final int LINE_TIMESTAMP_NS = 3;

    static final int LINE_EVENT = 4;
    static final int LINE_DISPLAY_ID = 10;
    static final int LINE_DISPLAY_NAME = 11;

    static final int EVENT_METADATA_ID = 1;
    /** Picoseconds since the line's timestamp. */
    static final int EVENT_OFFSET_PS = 2;

    static final int EVENT_DURATION_PS = 3;
    static final int EVENT_STAT = 4;
    static final int EVENT_OCCURRENCES = 5;

    static final int STAT_METADATA_ID = 1;
    static final int STAT_UINT64 = 3;
    static final int STAT_INT64 = 4;
    static final int STAT_STRING = 5;
    static final int STAT_BYTES = 6;
    /** Id of the stat metadata whose name is the value. */
    static final int STAT_REFERENCE = 7;

    static final int MAP_KEY = 1;
    static final int MAP_VALUE = 2;

    /** The name of event metadata and of stat metadata. */
    static final int METADATA_NAME = 2;

    static final int METADATA_DISPLAY_NAME = 4;
    static final int METADATA_STAT = 5;

    private XplaneFields() {}
}
