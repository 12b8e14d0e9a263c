package io.inferscope.bench;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importers;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Import and analysis in a warm JVM; {@code -p trace=FILE} names the trace. Cold starts are measured by {@code scripts/measure}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class AnalyzeBenchmark {
    /** The trace to read. */
    @Param("trace.json.gz")
    public String trace = "";

    private @Nullable Timeline timeline;

    /** Reads the trace once for {@link #analyze}. */
    @Setup
    public void load() throws ImportException {
        timeline = Importers.core().load(Path.of(trace));
    }

    /** Reads the trace into a timeline. */
    @Benchmark
    public Timeline importTrace() throws ImportException {
        return Importers.core().load(Path.of(trace));
    }

    /** Explains a timeline. */
    @Benchmark
    public Report analyze() {
        if (timeline == null) {
            throw new IllegalStateException("not set up");
        }
        return new Analyzer().analyze(timeline, "trace");
    }
}
