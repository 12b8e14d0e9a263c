package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.CategoryFigures;
import io.inferscope.analyzer.model.WorkTables.ModuleFigures;
import io.inferscope.analyzer.model.WorkTables.QueueFigures;
import io.inferscope.analyzer.model.WorkTables.SequenceFigures;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What devices computed, against figures that a script worked out from the events of the traces by the plainest method. */
@Tag("traces")
class WorkTablesTest {
    private static Report work(String trace) throws Exception {
        return RealTraces.report(trace);
    }

    @Test
    void modulesHaveTheDeviceTimeThatTheirCallsLaunched() throws Exception {
        assertThat(work("h100-bert-small").rows(WorkTables.MODULES))
                .extracting(ModuleFigures::path, ModuleFigures::instances, ModuleFigures::deviceNs)
                .contains(
                        tuple("BertLMHeadModel", 1L, 309_437L),
                        tuple("BertLMHeadModel > BertModel", 1L, 257_341L),
                        tuple("BertLMHeadModel > BertModel > BertEncoder > BertLayer", 4L, 233_182L),
                        tuple("BertLMHeadModel > BertModel > BertEncoder > BertLayer > BertAttention", 4L, 148_894L));
    }

    @Test
    void timeOutsideOfModulesIsNoModules() throws Exception {
        assertThat(work("h100-timesformer").rows(WorkTables.MODULES))
                .first()
                .extracting(ModuleFigures::path, ModuleFigures::deviceNs, ModuleFigures::ownNs)
                .containsExactly("TimesformerForVideoClassification", 154_969_032L, 0L);
    }

    @Test
    void categoriesSumToTheTimeOfAllOperations() throws Exception {
        for (Path trace : SharedTraces.kinetoForCostlyTests()) {
            List<CategoryFigures> categories = RealTraces.report(trace).rows(WorkTables.KERNEL_CATEGORIES);
            if (!categories.isEmpty()) {
                assertThat(categories.stream()
                                .mapToDouble(CategoryFigures::share)
                                .sum())
                        .isBetween(1 - 1e-9, 1 + 1e-9);
            }
        }
        assertThat(work("h100-bert-small").rows(WorkTables.KERNEL_CATEGORIES))
                .extracting(CategoryFigures::category, CategoryFigures::library, CategoryFigures::count)
                .contains(tuple(KernelCategory.ATTENTION.words(), "FlashAttention", 4L));
    }

    /** As HTA counts: one more where the launch call begins, one less where the operation starts. */
    @Test
    void queuesAreAsLongAsLaunchesAreAhead() throws Exception {
        assertThat(work("a100-trace-diff-control").rows(WorkTables.LAUNCH_QUEUES))
                .extracting(
                        QueueFigures::stream,
                        QueueFigures::operations,
                        QueueFigures::lengthNs,
                        QueueFigures::waitedNs,
                        QueueFigures::mostLength)
                .contains(
                        tuple("1/7", 8_964L, 463_460_000L, 18_654_671_000L, 288L),
                        tuple("1/22", 144L, 392_870_000L, 990_612_000L, 22L));
    }

    @Test
    void theLayersOfAModelAreASequence() throws Exception {
        assertThat(work("mi300-qwen1.5").rows(WorkTables.KERNEL_SEQUENCES))
                .first()
                .extracting(SequenceFigures::length, SequenceFigures::count)
                .containsExactly(5L, 35L);
    }
}
