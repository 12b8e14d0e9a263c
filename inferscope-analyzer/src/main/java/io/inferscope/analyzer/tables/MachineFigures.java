package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.analysis.Counters;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.List;

/**
 * The counters of the machine, of control groups and of processes' memory ({@code host.}), of the processor
 * ({@code perf.}) and of devices ({@code nvml.}).
 */
final class MachineFigures {
    private static final int MOST = 100;

    private MachineFigures() {}

    static List<CounterFigures> of(Timeline timeline, Counters counters) {
        return counters.all().stream()
                .filter(series -> isMachines(series.key()))
                .limit(MOST)
                .map(series -> figuresOf(timeline, series))
                .toList();
    }

    /** Returns the series of any one counter. */
    static List<CounterFigures> named(Timeline timeline, Counters counters, String name) {
        return counters.named(name).stream()
                .map(series -> figuresOf(timeline, series))
                .toList();
    }

    private static boolean isMachines(String counter) {
        return counter.startsWith("host.") || counter.startsWith("perf.") || counter.startsWith("nvml.");
    }

    private static CounterFigures figuresOf(Timeline timeline, Series series) {
        int owner = series.process();
        Track process = owner < 0 ? null : timeline.tracks().get(owner);
        return new CounterFigures(
                process == null ? "" : process.name(),
                series.key(),
                series.size(),
                series.first(),
                series.last(),
                series.least(),
                series.most(),
                series.growth());
    }
}
