package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Facts that all spools must provide before the first row is made: a text may be stored after the record that names it,
 * a clock reading after the stamps that it places, and the numbers of devices depend on the records of all processes.
 */
record SpoolContext(Path file, SpoolTexts texts, DeviceClock clock, RunDevices.OfProcess devices) {

    /** Reads a file once. An unreadable file is reported by the second reading. */
    static SpoolContext of(Path file, SpoolRun run) {
        SpoolContext context = new SpoolContext(
                file, new SpoolTexts(), new DeviceClock(), run.devices().process());
        Map<Integer, Integer> notes = new LinkedHashMap<>();
        try (SpoolReader reader = new SpoolReader(file, run.unusedSpace())) {
            reader.forEach(
                    view -> {
                        context.collect(view);
                        run.briefThreads().collect(view, reader.header().pid());
                        if (view.type() == NOTE && view.i32(NOTE_PID) == 0) {
                            notes.put(view.i32(NOTE_KEY), view.i32(NOTE_VALUE));
                        }
                    },
                    new ImportStats.Builder());
        } catch (ImportException | IOException unusable) {
            return context;
        }
        notes.forEach((key, value) -> run.devices().note(context.texts.orEmpty(key), context.texts.orEmpty(value)));
        return context;
    }

    private void collect(SpoolRecordView view) {
        texts.collect(view);
        clock.collect(view);
        devices.collect(view);
    }
}
