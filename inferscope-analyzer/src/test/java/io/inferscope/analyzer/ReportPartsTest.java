package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.lang.reflect.Field;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A defect in one part of a report costs that part. */
class ReportPartsTest {
    @Test
    void whatFailsIsNamedAndTheRestIsMade() {
        ReportParts attempts = new ReportParts(true);

        List<String> broken = attempts.list("table kernels", () -> {
            throw new IllegalStateException("first line\nsecond line");
        });
        String endless = attempts.at("notes", "none", () -> {
            throw new StackOverflowError();
        });

        assertThat(broken).isEmpty();
        assertThat(endless).isEqualTo("none");
        assertThat(attempts.at("verdict", "none", () -> "cpu")).isEqualTo("cpu");
        assertThat(attempts.failures())
                .containsExactly(
                        new Failure("table kernels", "IllegalStateException: first line"),
                        new Failure("notes", "StackOverflowError"));
    }

    @Test
    void theConsoleGetsItsTablesAlone() {
        Tables tables = Tables.of(Analysis.of(
                TimelineFixture.blank()
                        .operator("main", 0, 40, "aten::addmm")
                        .kernel("7", 40, 50, "gemm")
                        .launchedBy("main", 36, 38)
                        .build(),
                Thresholds.defaults()));

        TableRows all = new ReportParts(true).tables(tables, true);
        TableRows withoutPath = new ReportParts(true).tables(tables, false);
        TableRows console = new ReportParts(false).tables(tables, true);

        assertThat(all.rows(Report.OPERATORS)).hasSize(1);
        assertThat(all.rows(PathTables.CLASSES)).isNotEmpty();
        assertThat(all.notesOnTables().path()).isNotNull();
        assertThat(withoutPath.rows(PathTables.CLASSES)).isEmpty();
        assertThat(withoutPath.notesOnTables().path()).isNull();
        assertThat(console.rows(Report.KERNELS)).hasSize(1);
        assertThat(Tables.all())
                .filteredOn(id -> !console.rows(id).isEmpty())
                .containsExactlyInAnyOrder(Report.DEVICES, Report.KERNELS, Report.THREADS);
    }

    @Test
    void everyDeclaredTableIsMade() throws Exception {
        List<TableId<?>> declared = new ArrayList<>();
        Path classes =
                Path.of(TableId.class.getResource("TableId.class").toURI()).getParent();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(classes, "*.class")) {
            for (Path file : files) {
                String name = file.getFileName().toString().replace(".class", "");
                for (Field field : Class.forName(TableId.class.getPackageName() + "." + name)
                        .getDeclaredFields()) {
                    if (field.getType() == TableId.class) {
                        declared.add((TableId<?>) field.get(null));
                    }
                }
            }
        }

        assertThat(Tables.all()).containsExactlyInAnyOrderElementsOf(declared);
    }
}
