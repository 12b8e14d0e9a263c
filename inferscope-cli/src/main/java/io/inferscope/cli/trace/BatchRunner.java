package io.inferscope.cli.trace;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.batch.Batch;
import io.inferscope.batch.BatchOptions;
import io.inferscope.batch.Installation;
import io.inferscope.batch.Pair;
import io.inferscope.batch.PairResult;
import io.inferscope.batch.TraceOptions;
import io.inferscope.batch.summary.BatchSummary;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.collectors.os.SignalHandlers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a batch for a command: with progress, signal handling and overview. */
final class BatchRunner {
    private static final int SOME_FAILED = 1;
    private static final int SIGNALLED = 128;

    private final Analyzer analyzer;
    private final Log log;
    private final AtomicInteger signal = new AtomicInteger();

    BatchRunner(Analyzer analyzer, Log log) {
        this.analyzer = analyzer;
        this.log = log;
    }

    /** Runs the pairs; returns the exit code. */
    int run(TraceOptions options, BatchOptions how, Installation installation, List<Pair> pairs)
            throws IOException, InterruptedException {
        RunOutputs.check(options.output());
        BatchSummary.checkWritable(options.output());
        List<PairResult> results;
        try (TraceProgress progress = TraceProgress.of(log, pairs.size());
                Batch batch = new Batch(options, how, installation, new TraceReports(analyzer), progress)) {
            for (String name : List.of("INT", "TERM", "HUP")) {
                SignalHandlers.handle(name, number -> stop(batch, number));
            }
            results = batch.run(pairs);
        }
        Path summary = BatchSummary.write(options.output(), results);
        log.info(TracerTexts.conclusion(results) + "; see " + summary);
        if (signal.get() != 0) {
            return SIGNALLED + signal.get();
        }
        return results.stream().allMatch(PairResult::isFine) ? 0 : SOME_FAILED;
    }

    /** The first signal ends the batch in order; the second one ends it as soon as no tracer process is left. */
    private void stop(Batch batch, int number) {
        boolean first = signal.compareAndSet(0, number);
        if (first) {
            log.warn("stopping; the same command continues from here");
        }
        batch.stop();
        if (!first) {
            Runtime.getRuntime().halt(SIGNALLED + number);
        }
    }
}
