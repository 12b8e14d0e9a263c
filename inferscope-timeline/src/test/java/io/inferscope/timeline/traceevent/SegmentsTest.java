package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever segments and windows end, and whatever looks like an event there, the same events are read. */
class SegmentsTest {
    private static final String EVENT =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"e%d\",\"ts\":%d,\"dur\":1,\"args\":%s}";
    /** What makes the guess of a segment's first event wrong: they lie inside the arguments of another one. */
    private static final List<String> LURES = List.of(
            "{\"list\":[1,{\"ph\":\"X\",\"name\":\"lure\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"lure\",\"ts\":1,\"dur\":1},"
                    + "{\"name\":\"lure\"},{\"cat\":\"lure\"},{\"args\":{\"x\":[{},{\"ph\":\"B\"}]}}]}",
            "{\"text\":\",{'ph':'X','name':'lure'},{\\\"ph\\\":\\\"X\\\",\\\"name\\\":\\\"lure\\\"},\"}",
            "{\"text\":\"]}],,{ \\\\\",\"other\":[[[{\"ts\":1},{\"ph\":\"X\"}]],{\"ph\":[]},{\"name\":1},{\"pid\":2}]}",
            "{}");

    @TempDir
    private Path folder;

    private static String document(String ending) {
        StringBuilder text = new StringBuilder("{\"schemaVersion\":1,\"traceEvents\":[");
        for (int i = 0; i < 40; i++) {
            text.append(i == 0 ? "" : ",").append(EVENT.formatted(i, i, LURES.get(i % LURES.size())));
        }
        return text + ending;
    }

    @Test
    void aNumberIsNeverTakenApartWhereAWindowEnds() throws IOException {
        String text = "{\"a\":1234567,\"traceEvents\":[1234567,{\"ph\":\"X\",\"pid\":1234567,\"ts\":1234567},-12.5e10],"
                + "\"b\":true,\"c\":1234567,\"d\":[12,34],\"e\":NaN,\"baseTimeNanoseconds\":1234567}";
        for (boolean gzip : new boolean[] {false, true}) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            Path file = TraceFile.of(folder, "numbers.json", gzip ? TraceFile.gzip(bytes) : bytes);
            ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), file);
            assertThat(expected.rest())
                    .contains("a=1234567", "c=1234567", "baseTimeNanoseconds=1234567", "NOT_AN_EVENT, count=2");
            for (int window = 1; window < bytes.length + 2; window++) {
                ReaderRecord scanned = ReaderRecord.of(new ScanningTraceEventReader(window, 1 << 20, 1), file);
                assertThat(scanned.events()).as("window %d", window).isEqualTo(expected.events());
                assertThat(scanned.rest()).as("window %d", window).isEqualTo(expected.rest());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "],\"after\":2}",
                "]}{\"traceEvents\":[{\"ph\":\"X\"}]}",
                "",
                ",{\"ph\":\"X\",\"na",
                "]],",
                ",{\"ph\":\"X\",,"
            })
    void luresAreNeverTakenForEvents(String ending) throws IOException {
        Path file = TraceFile.of(folder, "lures.json", document(ending).getBytes(StandardCharsets.UTF_8));
        ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), file);

        assertThat(expected.events()).hasSize(40).noneMatch(event -> event.contains("lure"));
        for (int segment = 30; segment < 900; segment += Seeds.areAll() ? 7 : 31) {
            for (int window : new int[] {16, 64, 700}) {
                ReaderRecord scanned = ReaderRecord.of(new ScanningTraceEventReader(window, segment, 3), file);
                assertThat(scanned.events())
                        .as("segment %d window %d", segment, window)
                        .isEqualTo(expected.events());
                assertThat(scanned.rest())
                        .as("segment %d window %d", segment, window)
                        .isEqualTo(expected.rest());
            }
        }
    }

    @Test
    void whatASinkThrowsEndsTheThreadThatScansAhead() throws IOException {
        StringBuilder text = new StringBuilder("{\"traceEvents\":[");
        for (int i = 0; i < 100_000; i++) {
            text.append(i == 0 ? "" : ",").append(EVENT.formatted(i, i, "{}"));
        }
        byte[] bytes = text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
        Path file = TraceFile.of(folder, "many.json.gz", TraceFile.gzip(bytes));
        List<Thread> scanning = new ArrayList<>();
        TraceEventReader.Sink sink = new TraceEventReader.Sink() {
            @Override
            public void event(TraceEvent event) {
                if (event.tsNs() == 30_000_000) {
                    scanning.addAll(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("inferscope-scan"))
                            .toList());
                    throw new IllegalStateException("enough");
                }
            }

            @Override
            public void property(String path, String value) {}

            @Override
            public void restart() {}
        };

        assertThatThrownBy(() -> new ScanningTraceEventReader(1 << 16, 1 << 16, 2)
                        .read(new TraceSource(file), sink, new ImportStats.Builder()))
                .hasMessage("enough");

        assertThat(scanning).isNotEmpty();
        assertThat(scanning).allSatisfy(thread -> {
            thread.join(60_000);
            assertThat(thread.isAlive()).isFalse();
        });
    }
}
