package io.inferscope.report.plots;

import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Answer;
import io.inferscope.report.plots.Plot.Pen;
import io.inferscope.timeline.BinarySearch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How long requests took by how many were being answered when they arrived, themselves included: a bar up to the median,
 * a line from there to the 95th percentile.
 */
final class LoadPlot {
    private static final int LEFT = 60;
    private static final int TOP = 10;
    private static final int WIDE = Plot.WIDTH - LEFT - 10;
    private static final int TALL = 140;
    private static final int MOST_BARS = 20;

    /** Of fewer requests, a percentile says nothing. */
    private static final int FEWEST = 5;

    private LoadPlot() {}

    /** Returns the picture; empty where the number of requests at once hardly differs. */
    static Optional<Plot> of(List<Answer> answers) {
        long[] starts = answers.stream().mapToLong(Answer::startNs).sorted().toArray();
        long[] ends = answers.stream().mapToLong(Answer::endNs).sorted().toArray();
        Map<Integer, Percentiles> byLoad = new TreeMap<>();
        for (Answer answer : answers) {
            long ns = answer.startNs();
            int begun = BinarySearch.first(0, starts.length, i -> starts[i] > ns);
            int over = BinarySearch.first(0, ends.length, i -> ends[i] > ns);
            byLoad.computeIfAbsent(Math.max(1, begun - over), load -> new Percentiles())
                    .add(answer.durationNs());
        }
        byLoad.values().removeIf(samples -> samples.count() < FEWEST);
        return byLoad.size() < 2 ? Optional.empty() : Optional.of(drawn(grouped(byLoad)));
    }

    /** Returns at most {@link #MOST_BARS} of the loads, spread evenly. */
    private static Map<Integer, Percentiles> grouped(Map<Integer, Percentiles> byLoad) {
        List<Integer> loads = List.copyOf(byLoad.keySet());
        int bars = Math.min(MOST_BARS, loads.size());
        Map<Integer, Percentiles> kept = new TreeMap<>();
        for (int bar = 0; bar < bars; bar++) {
            Integer load = loads.get(bars == 1 ? 0 : (int) ((long) bar * (loads.size() - 1) / (bars - 1)));
            kept.put(load, byLoad.get(load));
        }
        return kept;
    }

    private static Plot drawn(Map<Integer, Percentiles> byLoad) {
        long most = byLoad.values().stream()
                .mapToLong(samples -> samples.percentile(95))
                .max()
                .orElse(1);
        Pen pen = new Pen();
        for (double part : new double[] {0, 0.5, 1}) {
            double y = TOP + TALL * (1 - part);
            pen.line(LEFT, y, LEFT + WIDE, y).text(LEFT - 5, y + 4, "end", Units.duration(Math.round(part * most)));
        }
        double width = (double) WIDE / byLoad.size();
        double x = LEFT;
        String first = "";
        String last = "";
        for (Map.Entry<Integer, Percentiles> entry : byLoad.entrySet()) {
            Percentiles samples = entry.getValue();
            double median = (double) samples.percentile(50) / most * TALL;
            double high = (double) samples.percentile(95) / most * TALL;
            String words = entry.getKey() + " at once: median " + Units.duration(samples.percentile(50)) + ", p95 "
                    + Units.duration(samples.percentile(95)) + ", " + Units.count(samples.count()) + " requests";
            pen.bar("a", x + width / 10, TOP + TALL - median, width * 0.8, median, words)
                    .bar("b", x + width / 2 - 1, TOP + TALL - high, 2, high - median, words)
                    .text(x + width / 2, TOP + TALL + 18, "middle", Integer.toString(entry.getKey()));
            first = first.isEmpty() ? words : first;
            last = words;
            x += width;
        }
        pen.text(LEFT + WIDE, TOP + TALL + 34, "end", "requests at once");
        return new Plot(
                "load",
                "Requests by how many were answered at once",
                first + "; " + last,
                TOP + TALL + 40,
                pen.drawing());
    }
}
