package io.inferscope.shapes;

import static io.inferscope.shapes.ShapeLogFixture.collect;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.kineto.KinetoImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapesBesideTimeTest {
    @TempDir
    private Path folder;

    @Test
    void callsWithTheSameSizesStandInOneLine() throws Exception {
        Path trace = Files.writeString(folder.resolve("trace.json"), """
                {"traceEvents": [
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 40, "args": {"Input Dims": [[8, 4], [4, 2]], "Input type": ["float", "float"]}},
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 50, "dur": 20, "args": {"Input Dims": [[8, 4], [4, 2]], "Input type": ["float", "float"]}},
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 90, "dur": 10, "args": {"Input Dims": [[1, 4], [4, 2]], "Input type": ["float", "float"]}}
                ]}""");
        Path log = Files.writeString(folder.resolve("a.jsonl"), row(8, 100) + row(2, 1));
        Report report = ShapesBesideTime.of(report(trace), collect(log));

        assertThat(report.rows(ShapeTables.LOGGED_SHAPES)).hasSize(2);
        LoggedShape both = report.rows(ShapeTables.LOGGED_SHAPES).get(0);
        assertThat(both.calls()).isEqualTo(100);
        assertThat(both.flops()).isEqualTo(2 * 8 * 4 * 2);
        assertThat(both.timedCalls()).isEqualTo(2);
        assertThat(both.hostNs()).isEqualTo(60_000);
        LoggedShape untimed = report.rows(ShapeTables.LOGGED_SHAPES).get(1);
        assertThat(untimed.calls()).isEqualTo(1);
        assertThat(untimed.timedCalls()).isZero();
        assertThat(report.rows(ShapeTables.OPERATOR_SHAPES)).hasSize(2);
    }

    private static Report report(Path trace) throws Exception {
        TimelineBuilder builder = new TimelineBuilder();
        KinetoImporter importer = new KinetoImporter();
        importer.read(new TraceSource(trace), builder);
        return new Analyzer().analyze(builder.build(importer.format()), "trace.json");
    }

    private static String row(int rows, int calls) {
        return ("{\"operation\": \"aten.mm.default\", \"inputs\": {\"self\": {\"shape\": [" + rows
                        + ", 4], \"dtype\": \"torch.float32\"}, \"mat2\": {\"shape\": [4, 2], \"dtype\": \"torch.float32\"}},"
                        + " \"outputs\": {\"shape\": [" + rows + ", 2], \"dtype\": \"torch.float32\"}}\n")
                .repeat(calls);
    }
}
