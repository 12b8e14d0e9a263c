package io.inferscope.analyzer;

import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Other ids and names for the processes and threads of a timeline, and the way back: what a report says with the old ones put in again.
 * One text stays one text, so that a main thread still has its process' id.
 */
final class Renaming {
    private static final long FIRST = 900_000_000;
    private static final Pattern NEW = Pattern.compile("\\b9\\d{8}\\b");

    private final Map<String, String> there = new HashMap<>();
    private final Map<String, String> back = new HashMap<>();

    /** Renames in the order of the old texts, or against it. */
    Renaming(Timeline timeline, boolean reversed) {
        TreeSet<String> old = new TreeSet<>();
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.PROCESS || track.kind() == TrackKind.THREAD) {
                old.add(track.key());
                old.add(track.name());
            }
        }
        for (int row = 0; row < timeline.rowCount(); row++) {
            long other = timeline.attribute(row, Attribute.OTHER_THREAD);
            if (other != Attribute.ABSENT) {
                old.add(Long.toString(other));
            }
        }
        int number = 0;
        for (String text : reversed ? old.descendingSet() : old) {
            String renamed = Long.toString(FIRST + 3L * number++);
            there.put(text, renamed);
            back.put(renamed, text);
        }
    }

    String renamed(String text) {
        return there.getOrDefault(text, text);
    }

    /** Returns the values of a report as text, one a line with its place, with the old ids and names; the order in a list is left out. */
    List<String> lines(Object report) {
        List<String> lines = new ArrayList<>();
        collect("", report, lines);
        return lines;
    }

    private void collect(String place, Object value, List<String> lines) {
        if (value instanceof List<?> list) {
            lines.add(place + "[]: " + list.size());
            list.stream().map(this::text).sorted().forEach(text -> lines.add(place + ": " + text));
        } else if (value instanceof TableRows tables) {
            Tables.all().forEach(table -> collect(place + "." + table, tables.rows(table), lines));
            collect(place, tables.notesOnTables(), lines);
        } else if (value instanceof Record) {
            for (RecordComponent part : value.getClass().getRecordComponents()) {
                collect(place + "." + part.getName(), value(part, value), lines);
            }
        } else {
            lines.add(place + ": " + text(value));
        }
    }

    private String text(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(this::text).sorted().toList().toString();
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(entry.getKey()) + "=" + text(entry.getValue()))
                    .sorted()
                    .toList()
                    .toString();
        }
        if (value instanceof Record) {
            List<String> parts = new ArrayList<>();
            for (RecordComponent part : value.getClass().getRecordComponents()) {
                parts.add(part.getName() + "=" + text(value(part, value)));
            }
            return parts.toString();
        }
        return value instanceof ImportStats ? "" : before(String.valueOf(value));
    }

    private String before(String text) {
        return NEW.matcher(text)
                .replaceAll(renamed -> Matcher.quoteReplacement(back.getOrDefault(renamed.group(), renamed.group())));
    }

    private static Object value(RecordComponent part, Object owner) {
        try {
            return part.getAccessor().invoke(owner);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(part.getName(), e);
        }
    }
}
