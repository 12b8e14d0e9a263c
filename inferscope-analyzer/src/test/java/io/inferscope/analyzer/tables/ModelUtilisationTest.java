package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.UtilisationFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ModelUtilisationTest {
    private static final String HALVES = "[c10::Half,c10::Half]";
    private static final String SQUARES = "[[512,512],[512,512]]";

    private static List<UtilisationFigures> lines(TimelineFixture fixture) {
        return Tables.of(Analysis.of(fixture.build(), Thresholds.defaults())).rows(WorkTables.MODEL_UTILISATION);
    }

    private static UtilisationFigures line(TimelineFixture fixture) {
        List<UtilisationFigures> lines = lines(fixture);
        assertThat(lines).hasSize(1);
        return lines.get(0);
    }

    private static TimelineFixture h100() {
        return TimelineFixture.blank().property("device.0.name", "NVIDIA H100 80GB HBM3");
    }

    /** An operator of 9 us, whose kernel runs on a stream for a while. */
    private static TimelineFixture product(
            TimelineFixture fixture, double atUs, String dims, String stream, double fromUs, double toUs) {
        fixture.operator("main", atUs, atUs + 9, "aten::mm")
                .text(Attribute.INPUT_DIMS, dims)
                .text(Attribute.INPUT_TYPES, HALVES);
        return fixture.kernel(stream, fromUs, toUs, "nvjet").launchedBy("main", atUs + 2, atUs + 3);
    }

    /**
     * 2 x 512^3 operations at 989.4 TFLOP/s take 0.27131 us, three matrices of 512 KiB at 3,352 GB/s 0.46923 us. Twice that is held against 10 us
     * of work in a span of 25 us; the memory set adds 2 us of GPU time that is not counted.
     */
    @Test
    void leastTimesAreHeldAgainstBusyTimeAndSpan() {
        TimelineFixture fixture = product(h100(), 0, SQUARES, "7", 9, 13);
        product(fixture, 20, SQUARES, "7", 30, 34).operation(RowKind.MEMSET, "7", 13, 15, "Memset (Device)");

        UtilisationFigures line = line(fixture);

        assertThat(line.device()).isEqualTo("0");
        assertThat(line.flops()).isEqualTo(2 * 268_435_456.0);
        assertThat(line.mfuBusy()).isEqualTo(0.054263, within(1e-6));
        assertThat(line.mfu()).isEqualTo(0.021705, within(1e-6));
        assertThat(line.flopsShare()).isEqualTo(0.8);
        assertThat(line.bytes()).isEqualTo(2 * 3 * 512 * 512 * 2.0);
        assertThat(line.mbuBusy()).isEqualTo(0.093846, within(1e-6));
        assertThat(line.mbu()).isEqualTo(0.037538, within(1e-6));
        assertThat(line.bytesShare()).isEqualTo(0.8);
        assertThat(line.withheld()).isEmpty();
    }

    @Test
    void withoutSizesOrPeakNothingIsClaimed() {
        TimelineFixture noSizes = h100();
        noSizes.operator("main", 0, 9, "aten::mm").kernel("7", 9, 14, "nvjet").launchedBy("main", 2, 3);
        TimelineFixture noTypes = h100();
        noTypes.operator("main", 0, 9, "aten::mm").text(Attribute.INPUT_DIMS, SQUARES);
        noTypes.kernel("7", 9, 14, "nvjet").launchedBy("main", 2, 3);

        assertThat(line(noSizes).withheld()).startsWith("the recording has no sizes");
        assertThat(line(product(TimelineFixture.blank(), 0, SQUARES, "7", 9, 14))
                        .withheld())
                .isEqualTo("the peak of the device is not known");
        assertThat(line(noTypes))
                .satisfies(line -> assertThat(line.withheld()).contains("sizes and types"))
                .satisfies(line -> assertThat(line.mfu()).isNull())
                .satisfies(line -> assertThat(line.bytes()).isNull());
    }

    /** The second product has no sizes, and takes longer than the first. */
    @Test
    void productsThatCoverLittleOfTheirKernelsAreTooFew() {
        TimelineFixture fixture = product(h100(), 0, SQUARES, "7", 9, 13);
        fixture.kernel("7", 20, 36, "nvjet").launchedBy("main", 18, 19);

        UtilisationFigures line = line(fixture);

        assertThat(line.mfu()).isNull();
        assertThat(line.mbu()).isNull();
        assertThat(line.flopsShare()).isEqualTo(0.2);
        assertThat(line.withheld())
                .isEqualTo(
                        "MFU: products with recorded inputs cover 20.0% of the time of kernels that multiply matrices;"
                                + " MBU: operators whose work is known cover 20.0% of the GPU time");
    }

    /** Each product alone is at 93 % of the peak, which is possible; both at once are not. */
    @Test
    void moreThanThePeakIsWithheld() {
        String large = "[[8192,8192],[8192,8192]]";
        TimelineFixture both = product(h100(), 0, large, "7", 30, 1230);

        assertThat(line(product(both, 20, large, "8", 30, 1230)))
                .satisfies(line ->
                        assertThat(line.withheld()).isEqualTo("MFU: above 100 %, so one of the figures must be wrong"))
                .satisfies(line -> assertThat(line.mfuBusy()).isNull())
                .satisfies(line -> assertThat(line.mbuBusy()).isBetween(0.1, 0.3));
        assertThat(line(product(h100(), 0, large, "7", 30, 1230)).mfuBusy()).isEqualTo(0.926, within(1e-3));
    }

    /** Reading the matrices from memory would take ten times as long as the kernel did. */
    @Test
    void noMoreTrafficCountsThanTheMemoryCarries() {
        UtilisationFigures line = line(product(h100(), 0, SQUARES, "7", 10, 10.4));

        assertThat(line.bytes()).isEqualTo(0.4e-6 * 3.352e12, within(1.0));
        assertThat(line.mbuBusy()).isEqualTo(1);
    }

    /** FLOPs and times that a script worked out from the events of the traces by the plainest method. */
    @Test
    @Tag("traces")
    void realTracesHaveWhatAScriptCounts() throws Exception {
        UtilisationFigures bert = RealTraces.report("h100-bert-small")
                .rows(WorkTables.MODEL_UTILISATION)
                .get(0);
        UtilisationFigures qwen = RealTraces.report("mi300-qwen1.5")
                .rows(WorkTables.MODEL_UTILISATION)
                .get(0);

        // 26 products, and 4 attentions of 2 x 8 heads x 141^2 x (64 + 64).
        assertThat(bert.flops()).isEqualTo(8_029_194_240.0 + 4 * 40_716_288.0);
        assertThat(bert.mfuBusy())
                .isEqualTo((8_029_194_240.0 + 4 * 40_716_288.0) / 989.4e12 / 309.4377e-6, within(1e-6));
        assertThat(bert.mfu()).isEqualTo((8_029_194_240.0 + 4 * 40_716_288.0) / 989.4e12 / 3907.825e-6, within(1e-6));
        // 169 products, and 24 causal attentions of 2 x 16 x 16 heads x 559 x 560 / 2 x (64 + 64).
        assertThat(qwen.flops()).isEqualTo(5_514_536_717_248.0 + 24 * 10_257_694_720.0);
        assertThat(qwen.mfuBusy())
                .isEqualTo((5_514_536_717_248.0 + 24 * 10_257_694_720.0) / 1307.4e12 / 43_062.793e-6, within(1e-6));
        assertThat(RealTraces.report("b200-eager")
                        .rows(WorkTables.MODEL_UTILISATION)
                        .get(0)
                        .withheld())
                .contains("products with recorded inputs cover");
    }
}
