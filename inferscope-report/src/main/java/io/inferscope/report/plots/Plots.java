package io.inferscope.report.plots;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Answer;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.plots.Plot.Pen;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;

/**
 * The pictures of a recording: utilisation of devices and CPUs over time, latencies of requests, by load and over time,
 * and operators below the roof of their device.
 */
public final class Plots {
    private static final int LEFT = 60;
    private static final int TOP = 10;
    private static final int PLOT = Plot.WIDTH - LEFT - 10;
    private static final int TALL = 110;
    private static final int HEIGHT = TOP + TALL + 26;
    private static final int BINS = 120;
    private static final int FEWEST_REQUESTS = 5;
    private static final int CLASSES = 24;
    private static final int ROWS = 30;
    private static final int LABEL = 75;
    private static final int MOST_NAMED = 8;
    private static final int ROW = 15;

    private final Analysis analysis;
    private final Stretch window;

    private Plots(Analysis analysis) {
        this.analysis = analysis;
        this.window = analysis.window();
    }

    /** Returns the pictures for which the recording has data. */
    public static List<Plot> of(Analysis analysis) {
        return new Plots(analysis).all();
    }

    private List<Plot> all() {
        List<Plot> plots = new ArrayList<>();
        if (window.durationNs() < BINS || !analysis.timeline().instantsAreRecorded()) {
            return plots;
        }
        for (DeviceActivity device : analysis.devices()) {
            plots.add(apart(use(device), plots));
        }
        if (analysis.threadStatesRecorded()) {
            plots.add(cpu());
        }
        List<Answer> answers = Tables.of(analysis).answers();
        if (answers.size() >= FEWEST_REQUESTS) {
            plots.add(latency(answers));
        }
        if (answers.size() > 1) {
            plots.add(waterfall(answers));
        }
        LoadPlot.of(answers).ifPresent(plots::add);
        Tables tables = Tables.of(analysis);
        RooflinePlot.of(tables.rows(ShapeTables.OPERATOR_SHAPES), tables.rows(ShapeTables.DEVICE_PEAKS))
                .ifPresent(plots::add);
        return plots;
    }

    /**
     * Makes a picture's id unique. Ids contain only letters and digits of a device's name, so "0:1" and "0/1" have the
     * same.
     */
    private static Plot apart(Plot plot, List<Plot> others) {
        String id = plot.id();
        for (int i = 2; others.stream().map(Plot::id).anyMatch(id::equals); i++) {
            id = plot.id() + "-" + i;
        }
        return new Plot(id, plot.title(), plot.words(), plot.height(), plot.drawing());
    }

    private long edgeNs(int bin) {
        return window.startNs() + window.durationNs() * bin / BINS;
    }

    private Plot use(DeviceActivity device) {
        double[] used = new double[BINS];
        for (int bin = 0; bin < BINS; bin++) {
            long ns = device.busy().totalWithinNs(edgeNs(bin), edgeNs(bin + 1));
            used[bin] = (double) ns / (edgeNs(bin + 1) - edgeNs(bin));
        }
        return overTime(
                "gpu-" + device.id().replaceAll("[^0-9a-zA-Z]", "_"),
                "Use of device " + device.id() + " over time",
                used,
                1,
                Units::percent);
    }

    private Plot cpu() {
        double[] used = new double[BINS];
        for (Track thread : analysis.threads().all()) {
            if (analysis.threads().onCpuNs(thread.id()) > 0) {
                for (int bin = 0; bin < BINS; bin++) {
                    long ns = analysis.threads().onCpuNs(thread.id(), edgeNs(bin), edgeNs(bin + 1));
                    used[bin] += (double) ns / (edgeNs(bin + 1) - edgeNs(bin));
                }
            }
        }
        double most = Math.max(1, Math.ceil(Arrays.stream(used).max().orElseThrow()));
        return overTime(
                "cpu",
                "Cores in use over time",
                used,
                most,
                cores -> String.format(Locale.ROOT, "%.1f", cores) + (cores == 1 ? " core" : " cores"));
    }

