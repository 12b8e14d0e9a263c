package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventArgumentsTest {
    private static final String TRACE = """
            {"traceEvents": [
            {"ph":"X","cat":"cpu_op","name":"stäp","pid":1,"tid":1,"ts":1,"dur":5,"args":{"External id":1}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":2,"dur":3,
             "args":{"device":0,"stream":7,"grid":[4, 1, 1],"est. achieved occupancy %":62,"note":"a\\"b"},"other":{"x":1}}
            ]}
            """;

    @TempDir
    private Path folder;

    private static int kernel(Timeline timeline) {
        int row = 0;
        while (timeline.kind(row) != RowKind.KERNEL) {
            row++;
        }
        return row;
    }

    private static Map<String, String> kernelArguments(Path trace) throws ImportException, IOException {
        Timeline timeline = CoreFormats.load(trace);
        return EventArguments.at(new TraceSource(trace), timeline.sourceOffsetBytes(kernel(timeline)));
    }

    @Test
    void whatTheImportDidNotReadIsFoundByThePlaceOfTheEvent() throws ImportException, IOException {
        assertThat(kernelArguments(TraceFile.of(folder, "t.json", TRACE)))
                .containsExactly(
                        Map.entry("device", "0"),
                        Map.entry("stream", "7"),
                        Map.entry("grid", "[4,1,1]"),
                        Map.entry("est. achieved occupancy %", "62"),
                        Map.entry("note", "a\"b"));
    }

    @Test
    void noTwoArgumentsShareABit() {
        for (Arg arg : Arg.values()) {
            TraceEvent event = new TraceEvent();
            event.put(arg, 1);

            assertThat(Arg.values()).filteredOn(event::has).containsExactly(arg);
        }
    }

    @Test
    void placesAreThoseOfTheInflatedDocument() throws ImportException, IOException {
        byte[] zipped = TraceFile.gzip(TRACE.getBytes(StandardCharsets.UTF_8));
        assertThat(kernelArguments(TraceFile.of(folder, "t.json.gz", zipped))).containsEntry("grid", "[4,1,1]");
    }

    @Test
    void aPlaceWithoutAnEventIsAnError() {
        TraceSource source = new TraceSource(TraceFile.of(folder, "t.json", TRACE));
        assertThatThrownBy(() -> EventArguments.at(source, 3)).isInstanceOf(IOException.class);
    }
}
