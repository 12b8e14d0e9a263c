package io.inferscope.timeline.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Documents of one operator, one launch and one kernel each 100 us, cut where it hurts, in the orders in which they are written. */
class CutDocumentTest {
    private static final int COUNT = 200;
    private static final long EACH_NS = 100_000;

    @TempDir
    private Path folder;

    /** An event: what it is, when it starts in us, and its text. */
    private record Event(char what, int us, String text) {}

    enum Order {
        /** Operators, calls, kernels. */
        SECTIONS,
        /** Operators, then calls and kernels in buffers of 20 each. */
        BUFFERS,
        /** All by time. */
        TIME,
        DEVICE_FIRST,
        /** Kernels, calls, operators. */
        HOST_LAST,
        SHUFFLED;

        List<Event> of(List<Event> events) {
            List<Event> ordered = new ArrayList<>(events);
            switch (this) {
                case SECTIONS -> ordered.sort(Comparator.comparing(event -> "ock".indexOf(event.what)));
                case BUFFERS ->
                    ordered.sort(Comparator.comparing(
                            event -> event.what == 'o' ? -1 : event.us / 2000 * 2 + (event.what == 'c' ? 0 : 1)));
                case TIME -> ordered.sort(Comparator.comparing(Event::us));
                case DEVICE_FIRST -> ordered.sort(Comparator.comparing(event -> "koc".indexOf(event.what)));
                case HOST_LAST -> ordered.sort(Comparator.comparing(event -> "kco".indexOf(event.what)));
                case SHUFFLED -> Collections.shuffle(ordered, new Random(7));
            }
            return ordered;
        }
    }

    private static List<Event> events() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            int us = i * 100;
            events.add(new Event('o', us, event("cpu_op", "aten::mm", 1, us, 90, 0)));
            events.add(new Event('c', us + 10, event("cuda_runtime", "cudaLaunchKernel", 1, us + 10, 5, i + 1)));
            events.add(new Event('k', us + 20, event("kernel", "gemm", 7, us + 20, 70, i + 1)));
        }
        return events;
    }

    private static String event(String category, String name, int tid, int us, int lengthUs, int correlation) {
        return ("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%d,\"dur\":%d,"
                        + "\"args\":{\"device\":0,\"stream\":%d,\"correlation\":%d}}")
                .formatted(category, name, tid, us, lengthUs, tid, correlation);
    }

    private Timeline load(List<Event> events, double part) throws ImportException {
        String text = "{\"traceEvents\":[\n"
                + String.join(",\n", events.stream().map(Event::text).toList()) + "\n]}";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return CoreFormats.load(TraceFile.of(folder, "cut.json", Arrays.copyOf(bytes, (int) (part * bytes.length))));
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void whatIsKeptIsCompleteOrItIsUnknownWhatIs(Order order) throws ImportException {
        List<Event> events = order.of(events());
        int judged = 0;
        for (double part = 0.3; part < 0.99; part += 0.03) {
            Timeline timeline = load(events, part);
            if (timeline.properties().containsKey(TimelineInfo.CUT_UNKNOWN)
                    || count(timeline, RowKind.KERNEL) == 0
                    || count(timeline, RowKind.RUNTIME_CALL) == 0
                    || count(timeline, RowKind.OPERATOR) == 0) {
                continue;
            }
            judged++;
            String cut = timeline.properties().get(TimelineInfo.CUT);
            assertThat(cut != null || order == Order.TIME).isTrue();
            long toNs = cut == null ? timeline.endNs(timeline.rowCount() - 1) : Long.parseLong(cut);
            int whole = (int) (toNs / EACH_NS);
            assertThat(whole).isBetween(order == Order.TIME ? 0 : COUNT / 3 - 1, COUNT);
            for (RowKind kind : List.of(RowKind.KERNEL, RowKind.RUNTIME_CALL, RowKind.OPERATOR)) {
                assertThat(count(timeline, kind))
                        .as("%s, %s of it, %s", order, part, kind)
                        .isBetween((long) whole, whole + 1L);
            }
        }
        assertThat(judged > 0).isEqualTo(order != Order.SHUFFLED);
    }

    @Test
    void aWholeDocumentIsKept() throws ImportException {
        Timeline timeline = load(Order.SECTIONS.of(events()), 1);

        assertThat(timeline.rowCount()).isEqualTo(3 * COUNT);
        assertThat(timeline.properties()).doesNotContainKeys(TimelineInfo.CUT, TimelineInfo.CUT_UNKNOWN);
    }

    @Test
    void aSmallRestIsNotJudged() throws ImportException {
        Timeline timeline = load(Order.SECTIONS.of(events()), 0.72);

        assertThat(timeline.properties()).containsEntry(TimelineInfo.CUT_UNKNOWN, "most");
    }

    private static long count(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .count();
    }
}
