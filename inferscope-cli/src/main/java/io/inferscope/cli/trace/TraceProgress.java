package io.inferscope.cli.trace;

import io.inferscope.batch.BatchListener;
import io.inferscope.batch.ModelRef;
import io.inferscope.batch.Pair;
import io.inferscope.batch.PairResult;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.LogLevel;
import io.inferscope.cli.common.ReadProgress;
import me.tongfei.progressbar.ProgressBar;

/** Progress of a batch: a bar on a terminal, and a line for each pair that needed work. */
interface TraceProgress extends BatchListener, AutoCloseable {
    @Override
    void close();

    /** Returns the progress for standard error: a bar if it is a terminal, otherwise lines. */
    static TraceProgress of(Log log, int total) {
        boolean bar = Boolean.getBoolean("inferscope.stderr.tty") && log.level().says(LogLevel.INFO);
        return bar ? new Bar(log, total) : new Lines(log);
    }

    /** A line for each pair that was run, or failed. */
    class Lines implements TraceProgress {
        private final Log log;

        Lines(Log log) {
            this.log = log;
        }

        @Override
        public void started(Pair pair) {
            log.debug("tracing " + pair);
        }

        @Override
        public void downloading(ModelRef model) {
            log.info("downloading " + model.id());
        }

        @Override
        public void finished(PairResult result, int done, int total) {
            String line = "[" + done + "/" + total + "] " + result.pair() + ": " + TracerTexts.outcome(result);
            if (result.action() == PairResult.Action.RAN) {
                double seconds = result.status()
                        .map(s -> s.number("durations_s", "total"))
                        .orElse(0.0);
                line += " in " + Math.round(seconds * 10) / 10.0 + " s";
            }
            if (result.action() == PairResult.Action.BYPASSED && result.isFine()) {
                log.debug(line);
            } else if (result.isFine()) {
                log.info(line);
            } else {
                log.warn(line + ": " + result.reason());
            }
        }

        @Override
        public void close() {}
    }

    /** Important lines above a bar, which is removed at the end of the batch. */
    final class Bar extends Lines {
        private final ProgressBar bar;

        Bar(Log log, int total) {
            super(log);
            bar = ReadProgress.Bar.builder("Tracing", total, 500).build();
        }

        @Override
        public void started(Pair pair) {
            bar.setExtraMessage(pair.toString());
        }

        @Override
        public void finished(PairResult result, int done, int total) {
            if (!result.isFine()) {
                super.finished(result, done, total);
            }
            bar.stepTo(done);
        }

        @Override
        public void close() {
            bar.close();
        }
    }
}
