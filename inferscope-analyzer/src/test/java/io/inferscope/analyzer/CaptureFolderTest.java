package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A folder of vLLM with the capture of a graph and, three minutes later, its replay. By hand: 421 calls were captured, 421 kernels replayed. */
@Tag("traces")
public class CaptureFolderTest {
    private static Path file(String name) {
        return SharedTraces.folder().resolve("capture").resolve("vllm-full-" + name + ".json.gz");
    }

    private static @Nullable Timeline loaded;

    /** Returns the timeline of the folder. */
    public static synchronized Timeline timeline() throws ImportException {
        Timeline timeline = loaded;
        if (timeline == null) {
            timeline = CoreFormats.importers()
                    .load(
                            List.of(new Input(file("capture"), null, true), new Input(file("execution"), null, true)),
                            bytes -> {});
            loaded = timeline;
        }
        return timeline;
    }

    private static Report report(Timeline timeline) {
        return new Analyzer().analyze(timeline, "capture");
    }

    @Test
    void kernelsOfTheReplayHaveTheOperatorsOfTheCapture() throws Exception {
        Report report = report(timeline());

        GraphFigures graph = report.rows(ShapeTables.GRAPHS).get(0);
        assertThat(graph.source()).isEqualTo("capture");
        assertThat(graph.operations()).isEqualTo(421);
        assertThat(graph.kernels()).extracting(GraphKernel::operator).doesNotContain("");
        assertThat(report.rows(Report.KERNELS))
                .filteredOn(kernel -> kernel.name().equals("_topk_forward"))
                .extracting(KernelFigures::operator)
                .containsExactly("TopK");
        assertThat(report.rows(ShapeTables.OPERATOR_SHAPES))
                .filteredOn(operator -> operator.name().equals("vllm::moe_forward"))
                .extracting(OperatorShape::dims, OperatorShape::count)
                .containsExactly(tuple("[[32,3072],[32,32],[],[]]", 24L));
        assertThat(report.rows(WorkTables.MODULES))
                .filteredOn(module -> module.path().equals("GptOssForCausalLM"))
                .singleElement()
                .satisfies(module -> assertThat(module.calls()).isZero())
                .satisfies(module -> assertThat(module.share()).isGreaterThan(0.96));
    }

    @Test
    void comparedWithTheReplayAloneNothingIsNew() throws Exception {
        Side alone = Side.of(new Analyzer(), CoreFormats.load(file("execution")), "alone");
        Side joined = Side.of(new Analyzer(), timeline(), "joined");

        assertThat(Diff.of(alone, joined).groups())
                .filteredOn(
                        group -> group.id().equals("operators") || group.id().equals("annotations"))
                .flatExtracting(Comparison.Group::changes)
                .allSatisfy(change -> assertThat(change.afterNs()).isEqualTo(change.beforeNs()));
    }

    @Test
    void whatIsExplainedIsTheReplay() throws Exception {
        Report joined = report(timeline());
        Report alone = report(CoreFormats.load(file("execution")));

        assertThat(joined.window()).isEqualTo(alone.window());
        assertThat(joined.ledgers()).isEqualTo(alone.ledgers());
        assertThat(joined.verdict()).isEqualTo(alone.verdict());
        assertThat(joined.rows(Report.IDLE_BLAME)).isEqualTo(alone.rows(Report.IDLE_BLAME));
        assertThat(joined.rows(Report.OPERATORS)).isEqualTo(alone.rows(Report.OPERATORS));
        assertThat(joined.rows(Report.THREADS)).isEqualTo(alone.rows(Report.THREADS));
        assertThat(joined.trust()).isEqualTo(alone.trust());
        assertThat(joined.notes())
                .anyMatch(note -> note.contains("captures in vllm-full-capture.json.gz"))
                .noneMatch(note -> note.contains("skipped"));
    }
}
