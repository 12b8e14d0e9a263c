package io.inferscope.formats.tables;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Writes the tables of a timeline. */
public final class TimelineTables {
    private final Timeline timeline;
    private final Target target;
    private final List<String> tables = new ArrayList<>();

    /** Names where to write. */
    public TimelineTables(Timeline timeline, Target target) {
        this.timeline = timeline;
        this.target = target;
    }

    /** The destination of tables. */
    public interface Target {
        Table table(String name, List<Column> columns) throws IOException;

        /** Returns whether to write a table with a number of rows. */
        default boolean takes(String name, int rows) {
            return rows > 0;
        }

        /** Returns whether the tables hold what was captured in another recording. Those that are read back need it. */
        default boolean takesCaptured() {
            return true;
        }

        /** Returns whether a table is to get its rows. */
        default boolean fills(String name) {
            return true;
        }
    }

    private interface Rows {
        void write(Table table) throws IOException;
    }

    /**
     * Writes the tables.
     *
     * @return the names of the tables written
     * @throws IOException when the target fails
     */
    public List<String> write() throws IOException {
        List<Track> tracks = timeline.tracks().stream()
                .filter(track -> target.takesCaptured() || track.kind() != TrackKind.CAPTURE)
                .toList();
        table(TableNames.TRACKS, TableNames.TRACK_COLUMNS, tracks.size(), table -> tracks(tracks, table));
        for (RowKind kind : RowKind.values()) {
            KindTable rows = new KindTable(timeline, kind, target.takesCaptured());
            table(TableNames.of(kind), rows.columns(), rows.count(), rows::write);
        }
        table(TableNames.LINKS, TableNames.LINK_COLUMNS, timeline.links().count(), this::links);
        table(TableNames.STACKS, TableNames.STACK_COLUMNS, timeline.stacks().count(), this::stacks);
        table(
                TableNames.PROPERTIES,
                TableNames.PROPERTY_COLUMNS,
                timeline.properties().size(),
                this::properties);
        table(
                TableNames.CLOCKS,
                TableNames.CLOCK_COLUMNS,
                timeline.info().clockDomains().size(),
                this::clocks);
        table(
                TableNames.COVERAGE,
                TableNames.COVERAGE_COLUMNS,
                timeline.info().coverage().size(),
                this::coverage);
        table(
                TableNames.OVERHEADS,
                TableNames.OVERHEAD_COLUMNS,
                timeline.info().overheads().size(),
                this::overheads);
        return tables;
    }

    private void table(String name, List<Column> columns, int count, Rows rows) throws IOException {
        if (target.takes(name, count)) {
            try (Table table = target.table(name, columns)) {
                if (target.fills(name)) {
                    rows.write(table);
                }
                table.finish();
            }
            tables.add(name);
        }
    }

    private static void tracks(List<Track> tracks, Table table) throws IOException {
        for (Track track : tracks) {
            table.number(0, track.id());
            table.text(1, track.kind().name());
            if (track.parent() < 0) {
                table.nothing(2);
            } else {
                table.number(2, track.parent());
            }
            table.text(3, track.key());
            table.text(4, track.name());
            table.endRow();
        }
    }

    private void links(Table table) throws IOException {
        for (int link = 0; link < timeline.links().count(); link++) {
            table.text(0, timeline.links().kind(link).name());
            table.number(1, timeline.links().fromRow(link));
            table.number(2, timeline.links().toRow(link));
            table.number(3, timeline.links().confidencePercent(link));
            table.endRow();
        }
    }

    private void stacks(Table table) throws IOException {
        for (int stack = 0; stack < timeline.stacks().count(); stack++) {
            table.number(0, stack);
            if (timeline.stacks().caller(stack) < 0) {
                table.nothing(1);
            } else {
                table.number(1, timeline.stacks().caller(stack));
            }
            table.text(2, timeline.stacks().text(stack));
            table.text(3, timeline.stacks().frame(stack).language().label());
            table.endRow();
        }
    }

    private void properties(Table table) throws IOException {
        for (var property : timeline.properties().entrySet()) {
            table.text(0, property.getKey());
            table.text(1, property.getValue());
            table.endRow();
        }
    }

    private void clocks(Table table) throws IOException {
        for (ClockDomain domain : timeline.info().clockDomains()) {
            table.text(0, domain.name());
            table.number(1, domain.anchors());
            table.number(2, domain.errorBoundNs());
            table.endRow();
        }
    }

    private void coverage(Table table) throws IOException {
        for (Coverage said : timeline.info().coverage()) {
            table.text(0, said.source());
            table.number(1, said.recorded());
            table.number(2, said.missing());
            table.text(3, said.why());
            table.endRow();
        }
    }

    private void overheads(Table table) throws IOException {
        for (RecorderOverhead said : timeline.info().overheads()) {
            table.text(0, said.recorder());
            table.number(1, said.cpuNs());
            table.number(2, said.heldUpNs());
            table.number(3, said.events());
            table.endRow();
        }
    }
}
