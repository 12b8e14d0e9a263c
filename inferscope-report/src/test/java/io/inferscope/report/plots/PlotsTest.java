package io.inferscope.report.plots;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTables.PeakFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PlotsTest {
    private static final long MS = 1_000_000;

    private final TimelineBuilder builder = new TimelineBuilder();
    private final int process = builder.track(TrackKind.PROCESS, -1, "1");
    private final int thread = builder.track(TrackKind.THREAD, process, "1");

    @Test
    void aDeviceThatWorksInTheFirstHalfHasBarsThere() {
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        builder.row(RowKind.KERNEL, stream, 0, 60 * MS, builder.name("gemm"));
        builder.row(RowKind.ANNOTATION, thread, 0, 120 * MS, builder.name("run"));

        Plot use = plot("gpu-0");

        assertThat(use.words()).isEqualTo("Use of device 0 over time: 50.0% in the mean");
        assertThat(bars(use, "a")).hasSize(60).allMatch(bar -> bar.contains("100.0% at"));
    }

    @Test
    void devicesWhoseNamesDifferInASignHaveAPictureEach() {
        for (String name : List.of("0:1", "0/1")) {
            int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, name), "7");
            builder.row(RowKind.KERNEL, stream, 0, 60 * MS, builder.name("gemm"));
        }

        assertThat(plots()).extracting(Plot::id).containsExactly("gpu-0_1", "gpu-0_1-2");
    }

    @Test
    void coresInUseAreThoseThatTheThreadsHad() {
        state(0, 120, 60);

        assertThat(plot("cpu").words()).isEqualTo("Cores in use over time: 0.5 cores in the mean");
    }

    /** Six times, one request alone takes 10 ms, and each of three at once takes 30. */
    @Test
    void requestsAreShownByHowManyWereAnsweredAtOnce() {
        for (int i = 0; i < 6; i++) {
            request(i * 100, i * 100 + 10);
            for (int lane = 0; lane < 3; lane++) {
                request(i * 100 + 50 + lane, i * 100 + 80 + lane);
            }
        }
        builder.row(RowKind.ANNOTATION, thread, 0, 800 * MS, builder.name("run"));

        Plot load = plot("load");

        assertThat(bars(load, "a")).hasSize(3);
        assertThat(load.words())
                .isEqualTo(
                        "1 at once: median 10.0 ms, p95 30.0 ms, 12 requests; 3 at once: median 30.0 ms, p95 30.0 ms, 6 requests");
    }

    private void request(int fromMs, int toMs) {
        int lane = builder.track(TrackKind.REQUEST, process, "r" + fromMs);
        builder.row(RowKind.REQUEST, lane, fromMs * MS, toMs * MS, builder.name("POST /"));
    }

    @Test
    void operatorsStandBelowTheRoofOfTheirDevice() {
        assertThat(RooflinePlot.of(
                        List.of(shape("aten::mm", 1e9, 1e6, 1e13), shape("aten::add", 1e6, 4e6, 1e11)), PEAKS))
                .hasValueSatisfying(plot -> {
                    assertThat(plot.words())
                            .isEqualTo("2 operators below the roof of H100 SXM: 989 TFLOP/s in float16 and 3.35 TB/s");
                    assertThat(plot.drawing()).contains("aten::mm [[4,4]]: 10.0 TFLOP/s, 50.0% of the time");
                    assertThat(circle(plot, "aten::mm", "cy")).isLessThan(circle(plot, "aten::add", "cy"));
                    assertThat(circle(plot, "aten::mm", "cx")).isGreaterThan(circle(plot, "aten::add", "cx"));
                });
        assertThat(RooflinePlot.of(List.of(shape("aten::mm", 1e9, 1e6, 1e13)), PEAKS))
                .isEmpty();
        assertThat(RooflinePlot.of(List.of(shape("a", 0, 1, 1), shape("b", 1, 0, 1)), PEAKS))
                .isEmpty();
    }

    private static final List<PeakFigures> PEAKS =
            List.of(new PeakFigures("0", "H100 SXM", 9.89e14, 6.7e13, 3.35e12, "white paper"));

    private static OperatorShape shape(String name, double flops, double bytes, double rate) {
        return new OperatorShape(
                name, "[[4,4]]", "", null, 1, 1, 1, 0.5, flops, bytes, rate, null, null, null, null, null);
    }

    private static double circle(Plot plot, String name, String attribute) {
        return Pattern.compile("<circle[^>]* " + attribute + "=\"([0-9.]+)\"[^>]*><title>" + name)
                .matcher(plot.drawing())
                .results()
                .mapToDouble(found -> Double.parseDouble(found.group(1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void requestsAreCountedByLengthAndDrawnInTime() {
        int lane = builder.track(TrackKind.REQUEST, process, "r");
        for (int i = 0; i < 8; i++) {
            int row = builder.row(
                    RowKind.REQUEST, lane, i * 100 * MS, (i * 100 + 10 * (i + 1)) * MS, builder.name("POST /<b>\"x\""));
            builder.attribute(row, Attribute.FIRST_ANSWER_NS, 2 * MS);
        }
        builder.row(RowKind.ANNOTATION, thread, 0, 800 * MS, builder.name("run"));

        List<Plot> plots = plots();
        assertThat(plot("latency", plots).words()).isEqualTo("8 requests, median 50.0 ms, longest 80.0 ms");
        assertThat(bars(plot("latency", plots), "a").stream()
                        .mapToInt(bar -> Integer.parseInt(bar.replaceAll("(?s).*<title>(\\d+) from.*", "$1")))
                        .sum())
                .isEqualTo(8);
        assertThat(bars(plot("requests", plots), "a")).hasSize(8);
        assertThat(bars(plot("requests", plots), "b"))
                .hasSize(8)
                .allMatch(bar -> bar.contains("first answer after 2.00 ms"));
        assertThat(plot("requests", plots).file()).doesNotContain("<b>").contains("POST /&lt;b&gt;&quot;x&quot;");
    }

    @Test
    void aRecordingWithoutAnyOfThatHasNoPictures() {
        builder.row(RowKind.ANNOTATION, thread, 0, 120 * MS, builder.name("run"));

        assertThat(plots()).isEmpty();
    }

    private void state(long fromMs, long toMs, long onCpuMs) {
        int row = builder.row(RowKind.THREAD_STATE, thread, fromMs * MS, toMs * MS, builder.name("running"));
        builder.attribute(row, Attribute.ON_CPU_NS, onCpuMs * MS);
        builder.attribute(row, Attribute.RUNNABLE_NS, 0);
    }

    private Plot plot(String id) {
        return plot(id, plots());
    }

    private static Plot plot(String id, List<Plot> plots) {
        return plots.stream().filter(plot -> plot.id().equals(id)).findFirst().orElseThrow();
    }

    private List<Plot> plots() {
        return Plots.of(new Analyzer().analysis(builder.build("test")));
    }

    private static List<String> bars(Plot plot, String style) {
        return Pattern.compile("<rect class=\"" + style + "\".*?</rect>")
                .matcher(plot.drawing())
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
