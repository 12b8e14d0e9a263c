package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Everything that a reader says of a document, as text. */
final class ReaderRecord implements TraceEventReader.Sink {
    private final List<String> events = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();
    private final ImportStats.Builder counts = new ImportStats.Builder();
    private ImportStats stats = counts.build();
    private String refusal = "";

    static ReaderRecord of(TraceEventReader reader, Path file) throws IOException {
        ReaderRecord record = new ReaderRecord();
        try {
            reader.read(new TraceSource(file), record, record.counts);
        } catch (ImportException e) {
            record.refusal = "refused";
        }
        record.stats = record.counts.build();
        return record;
    }

    @Override
    public void event(TraceEvent event) {
        StringBuilder text = new StringBuilder()
                .append(event.offsetBytes())
                .append(' ')
                .append(event.phase() == 0 ? '0' : event.phase())
                .append('|')
                .append(event.category())
                .append('|')
                .append(event.name())
                .append('|')
                .append(event.pid())
                .append('|')
                .append(event.tid())
                .append('|')
                .append(event.tsNs())
                .append('|')
                .append(event.hasDuration())
                .append(event.durationNs());
        for (Arg arg : Arg.values()) {
            if (event.has(arg)) {
                text.append(' ').append(arg).append('=');
                text.append(arg.isText() ? event.text(arg, "") : Long.toString(event.number(arg, 0)));
            }
        }
        events.add(text.toString());
    }

    @Override
    public void property(String path, String value) {
        properties.add(path + "=" + value);
    }

    @Override
    public void restart() {
        events.clear();
        properties.clear();
        counts.clear();
    }

    /** Returns the events, one a line. */
    List<String> events() {
        return events;
    }

    boolean repairedText() {
        return stats.count(Reason.BAD_TEXT) > 0;
    }

    /** Returns whether reading ended at half a pair of surrogates in a member's name, which Jackson does not take. */
    boolean gaveUp() {
        return stats.entries().stream().anyMatch(loss -> loss.firstDetail().contains("surrogate"));
    }

    /** Returns properties, counts, places of loss, and whether the document was refused. */
    String rest() {
        return properties + " " + stats.eventsRead() + " " + stats.entries() + " " + refusal;
    }
}
