package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.model.RooflineBound;
import io.inferscope.analyzer.model.RooflineRemark;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.MemoryFigures;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ShapeTableTest {
    private static final String HALVES = "[c10::Half,c10::Half,c10::Half]";

    private static Tables shapes(Timeline timeline) {
        return Tables.of(Analysis.of(timeline, Thresholds.defaults()));
    }

    private static TimelineFixture h100() {
        return TimelineFixture.blank().property("device.0.name", "NVIDIA H100 80GB HBM3");
    }

    private static TimelineFixture operator(
            TimelineFixture fixture, double startUs, double endUs, String name, String dims) {
        return fixture.operator("main", startUs, endUs, name)
                .text(Attribute.INPUT_DIMS, dims)
                .text(Attribute.INPUT_TYPES, HALVES);
    }

    private static TimelineFixture linear(TimelineFixture fixture, double atUs, String kernel) {
        operator(fixture, atUs, atUs + 9, "aten::linear", "[[512,512],[512,512]]");
        operator(fixture, atUs + 1, atUs + 8, "aten::mm", "[[512,512],[512,512]]");
        return fixture.kernel("7", atUs + 9, atUs + 14, kernel).launchedBy("main", atUs + 2, atUs + 3);
    }

    /** 2 x 512^3 operations in 5 us are 53.7 TFLOP/s; three matrices of half a MiB at 3,352 GB/s take 0.469 us. */
    @Test
    void theInnermostKnownOperatorOwnsTheKernel() {
        Tables shapes = shapes(linear(linear(h100(), 0, "ampere_s16816gemm"), 20, "ampere_s16816gemm")
                .build());

        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES)).singleElement().satisfies(mm -> {
            assertThat(mm.name()).isEqualTo("aten::mm");
            assertThat(mm.count()).isEqualTo(2);
            assertThat(mm.hostNs()).isEqualTo(us(14));
            assertThat(mm.deviceNs()).isEqualTo(us(10));
            assertThat(mm.share()).isEqualTo(1);
            assertThat(mm.flops()).isEqualTo(268_435_456);
            assertThat(mm.flopsPerSecond()).isEqualTo(5.36870912e13, within(1e6));
            assertThat(mm.bytes()).isEqualTo(3 * 512 * 512 * 2);
            assertThat(mm.bound()).isEqualTo(RooflineBound.MEMORY);
            assertThat(mm.efficiency()).isEqualTo(0.0938, within(1e-4));
            assertThat(mm.matrixUnits()).isEqualTo(MatrixUnits.USED);
        });
        assertThat(shapes.rows(ShapeTables.DEVICE_PEAKS))
                .singleElement()
                .satisfies(peak -> assertThat(peak.model()).isEqualTo("H100 SXM"));
    }

    @Test
    void aDeviceWithoutDescriptionIsTheOnlyModelDescribed() {
        TimelineFixture one = TimelineFixture.blank().property("device.5.name", "AMD Instinct MI300X VF");
        TimelineFixture two = TimelineFixture.blank()
                .property("device.5.name", "AMD Instinct MI300X VF")
                .property("device.6.name", "AMD Instinct MI210");

        assertThat(shapes(linear(one, 0, "nvjet").build()).rows(ShapeTables.DEVICE_PEAKS))
                .singleElement()
                .satisfies(peak -> assertThat(peak.model()).isEqualTo("MI300X"));
        assertThat(shapes(linear(two, 0, "nvjet").build()).rows(ShapeTables.DEVICE_PEAKS))
                .isEmpty();
    }

    @Test
    void anUnknownOperatorInsideBelongsToTheKnownOneAround() {
        TimelineFixture fixture = h100();
        operator(fixture, 0, 9, "aten::embedding", "[[1000,64],[8]]");
        operator(fixture, 1, 8, "aten::index_select", "[[1000,64],[],[8]]");
        fixture.kernel("7", 9, 14, "indexSelectLargeIndex").launchedBy("main", 2, 3);

        assertThat(shapes(fixture.build()).rows(ShapeTables.OPERATOR_SHAPES))
                .singleElement()
                .satisfies(o -> assertThat(o.name()).isEqualTo("aten::embedding"));
    }

    @Test
    void anOperatorWithoutFormulaIsListedWithItsTime() {
        TimelineFixture fixture = h100();
        operator(fixture, 0, 9, "vllm::moe_forward", "[[8,64]]");
        fixture.kernel("7", 9, 14, "moe").launchedBy("main", 2, 3);

        assertThat(shapes(fixture.build()).rows(ShapeTables.OPERATOR_SHAPES))
                .singleElement()
                .satisfies(o -> {
                    assertThat(o.kind()).isNull();
                    assertThat(o.flops()).isNull();
                    assertThat(o.efficiency()).isNull();
                    assertThat(o.deviceNs()).isEqualTo(us(5));
                });
    }

    /** 512 operations at 1.1 times the peak's pace would be honest rounding; five times is not. */
    @Test
    void moreThanThePeakIsFlagged() {
        TimelineFixture fixture = h100();
        operator(fixture, 0, 9, "aten::mm", "[[8192,8192],[8192,8192]]");
        fixture.kernel("7", 9, 209, "nvjet").launchedBy("main", 2, 3);

        assertThat(shapes(fixture.build()).rows(ShapeTables.OPERATOR_SHAPES))
                .singleElement()
                .satisfies(o -> assertThat(o.remark()).isEqualTo(RooflineRemark.ABOVE_PEAK));
    }

    @Test
    void aCopyOverTheBusIsNotHeldAgainstTheMemory() {
        TimelineFixture fixture = h100();
        operator(fixture, 0, 9, "aten::copy_", "[[512,512],[512,512]]");
        fixture.h2d("7", 9, 14, "Memcpy HtoD (Pinned -> Device)").launchedBy("main", 2, 3);

        assertThat(shapes(fixture.build()).rows(ShapeTables.OPERATOR_SHAPES))
                .singleElement()
                .satisfies(o -> {
                    assertThat(o.kind()).isEqualTo(WorkKind.COPY);
                    assertThat(o.bytesPerSecond()).isEqualTo(1_048_576 / 5e-6, within(1.0));
                    assertThat(o.bound()).isNull();
                });
    }

    /** A captured operator counts once per replay, and its kernels' time is theirs. */
    @Test
    void kernelsOfAGraphBelongToTheOperatorsOfItsCapture() {
        TimelineFixture fixture = h100().call("main", 0, 1, "cudaStreamBeginCapture");
        operator(fixture, 2, 8, "aten::mm", "[[512,512],[512,512]]");
        fixture.call("main", 3, 4, "cudaLaunchKernel")
                .call("main", 5, 6, "cudaLaunchKernel")
                .call("main", 8, 9, "cudaStreamEndCapture");
        for (int replay = 0; replay < 3; replay++) {
            double atUs = 20 + 20 * replay;
            fixture.graphLaunch("main", atUs, atUs + 2)
                    .kernel("7", atUs + 2, atUs + 6, "nvjet")
                    .replayed()
                    .kernel("7", atUs + 7, atUs + 8, "splitKreduce_kernel")
                    .replayed();
        }

        assertThat(shapes(fixture.build()).rows(ShapeTables.OPERATOR_SHAPES))
                .singleElement()
                .satisfies(o -> {
                    assertThat(o.count()).isEqualTo(3);
                    assertThat(o.deviceNs()).isEqualTo(us(15));
                    assertThat(o.flopsPerSecond()).isEqualTo(268_435_456 / 5e-6, within(1e3));
                });
    }

    /** Three slow passes with one product, then even ones with another. The first even step begins where the last slow kernel ended. */
    @Test
    void operatorsAreThoseOfTheSteadyStateWhereThatIsJudged() {
        TimelineFixture fixture = h100();
        double at = 0;
        for (int pass = 0; pass < 15; pass++) {
            boolean slow = pass < 3;
            double lengthUs = slow ? 900 : 60;
            fixture.scope("main", at, at + lengthUs, "ProfilerStep#" + pass);
            operator(fixture, at + 1, at + 9, "aten::mm", slow ? "[[8,8],[8,8]]" : "[[512,512],[512,512]]");
            double kernelUs = slow ? 800 : 30;
            fixture.kernel("7", at + 10, at + 10 + kernelUs, "ampere_s16816gemm")
                    .launchedBy("main", at + 2, at + 3);
            at += lengthUs;
        }
        Tables shapes = shapes(fixture.build());

        assertThat(shapes.shapesPart()).isEqualTo(LedgerPart.STEADY_STATE);
        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES)).singleElement().satisfies(mm -> {
            assertThat(mm.dims()).isEqualTo("[[512,512],[512,512]]");
            assertThat(mm.count()).isEqualTo(11);
            assertThat(mm.deviceNs()).isEqualTo(11 * us(30));
        });
    }

    @Test
    void operatorsAreThoseOfTheSpanWhereTheSteadyStateHasNoneWithSizes() {
        TimelineFixture fixture = h100();
        linear(fixture, 0, "ampere_s16816gemm");
        for (int pass = 0; pass < 12; pass++) {
            double at = 100 + 50 * pass;
            fixture.scope("main", at, at + 50, "ProfilerStep#" + pass)
                    .kernel("7", at + 10, at + 40, "gemm")
                    .launchedBy("main", at + 2, at + 3);
        }
        Tables shapes = shapes(fixture.build());

        assertThat(shapes.shapesPart()).isEqualTo(LedgerPart.SPAN);
        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES)).hasSize(1);
    }

    @Test
    void withoutADeviceTheHostsTimeCounts() {
        TimelineFixture fixture = TimelineFixture.blank();
        operator(fixture, 0, 100, "aten::linear", "[[512,512],[512,512]]");
        operator(fixture, 10, 90, "aten::mm", "[[512,512],[512,512]]");
        operator(fixture, 100, 120, "aten::relu", "[[512,512]]");

        Tables shapes = shapes(fixture.build());

        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES))
                .extracting(OperatorShape::name)
                .containsExactly("aten::mm", "aten::relu");
        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES).get(0).flopsPerSecond())
                .isEqualTo(268_435_456 / 80e-6, within(1.0));
        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES).get(0).share()).isEqualTo(0.8);
        assertThat(shapes.rows(ShapeTables.OPERATOR_SHAPES).get(0).bound()).isNull();
        assertThat(shapes.rows(ShapeTables.DEVICE_PEAKS)).isEmpty();
    }

    @Test
    void hostTimeIsNotThatOfWorkWhoseDeviceIsNotRecorded() {
        TimelineFixture launched = TimelineFixture.blank();
        operator(launched, 0, 100, "aten::mm", "[[512,512],[512,512]]");
        launched.call("main", 10, 20, "cudaLaunchKernel");
        TimelineFixture other = TimelineFixture.blank();
        operator(other, 0, 100, "aten::mm", "[[512,512],[512,512]]");
        other.host(RowKind.OTHER, "main", 200, 210, "mtia_ccp_events");

        assertThat(shapes(launched.build()).rows(ShapeTables.OPERATOR_SHAPES)).isEmpty();
        assertThat(shapes(other.build()).rows(ShapeTables.OPERATOR_SHAPES)).isEmpty();
    }

    private static TimelineFixture mark(TimelineFixture fixture, double atUs, long device, long allocated) {
        fixture.host(RowKind.INSTANT, "main", atUs, atUs, "[memory]");
        int row = fixture.lastRow();
        fixture.builder().attribute(row, Attribute.ALLOCATED_BYTES, allocated);
        fixture.builder().attribute(row, Attribute.RESERVED_BYTES, 4 * allocated);
        fixture.builder().attribute(row, Attribute.MEMORY_DEVICE, device);
        return fixture;
    }

    @Test
    void theAllocatorsPeakIsTheFirstMomentOfItsMost() {
        TimelineFixture fixture = TimelineFixture.blank()
                .property("device.0.memory_bytes", "10000")
                .operator("main", 10, 20, "aten::gelu");
        mark(mark(mark(mark(fixture, 5, 0, 100), 15, 0, 900), 25, 0, 900), 30, 0, 50);
        mark(fixture, 40, -1, 7);

        assertThat(shapes(fixture.build()).rows(ShapeTables.ALLOCATORS))
                .containsExactly(
                        new MemoryFigures("1", "0", 4, 900, us(15), "aten::gelu", 3600L, 50, 10_000L),
                        new MemoryFigures("1", "host", 1, 7, us(40), "", 28L, 7, null));
    }
}
