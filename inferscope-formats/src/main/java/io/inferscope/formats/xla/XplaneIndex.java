package io.inferscope.formats.xla;

import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything in an {@code xplane.pb} except its events. Events refer to names that come after them, so the file is read
 * twice, with only the names kept in between.
 */
final class XplaneIndex {
    private final List<Plane> planes = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final HloModules hlo = new HloModules();

    /** A plane without its events. */
    static final class Plane {
        String name = "";
        final List<Line> lines = new ArrayList<>();
        final Map<Long, Metadata> events = new HashMap<>();
        final Map<Long, String> statNames = new HashMap<>();
        final List<Stat> stats = new ArrayList<>();

        /** Returns the value of a stat of the plane itself, null for none. */
        @Nullable
        Stat stat(String statName) {
            return stats.stream()
                    .filter(s -> statName.equals(statNames.get(s.id)))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** A line without its events. */
    static final class Line {
        long id;
        long displayId;
        long timestampNs;
        String name = "";
        String displayName = "";

        /** Returns the id shown by the trace viewer: the lower 32 bits. */
        String key() {
            return Long.toString((displayId == 0 ? id : displayId) & 0xffff_ffffL);
        }

        String shownName() {
            return displayName.isEmpty() ? name : displayName;
        }
    }

    /** The common properties of events of one kind. */
    static final class Metadata {
        String name = "";
        String displayName = "";
        final List<Stat> stats = new ArrayList<>(0);

        String shownName() {
            return displayName.isEmpty() ? name : displayName;
        }
    }

    /**
     * A named value.
     *
     * @param id the id of its name in the plane
     * @param number its value when it is an integer
     * @param reference id of the stat metadata whose name is its value, 0 for none
     * @param text its value when it is a text
     */
    record Stat(long id, long number, long reference, String text) {
        /** Those of a number of 64 bits, with its sign. */
        private static final int MAX_DIGITS = 20;

        /** Reads a stat; values of other types are left out. */
        static Stat read(ProtoMessages in) throws IOException, ImportException {
            long[] numbers = new long[3];
            String[] text = {""};
            in.message(field -> {
                switch (field) {
                    case XplaneFields.STAT_METADATA_ID -> numbers[0] = in.number();
                    case XplaneFields.STAT_UINT64, XplaneFields.STAT_INT64 -> numbers[1] = in.number();
                    case XplaneFields.STAT_REFERENCE -> numbers[2] = in.number();
                    case XplaneFields.STAT_STRING -> text[0] = in.text();
                }
            });
            return new Stat(numbers[0], numbers[1], numbers[2], text[0]);
        }

        String text(Plane plane) {
            return reference != 0 ? plane.statNames.getOrDefault(reference, "") : text;
        }

        /** Returns the value as a number, 0 if it is not one. */
        long number(Plane plane) {
            String digits = text(plane);
            if (number != 0 || digits.length() > MAX_DIGITS) {
                return number;
            }
            try {
                return Long.parseLong(digits);
            } catch (NumberFormatException notANumber) {
                return 0;
            }
        }
    }

    /** Reads up to the end or to the damage, which is thrown. */
    void read(ProtoMessages in) throws IOException, ImportException {
        in.whole(field -> {
            switch (field) {
                case XplaneFields.SPACE_PLANE -> plane(in);
                case XplaneFields.SPACE_ERROR, XplaneFields.SPACE_WARNING -> complaints.add(in.text());
            }
        });
    }

    /** Returns the planes in the order of the file. */
    List<Plane> planes() {
        return planes;
    }

    HloModules hlo() {
        return hlo;
    }

    /** Returns the profiler's own error messages. */
    List<String> complaints() {
        return complaints;
    }

    private void plane(ProtoMessages in) throws IOException, ImportException {
        Plane plane = new Plane();
        planes.add(plane);
        in.message(field -> {
            switch (field) {
                case XplaneFields.PLANE_NAME -> plane.name = in.text();
                case XplaneFields.PLANE_LINE -> line(in, plane);
                case XplaneFields.PLANE_EVENT_METADATA -> entry(in, plane, true);
                case XplaneFields.PLANE_STAT_METADATA -> entry(in, plane, false);
                case XplaneFields.PLANE_STAT -> plane.stats.add(Stat.read(in));
            }
        });
    }

    private static void line(ProtoMessages in, Plane plane) throws IOException, ImportException {
        Line line = new Line();
        plane.lines.add(line);
        in.message(field -> {
            switch (field) {
                case XplaneFields.LINE_ID -> line.id = in.number();
                case XplaneFields.LINE_DISPLAY_ID -> line.displayId = in.number();
                case XplaneFields.LINE_TIMESTAMP_NS -> line.timestampNs = in.number();
                case XplaneFields.LINE_NAME -> line.name = in.text();
                case XplaneFields.LINE_DISPLAY_NAME -> line.displayName = in.text();
            }
        });
    }

    /** Reads an entry of one of the two maps of a plane. */
    private void entry(ProtoMessages in, Plane plane, boolean ofEvents) throws IOException, ImportException {
        int damages = in.damages();
        long[] key = new long[1];
        Metadata metadata = new Metadata();
        in.message(field -> {
            switch (field) {
                case XplaneFields.MAP_KEY -> key[0] = in.number();
                case XplaneFields.MAP_VALUE -> metadata(in, plane, metadata, ofEvents);
            }
        });
        if (in.damages() > damages) {
            return;
        }
        if (ofEvents) {
            plane.events.put(key[0], metadata);
        } else {
            plane.statNames.put(key[0], metadata.name);
        }
    }

    private void metadata(ProtoMessages in, Plane plane, Metadata metadata, boolean ofEvents)
            throws IOException, ImportException {
        boolean ofModules = plane.name.equals(HloModules.PLANE);
        in.message(field -> {
            if (field == XplaneFields.METADATA_NAME) {
                metadata.name = in.text();
            } else if (ofEvents && field == XplaneFields.METADATA_DISPLAY_NAME) {
                metadata.displayName = in.text();
            } else if (ofEvents && field == XplaneFields.METADATA_STAT && ofModules) {
                in.message(ofStat -> {
                    if (ofStat == XplaneFields.STAT_BYTES) {
                        hlo.read(metadata.name, in);
                    }
                });
            } else if (ofEvents && field == XplaneFields.METADATA_STAT) {
                metadata.stats.add(Stat.read(in));
            }
        });
    }
}
