package io.inferscope.formats.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class OnnxRuntimeImporterTest {
    /** One run on a GPU: the shape of the events is that of ONNX Runtime's writer, the figures are made up. */
    public static final String PROFILE = """
            [
            {"cat" : "Session","pid" :7,"tid" :8,"dur" :100,"ts" :0,"ph" : "X","name" :"model_loading_uri","args" : {}},
            {"cat" : "Session","pid" :7,"tid" :8,"dur" :50,"ts" :100,"ph" : "X","name" :"session_initialization","args" : {}},
            {"cat" : "Node","pid" :7,"tid" :8,"dur" :2,"ts" :201,"ph" : "X","name" :"fc_fence_before","args" : {"op_name" : "MatMul"}},
            {"cat" : "Node","pid" :7,"tid" :8,"dur" :30,"ts" :205,"ph" : "X","name" :"fc_kernel_time","args" : {"provider" : "CUDAExecutionProvider","node_index" : "0","input_type_shape" : [{"float":[1,32]},{"float":[]}],"op_name" : "MatMul","thread_scheduling_stats" : {"main_thread": {"core": 1}}}},
            {"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :9,"ts" :220,"ph" : "X","name" :"MemcpyHostToDevice","args" : {"stream" : "7","op_name" : "MatMul","parent_name" : "fc_kernel_time"}},
            {"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :20,"ts" :230,"ph" : "X","name" :"gemm<float>","args" : {"stream" : "7","op_name" : "MatMul","parent_name" : "fc_kernel_time"}},
            {"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :1,"ts" :260,"ph" : "X","name" :"hipMemsetAsync","args" : {"stream" : "7"}},
            {"cat" : "Api","pid" :7,"tid" :8,"dur" :3,"ts" :210,"ph" : "X","name" :"hipLaunchKernel","args" : {}},
            {"cat" : "Session","pid" :7,"tid" :8,"dur" :95,"ts" :202,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
            {"cat" : "Session","pid" :7,"tid" :8,"dur" :100,"ts" :200,"ph" : "X","name" :"model_run","args" : {}}
            ]
            """;

    @TempDir
    private Path folder;

    private Timeline load(String text) throws ImportException {
        return Formats.importers().load(TraceFile.of(folder, "profile.json", text));
    }

    @Test
    void everyCategoryHasItsKindTrackAndActivity() throws ImportException {
        Timeline timeline = load(PROFILE);

        assertThat(timeline.info().format()).isEqualTo("onnxruntime");
        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION 8 [0,100000) model_loading_uri ACTIVITY=" + RangeActivity.LOAD.ordinal(),
                        "ANNOTATION 8 [100000,150000) session_initialization ACTIVITY=" + RangeActivity.LOAD.ordinal(),
                        "ANNOTATION 8 [200000,300000) model_run ACTIVITY=" + RangeActivity.MODEL.ordinal(),
                        "ANNOTATION 8 [201000,203000) MatMul fence_before ACTIVITY="
                                + RangeActivity.SYNCHRONISATION.ordinal(),
                        "ANNOTATION 8 [202000,297000) SequentialExecutor::Execute ACTIVITY="
                                + RangeActivity.MODEL.ordinal(),
                        "OPERATOR 8 [205000,235000) MatMul INPUT_DIMS=[{float:[1,32]},{float:[]}]"
                                + " DETAIL=fc (CUDAExecutionProvider) PROVIDER=CUDAExecutionProvider",
                        "ANNOTATION 8 [210000,213000) hipLaunchKernel ACTIVITY=" + RangeActivity.MODEL.ordinal(),
                        "MEMCPY_H2D 7 [220000,229000) MemcpyHostToDevice",
                        "KERNEL 7 [230000,250000) gemm<float>",
                        "MEMSET 7 [260000,261000) hipMemsetAsync");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void aKernelIsLinkedToTheOperatorThatItsArgumentsName() throws ImportException {
        Timeline timeline = load(PROFILE);

        assertThat(timeline.name(timeline.links().launchOf(row(timeline, "gemm<float>"))))
                .isEqualTo("MatMul");
        assertThat(timeline.links().launchOf(row(timeline, "hipMemsetAsync"))).isNegative();
    }

    @Test
    void whatOtherVersionsMayWriteIsKeptAndCounted() throws ImportException {
        Timeline timeline = load("""
                [{"cat" : "Session","pid" :7,"tid" :8,"dur" :1,"ts" :0,"ph" : "X","name" :"model_run","args" : {}},
                {"cat" : "Later","pid" :7,"tid" :8,"dur" :1,"ts" :2,"ph" : "X","name" :"new thing","args" : {}},
                {"cat" : "Node","pid" :7,"tid" :8,"ts" :2,"ph" : "X","name" :"a_kernel_time"},
                {"cat" : "Node","pid" :7,"tid" :8,"ts" :2,"ph" : "Q","name" :"a_kernel_time"}]
                """);

        assertThat(rows(timeline)).hasSize(2);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_CATEGORY)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.MISSING_DURATION)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_PHASE)).isEqualTo(1);
    }

    @Test
    void aCutProfileKeepsWhatPrecedesTheCut() throws ImportException {
        Timeline timeline = load(PROFILE.substring(0, PROFILE.indexOf("gemm")));

        assertThat(timeline.rowCount()).isEqualTo(5);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void otherTraceEventsAreNotTakenForAProfile() throws ImportException {
        Timeline timeline = load("""
                [{"ph":"X","cat":"Node","name":"a","pid":1,"tid":2,"ts":0,"dur":9}]
                """);

        assertThat(timeline.info().format()).isEqualTo("kineto");
    }

    @Tag("traces")
    @Test
    void aRealProfileSumsUpLikeAnIndependentCount() throws ImportException {
        Timeline timeline =
                Formats.importers().load(SharedTraces.folder().resolve("other").resolve("onnxruntime-profile.json"));

        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(timeline.importStats().eventsRead()).isEqualTo(97);
        assertThat(timeline.rowCount()).isEqualTo(97);
        assertThat(operators(timeline)).hasSize(85);
        assertThat(operators(timeline).stream()
                        .filter(row -> timeline.name(row).equals("MatMul"))
                        .mapToLong(timeline::durationNs)
                        .sum())
                .isEqualTo(REAL_MATMUL_NS);
    }

    /** Sum of dur over the events whose op_name is MatMul, counted by a script of three lines. */
    private static final long REAL_MATMUL_NS = 6_859_000;

    private static List<Integer> operators(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.OPERATOR)
                .filter(row -> timeline.attribute(row, Attribute.DETAIL) != Attribute.ABSENT)
                .boxed()
                .toList();
    }

    private static int row(Timeline timeline, String name) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.name(row).equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }
}
