package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.TableNames;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.TrackKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the tables of a folder in the order of their references. Damage and invalid references are counted. */
final class FolderReader {
    private final Path folder;
    private final TimelineBuilder builder;
    private final Map<Long, KnownTrack> tracks = new HashMap<>();
    private final Map<Long, Integer> stacks = new HashMap<>();
    private final Map<Long, Integer> handles = new HashMap<>();

    FolderReader(Path folder, TimelineBuilder builder) {
        this.folder = folder;
        this.builder = builder;
    }

    record KnownTrack(int track, TrackKind kind) {}

    private interface Table {
        TableReader.Rows rows(TableReader reader);
    }

    void read() throws IOException {
        table(TableNames.TRACKS, this::tracks);
        table(TableNames.STACKS, this::stacks);
        for (RowKind kind : RowKind.values()) {
            table(TableNames.of(kind), reader -> new RowReader(reader, kind, this));
        }
        table(TableNames.LINKS, this::links);
        table(TableNames.PROPERTIES, reader -> row -> builder.property(row.text(0), row.text(1)));
        table(
                TableNames.CLOCKS,
                reader -> row ->
                        builder.clockDomain(new ClockDomain(row.text(0), (int) row.number(1, 0), row.number(2, -1))));
        table(
                TableNames.COVERAGE,
                reader -> row ->
                        builder.coverage(new Coverage(row.text(0), row.number(1, 0), row.number(2, 0), row.text(3))));
        table(
                TableNames.OVERHEADS,
                reader -> row -> builder.overhead(
                        new RecorderOverhead(row.text(0), row.number(1, 0), row.number(2, 0), row.number(3, 0))));
    }

    TimelineBuilder builder() {
        return builder;
    }

    @Nullable
    KnownTrack track(long id) {
        return tracks.get(id);
    }

    @Nullable
    Integer stack(long id) {
        return stacks.get(id);
    }

    void handle(long row, int handle) {
        handles.put(row, handle);
    }

    void bad(String table) {
        builder.stats().count(Reason.BAD_DECLARATION, -1, Folder.file(table));
    }

    /** Reads one table; a missing one has no rows. */
    private void table(String name, Table table) throws IOException {
        Path file = folder.resolve(Folder.file(name));
        if (!Files.isRegularFile(file)) {
            return;
        }
        try (TableReader reader = new TableReader(file)) {
            builder.stats().bytes(Files.size(file));
            TableReader.Rows rows = table.rows(reader);
            reader.read(row -> {
                builder.stats().event();
                rows.row(row);
            });
        } catch (IOException | RuntimeException damaged) {
            // Parquet's readers throw any kind of exception on damaged bytes.
            builder.stats().count(Reason.MALFORMED, -1, Folder.file(name) + ": " + oneLine(damaged));
        }
    }

    private static String oneLine(Exception e) {
        String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return text.lines().findFirst().orElse("");
    }

    private TableReader.Rows tracks(TableReader reader) {
        return row -> {
            @Nullable TrackKind kind = constant(TrackKind.values(), row.text(1));
            KnownTrack parent = row.has(2) ? tracks.get(row.number(2, -1)) : null;
            if (kind == null
                    || !kind.mayBelongTo(parent == null ? null : parent.kind)
                    || (row.has(2) && parent == null)) {
                bad(TableNames.TRACKS);
                return;
            }
            int track = builder.track(kind, parent == null ? -1 : parent.track, row.text(3));
            builder.trackName(track, row.text(4));
            tracks.put(row.number(0, -1), new KnownTrack(track, kind));
        };
    }

    private TableReader.Rows stacks(TableReader reader) {
        return row -> {
            Integer caller = row.has(1) ? stacks.get(row.number(1, -1)) : Integer.valueOf(-1);
            if (caller == null) {
                bad(TableNames.STACKS);
            } else {
                Frame frame = Frame.of(row.text(2), row.text(3));
                stacks.put(row.number(0, -1), builder.stack(caller, builder.frame(row.text(2), frame)));
            }
        };
    }

    private TableReader.Rows links(TableReader reader) {
        return row -> {
            @Nullable LinkKind kind = constant(LinkKind.values(), row.text(0));
            Integer from = handles.get(row.number(1, -1));
            Integer to = handles.get(row.number(2, -1));
            long confidence = row.number(3, 100);
            if (kind == null || from == null || to == null || confidence < 0 || confidence > 100) {
                bad(TableNames.LINKS);
            } else {
                builder.link(kind, from, to, (int) confidence);
            }
        };
    }

    private static <E extends Enum<E>> @Nullable E constant(E[] values, String name) {
        for (E value : values) {
            if (value.name().equals(name)) {
                return value;
            }
        }
        return null;
    }
}