    private Plot overTime(String id, String title, double[] values, double most, DoubleFunction<String> words) {
        Pen pen = new Pen();
        double sum = 0;
        for (double part : new double[] {0, 0.5, 1}) {
            double y = TOP + TALL * (1 - part);
            pen.line(LEFT, y, LEFT + PLOT, y).text(LEFT - 5, y + 4, "end", words.apply(part * most));
        }
        double width = (double) PLOT / values.length;
        for (int bin = 0; bin < values.length; bin++) {
            double tall = Math.min(1, values[bin] / most) * TALL;
            sum += values[bin];
            if (values[bin] > 0) {
                pen.bar(
                        "a",
                        LEFT + bin * width,
                        TOP + TALL - tall,
                        width,
                        tall,
                        words.apply(values[bin]) + " at " + Units.point(edgeNs(bin) - window.startNs()));
            }
        }
        times(pen, 0, window.durationNs(), TOP + TALL + 18);
        return new Plot(
                id, title, title + ": " + words.apply(sum / values.length) + " in the mean", HEIGHT, pen.drawing());
    }

    private static void times(Pen pen, long fromNs, long toNs, double y) {
        pen.text(LEFT, y, "start", Units.duration(fromNs))
                .text(LEFT + PLOT / 2.0, y, "middle", Units.duration((fromNs + toNs) / 2))
                .text(LEFT + PLOT, y, "end", Units.duration(toNs));
    }

    /**
     * A ratio with its interval.
     *
     * @param label its name, below its bar where there is room
     * @param ratio its value, 0 to 1
     * @param low least plausible value
     * @param high most plausible value
     */
    public record Ratio(String label, double ratio, double low, double high) {
        /** Returns the value and, if known, the interval in words. */
        public String words() {
            return Units.percent(ratio)
                    + (low < high ? " (" + Units.percent(low) + " to " + Units.percent(high) + ")" : "");
        }
    }

    /** Returns a picture of ratios, a bar each, with their intervals as lines. */
    public static Plot ratios(String id, String title, List<Ratio> ratios) {
        Pen pen = new Pen();
        for (double part : new double[] {0, 0.5, 1}) {
            double y = TOP + TALL * (1 - part);
            pen.line(LEFT, y, LEFT + PLOT, y).text(LEFT - 5, y + 4, "end", Units.percent(part));
        }
        double width = (double) PLOT / Math.max(1, ratios.size());
        int step = (int) Math.ceil(LABEL / width);
        for (int i = 0; i < ratios.size(); i++) {
            Ratio one = ratios.get(i);
            double x = LEFT + i * width;
            double tall = one.ratio() * TALL;
            String words = one.label() + ": " + one.words();
            pen.bar("a", x + width / 10, TOP + TALL - tall, width * 0.8, tall, words);
            if (one.low() < one.high()) {
                double y = TOP + TALL * (1 - one.high());
                pen.bar("b", x + width / 2 - 1, y, 2, TALL * (one.high() - one.low()), words);
            }
            if (i % step == 0) {
                int room = Math.max(3, (int) (Math.max(width, LABEL) / 7));
                pen.text(
                        x + width / 2,
                        TOP + TALL + 18,
                        "middle",
                        one.label().length() > room ? one.label().substring(0, room) + "…" : one.label());
            }
        }
        DoubleSummaryStatistics all = ratios.stream().mapToDouble(Ratio::ratio).summaryStatistics();
        String words = ratios.size() > MOST_NAMED
                ? ratios.get(0).label() + " to " + ratios.get(ratios.size() - 1).label() + ": "
                        + Units.percent(all.getMin()) + " to " + Units.percent(all.getMax())
                : ratios.stream().map(one -> one.label() + " " + one.words()).collect(Collectors.joining(", "));
        return new Plot(id, title, words, HEIGHT, pen.drawing());
    }

