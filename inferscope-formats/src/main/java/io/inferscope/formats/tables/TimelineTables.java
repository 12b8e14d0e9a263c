package io.inferscope.formats.tables;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        OutputTable table(String name, List<OutputColumn> columns) throws IOException;

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
        void write(OutputTable table) throws IOException;
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

    private void table(String name, List<OutputColumn> columns, int count, Rows rows) throws IOException {
        if (target.takes(name, count)) {
            try (OutputTable table = target.table(name, columns)) {
                if (target.fills(name)) {
                    rows.write(table);
                }
                table.finish();
            }
            tables.add(name);
        }
    }

    private static void tracks(List<Track> tracks, OutputTable table) throws IOException {
        for (Track track : tracks) {
            table.row(track.id(), track.kind().name(), known(track.parent()), track.key(), track.name());
        }
    }

    /** Returns an id, null for none. */
    private static @Nullable Integer known(int id) {
        return id < 0 ? null : id;
    }

    private void links(OutputTable table) throws IOException {
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            table.row(links.kind(link).name(), links.fromRow(link), links.toRow(link), links.confidencePercent(link));
        }
    }

    private void stacks(OutputTable table) throws IOException {
        Stacks stacks = timeline.stacks();
        for (int stack = 0; stack < stacks.count(); stack++) {
            String language = stacks.frame(stack).language().label();
            table.row(stack, known(stacks.caller(stack)), stacks.text(stack), language);
        }
    }

    private void properties(OutputTable table) throws IOException {
        for (var property : timeline.properties().entrySet()) {
            table.row(property.getKey(), property.getValue());
        }
    }

    private void clocks(OutputTable table) throws IOException {
        for (ClockDomain domain : timeline.info().clockDomains()) {
            table.row(domain.name(), domain.anchors(), domain.errorBoundNs());
        }
    }

    private void coverage(OutputTable table) throws IOException {
        for (Coverage said : timeline.info().coverage()) {
            table.row(said.source(), said.recorded(), said.missing(), said.why());
        }
    }

    private void overheads(OutputTable table) throws IOException {
        for (RecorderOverhead said : timeline.info().overheads()) {
            table.row(said.recorder(), said.cpuNs(), said.heldUpNs(), said.events());
        }
    }
}
