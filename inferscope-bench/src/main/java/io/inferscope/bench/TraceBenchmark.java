package io.inferscope.bench;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.merge.Recording;
import io.inferscope.timeline.merge.TimelineMerge;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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

/**
 * The steps from a trace to its report in a warm JVM; {@code -p trace=FILE} names the trace. Cold starts are measured
 * by {@code lab/bench measure}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class TraceBenchmark {
    /** The trace to read. */
    @Param("trace.json.gz")
    public String trace = "";

    private @Nullable Timeline timeline;

    /** Reads the trace once for the steps behind the import. */
    @Setup
    public void load() throws ImportException {
        timeline = Formats.importers().load(Path.of(trace));
    }

    private Timeline timeline() {
        if (timeline == null) {
            throw new IllegalStateException("not set up");
        }
        return timeline;
    }

    /** Scans the trace's events and drops them. Returns a sum, so that they are not dropped before they are scanned. */
    @Benchmark
    public long scan() throws ImportException, IOException {
        EventSum sum = new EventSum();
        TraceEventReader.create().read(new TraceSource(Path.of(trace)), sum, new ImportStats.Builder());
        return sum.total;
    }

    /** Reads the trace into a timeline. */
    @Benchmark
    public Timeline importTrace() throws ImportException {
        return Formats.importers().load(Path.of(trace));
    }

    /** Puts the timeline and itself a second later on one timeline. */
    @Benchmark
    public Timeline merge() throws ImportException {
        return TimelineMerge.of(List.of(
                new Recording("a", timeline(), null), new Recording("b", timeline(), TimeUnit.SECONDS.toNanos(1))));
    }

    /** Computes the ledgers: device activity, idle blame, thread activity. */
    @Benchmark
    public Analysis ledger() {
        return Analysis.of(timeline(), Thresholds.defaults());
    }

    /** Explains a timeline: ledgers, trust gate, rules and tables. */
    @Benchmark
    public Report analyze() {
        return new Analyzer().analyze(timeline(), "trace");
    }

    private static final class EventSum implements TraceEventReader.Sink {
        private long total;

        @Override
        public void event(TraceEvent event) {
            total += event.tsNs();
        }

        @Override
        public void property(String path, String value) {
            total += value.length();
        }

        @Override
        public void restart() {
            total = 0;
        }
    }
}
