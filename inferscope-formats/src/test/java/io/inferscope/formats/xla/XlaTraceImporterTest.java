package io.inferscope.formats.xla;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class XlaTraceImporterTest {
    /** A GPU's profile: the shape is that of XLA's writer, the figures are made up. */
    public static final String GPU = """
            {"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
            {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
            {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"Stream #7(Compute,MemcpyH2D,Memset)"}},
            {"ph":"M","pid":1,"tid":90,"name":"thread_name","args":{"name":"XLA Ops"}},
            {"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
            {"ph":"M","pid":701,"tid":11,"name":"thread_name","args":{"name":"python"}},
            {"ph":"X","pid":701,"tid":11,"ts":0,"dur":100,"name":"step","args":{"step_num":"0"}},
            {"ph":"X","pid":701,"tid":11,"ts":1,"dur":90,"name":"$serve.py:31 answer"},
            {"ph":"X","pid":701,"tid":11,"ts":2,"dur":20,"name":"PjitFunction(predict)"},
            {"ph":"X","pid":701,"tid":11,"ts":3,"dur":2,"name":"cuMemcpyHtoDAsync_v2","args":{"correlation_id":"5","device_id":"0"}},
            {"ph":"X","pid":701,"tid":11,"ts":6,"dur":4,"name":"cuLaunchKernel","args":{"correlation_id":"6"}},
            {"ph":"X","pid":701,"tid":11,"ts":12,"dur":4,"name":"cuGraphLaunch (CudaGraph:3)","args":{"correlation_id":"7"}},
            {"ph":"X","pid":701,"tid":11,"ts":30,"dur":5,"name":"CommonPjRtBuffer::Await"},
            {"ph":"X","pid":701,"tid":11,"ts":40,"dur":0.000001,"name":"ThreadpoolListener::Record"},
            {"ph":"X","pid":1,"tid":7,"ts":8,"dur":2.5,"name":"MemcpyH2D","args":{"correlation_id":"5","memcpy_details":"kind_src:pageable kind_dst:device size:4096 dest:0 async:1"}},
            {"ph":"X","pid":1,"tid":7,"ts":12,"dur":9,"name":"gemm_fusion_dot_1","args":{"correlation_id":"6","hlo_op":"gemm_fusion_dot.1","hlo_module":"jit_predict","kernel_details":"regs:32"}},
            {"ph":"X","pid":1,"tid":7,"ts":22,"dur":1,"name":"Memset","args":{"correlation_id":"7","Memset_details":"kind:device num_bytes:64 async:1"}},
            {"ph":"X","pid":1,"tid":90,"ts":12,"dur":9,"name":"gemm_fusion_dot.1"},
            {}]}
            """;

    @TempDir
    private Path folder;

    private Timeline load(String text) throws ImportException {
        return Formats.importers().load(TraceFile.of(folder, "host.trace.json", text));
    }

    @Test
    void planesAndLinesBecomeTracksAndEventsTheirKinds() throws ImportException {
        Timeline timeline = load(GPU);

        assertThat(timeline.info().format()).isEqualTo("xla");
        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION 11 [0,100000) step",
                        "PYTHON_FUNCTION 11 [1000,91000) serve.py(31): answer",
                        "ANNOTATION 11 [2000,22000) PjitFunction(predict) ACTIVITY=" + RangeActivity.MODEL.ordinal(),
                        "DRIVER_CALL 11 [3000,5000) cuMemcpyHtoDAsync_v2 c5",
                        "DRIVER_CALL 11 [6000,10000) cuLaunchKernel c6",
                        "GRAPH_LAUNCH 11 [12000,16000) cuGraphLaunch (CudaGraph:3) c7",
                        "ANNOTATION 11 [30000,35000) CommonPjRtBuffer::Await ACTIVITY="
                                + RangeActivity.SYNCHRONISATION.ordinal(),
                        "INSTANT 11 [40000,40000) ThreadpoolListener::Record",
                        "MEMCPY_H2D 7 [8000,10500) MemcpyH2D c5 SIZE_BYTES=4096 MEMORY_KINDS=Pageable -> Device",
                        "KERNEL 7 [12000,21000) gemm_fusion_dot_1 c6 DETAIL=gemm_fusion_dot.1 (jit_predict) HLO_INSTRUCTION=gemm_fusion_dot.1 HLO_MODULE=jit_predict",
                        "MEMSET 7 [22000,23000) Memset c7 SIZE_BYTES=64",
                        "DEVICE_ANNOTATION 90 [12000,21000) gemm_fusion_dot.1");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    /** The argument tells a copy from a set; the name is the program's. */
    @Test
    void aCopyMayBeCalledAfterASet() throws ImportException {
        Timeline timeline = load(GPU.replace("\"MemcpyH2D\"", "\"copy_of_memset\""));

        assertThat(rows(timeline))
                .contains(
                        "MEMCPY_OTHER 7 [8000,10500) copy_of_memset c5 SIZE_BYTES=4096 MEMORY_KINDS=Pageable -> Device");
    }

    /** Old profilers of AMD's GPUs name launch calls after their kernels. */
    @Test
    void onlyACallOfAKernelIsNamedALaunchOfIt() throws ImportException {
        Timeline timeline = load(GPU.replace("cuMemcpyHtoDAsync_v2", "copy in")
                .replace("cuLaunchKernel", "gemm_fusion_dot_1")
                .replace("cuGraphLaunch (CudaGraph:3)", "fill"));

        assertThat(launchOf(timeline, "MemcpyH2D")).isEqualTo("copy in");
        assertThat(launchOf(timeline, "Memset")).isEqualTo("fill");
        assertThat(rows(timeline))
                .contains(
                        "RUNTIME_CALL 11 [3000,5000) copy in c5",
                        "RUNTIME_CALL 11 [6000,10000) hipLaunchKernel: gemm_fusion_dot_1 c6");
    }

    @Test
    void theCorrelationIdJoinsLaunchAndKernel() throws ImportException {
        Timeline timeline = load(GPU);

        assertThat(launchOf(timeline, "MemcpyH2D")).isEqualTo("cuMemcpyHtoDAsync_v2");
        assertThat(launchOf(timeline, "gemm_fusion_dot_1")).isEqualTo("cuLaunchKernel");
        assertThat(launchOf(timeline, "Memset")).isEqualTo("cuGraphLaunch (CudaGraph:3)");
    }

    @Test
    void loopsOfAnAcceleratorDoNotCountOnTopOfWhatTheyRun() throws ImportException {
        Timeline timeline = load("""
                {"traceEvents":[
                {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}},
                {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Modules"}},
                {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}},
                {"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"jit_f(1)"},
                {"ph":"X","pid":1,"tid":2,"ts":1,"dur":90,"name":"while.3"},
                {"ph":"X","pid":1,"tid":2,"ts":2,"dur":80,"name":"fusion.7","args":{"hlo_op":"fusion.7"}}]}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "DEVICE_ANNOTATION 1 [0,100000) jit_f(1)",
                        "DEVICE_ANNOTATION 2 [1000,91000) while.3",
                        "KERNEL 2 [2000,82000) fusion.7 DETAIL=fusion.7 HLO_INSTRUCTION=fusion.7");
        assertThat(timeline.tracks()).anyMatch(t -> t.key().equals("TPU:0"));
    }

    @Test
    void aCutFileKeepsWhatPrecedesTheCut() throws ImportException {
        Timeline timeline = load(GPU.substring(0, GPU.indexOf("cuGraphLaunch")));

        assertThat(timeline.rowCount()).isEqualTo(5);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void aFileOfNamesAloneIsNotCalledEmpty() {
        assertThatThrownBy(() -> load("""
                        {"traceEvents":[
                        {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
                        {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"Stream #7"}}]}
                        """))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("no usable event in it (it holds no event with a time)");
    }

    private static String launchOf(Timeline timeline, String name) {
        int row = IntStream.range(0, timeline.rowCount())
                .filter(r -> timeline.name(r).equals(name))
                .findFirst()
                .orElseThrow();
        return timeline.name(timeline.links().launchOf(row));
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }

    @Test
    void feedingAnAcceleratorIsACopy() throws ImportException {
        Timeline timeline = load("""
                {"traceEvents":[
                {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}},
                {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}},
                {"ph":"X","pid":1,"tid":2,"ts":1,"dur":9,"name":"infeed"},
                {"ph":"X","pid":1,"tid":2,"ts":10,"dur":5,"name":"outfeed.2"},
                {"ph":"X","pid":1,"tid":2,"ts":20,"dur":5,"name":"infeed_fusion"}]}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "MEMCPY_H2D 2 [1000,10000) infeed",
                        "MEMCPY_D2H 2 [10000,15000) outfeed.2",
                        "KERNEL 2 [20000,25000) infeed_fusion");
    }
}