    /** A histogram of latencies. Classes have equal width on a logarithmic scale. */
    private static Plot latency(List<Answer> answers) {
        long[] sorted = answers.stream()
                .mapToLong(a -> Math.max(1, a.durationNs()))
                .sorted()
                .toArray();
        double low = Math.log((double) sorted[0]);
        double wide = Math.max(1e-9, Math.log((double) sorted[sorted.length - 1]) - low) / CLASSES;
        int[] counts = new int[CLASSES];
        int most = 0;
        for (long ns : sorted) {
            int bin = (int) Math.min(CLASSES - 1, (Math.log((double) ns) - low) / wide);
            most = Math.max(most, ++counts[bin]);
        }
        Pen pen = new Pen();
        pen.line(LEFT, TOP, LEFT + PLOT, TOP).text(LEFT - 5, TOP + 4, "end", Integer.toString(most));
        pen.line(LEFT, TOP + TALL, LEFT + PLOT, TOP + TALL).text(LEFT - 5, TOP + TALL + 4, "end", "0");
        double width = (double) PLOT / CLASSES;
        for (int bin = 0; bin < CLASSES; bin++) {
            if (counts[bin] > 0) {
                double tall = (double) counts[bin] / most * TALL;
                pen.bar(
                        "a",
                        LEFT + bin * width + 1,
                        TOP + TALL - tall,
                        width - 2,
                        tall,
                        counts[bin] + " from " + Units.duration(Math.round(Math.exp(low + bin * wide))) + " to "
                                + Units.duration(Math.round(Math.exp(low + (bin + 1) * wide))));
            }
        }
        for (int part = 0; part <= 2; part++) {
            double x = LEFT + part * PLOT / 2.0;
            String anchor = part == 0 ? "start" : part == 1 ? "middle" : "end";
            pen.text(
                    x,
                    TOP + TALL + 18,
                    anchor,
                    Units.duration(Math.round(Math.exp(low + part * CLASSES / 2.0 * wide))));
        }
        String words = Units.count(sorted.length) + " requests, median " + Units.duration(sorted[sorted.length / 2])
                + ", longest " + Units.duration(sorted[sorted.length - 1]);
        return new Plot("latency", "Requests by how long they took", words, HEIGHT, pen.drawing());
    }

    /**
     * The slowest requests in the order of their arrival. The time to the first token or byte, if known, has another
     * colour.
     */
    private Plot waterfall(List<Answer> answers) {
        List<Answer> shown = answers.stream()
                .sorted(Order.comparingLong(Answer::durationNs).reversed().thenComparingLong(Answer::startNs))
                .limit(ROWS)
                .sorted(Order.comparingLong(Answer::startNs).thenComparingLong(Answer::endNs))
                .toList();
        long fromNs = shown.get(0).startNs();
        long toNs = shown.stream().mapToLong(Answer::endNs).max().orElse(fromNs + 1);
        double scale = (double) PLOT / Math.max(1, toNs - fromNs);
        Pen pen = new Pen();
        double y = TOP;
        for (Answer answer : shown) {
            double x = LEFT + (answer.startNs() - fromNs) * scale;
            double wide = answer.durationNs() * scale;
            String title = PlainText.shorten(answer.name(), PlainText.NAME) + ": " + Units.duration(answer.durationNs())
                    + " from " + Units.point(answer.startNs() - window.startNs());
            pen.bar("a", x, y, wide, ROW - 4, title);
            if (answer.firstNs() > 0) {
                pen.bar(
                        "b",
                        x,
                        y,
                        answer.firstNs() * scale,
                        ROW - 4,
                        title + ", first answer after " + Units.duration(answer.firstNs()));
            }
            pen.text(LEFT - 5, y + ROW - 5, "end", Units.duration(answer.durationNs()));
            y += ROW;
        }
        pen.line(LEFT, y, LEFT + PLOT, y);
        times(pen, fromNs - window.startNs(), toNs - window.startNs(), y + 16);
        boolean all = shown.size() == answers.size();
        String title = all ? "Requests in time" : "The " + ROWS + " slowest requests in time";
        String words = title
                + (shown.stream().anyMatch(a -> a.firstNs() > 0)
                        ? "; the first colour lasts until the first token or byte of the answer"
                        : "");
        return new Plot("requests", title, words, (int) y + 24, pen.drawing());
    }
}
