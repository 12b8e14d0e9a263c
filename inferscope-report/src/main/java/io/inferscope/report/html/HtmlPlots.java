package io.inferscope.report.html;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.report.common.Part;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.plots.Plots;
import io.inferscope.report.tables.Table;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import java.util.Arrays;
import java.util.List;

/** Drawings that need no script: idle time by the length of its gaps, and the lengths of the steps in their order. */
public record HtmlPlots(Html html, Analysis analysis, HtmlTimeline timeline) {
    /** Gaps are distinguished by the power of ten of their length, in ns: from 1 us to 10 s. */
    private static final int SHORTEST = 3;

    private static final int LONGEST = 10;
    private static final int FEWEST_STEPS = 3;
    private static final int BARS = 400;
    private static final int HEIGHT = 100;
    private static final int SLOWEST = 5;

    /** A step of this many medians is drawn as an outlier, like slow tokens in docs/steps.md. */
    private static final double SLOW = 1.5;

    void write() {
        analysis.headline().ifPresent(this::gaps);
        if (analysis.steps().size() >= FEWEST_STEPS) {
            steps(analysis.steps());
        }
        Plots.of(analysis).forEach(plot -> picture(html, plot));
    }

    /** Draws a picture below its heading. */
    public static void picture(Html html, Plot plot) {
        String heading = "plot-" + plot.id();
        html.open("section", "aria-labelledby", heading);
        html.element("h2", plot.title(), "id", heading).line();
        html.element("p", plot.words() + ".", "class", "aside").line();
        html.trusted(plot.inPage()).line();
        html.closeLine();
    }

    /** A million short gaps may matter less than one long one, so the bars are sums of time. */
    private void gaps(DeviceActivity device) {
        Stretch window = analysis.window();
        Intervals gaps = device.busy().complementWithin(window.startNs(), window.endNs());
        if (gaps.isEmpty()) {
            return;
        }
        long[] sums = new long[LONGEST - SHORTEST + 2];
        long[] counts = new long[sums.length];
        gaps.lengthsNs().forEach(ns -> {
            sums[bin(ns)] += ns;
            counts[bin(ns)]++;
        });
        html.open("section", "aria-labelledby", "gaps");
        html.element("h2", "Idle time of device " + device.id() + " by length of gap", "id", "gaps")
                .line();
        List<Table.Column> columns = List.of(
                Table.words("Length of a gap"), Table.number("Gaps"), Table.number("Time"), Table.number("Share"));
        new HtmlTables(html).openWithBars("Idle time by length of gap", columns);
        for (int bin = 0; bin < sums.length; bin++) {
            if (counts[bin] > 0) {
                row(bin, counts[bin], sums[bin], gaps.totalNs());
            }
        }
        html.close().close().close().closeLine();
    }

    private static int bin(long ns) {
        int bin = 0;
        long edge = power(SHORTEST);
        while (ns >= edge && bin <= LONGEST - SHORTEST) {
            edge *= 10;
            bin++;
        }
        return bin;
    }

    private static long power(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    private void row(int bin, long count, long ns, long ofNs) {
        String from = bin == 0 ? "" : Units.duration(power(SHORTEST + bin - 1));
        String to = bin > LONGEST - SHORTEST ? "" : Units.duration(power(SHORTEST + bin));
        double share = (double) ns / ofNs;
        html.open("tr")
                .element(
                        "th",
                        from.isEmpty() ? "below " + to : to.isEmpty() ? "from " + from : from + " to " + to,
                        "scope",
                        "row",
                        "class",
                        "words");
        html.element("td", Units.count(count), "class", "number")
                .element("td", Units.duration(ns), "class", "number")
                .element("td", Units.percent(share), "class", "number");
        html.open("td", "class", "share");
        new HtmlBars(html).single(new Part("idle", "mark", ns, Units.percent(share)), share);
        html.close().closeLine();
    }

    private void steps(List<Step> steps) {
        long[] sorted = steps.stream().mapToLong(Step::durationNs).sorted().toArray();
        long medianNs = sorted[sorted.length / 2];
        long longestNs = Math.max(1, sorted[sorted.length - 1]);
        List<Step> slowest = steps.stream()
                .filter(step -> step.durationNs() > SLOW * medianNs)
                .sorted(Order.comparingLong(Step::durationNs).reversed().thenComparingLong(Step::startNs))
                .limit(SLOWEST)
                .toList();
        long slow = Arrays.stream(sorted).filter(ns -> ns > SLOW * medianNs).count();
        html.open("section", "aria-labelledby", "strip");
        html.element("h2", "Steps in their order", "id", "strip").line();
        String words = Units.count(steps.size()) + " steps, median " + Units.duration(medianNs) + ", longest "
                + Units.duration(longestNs) + "; " + Units.count(slow) + " took more than 1.5 times the median";
        html.element("p", words + ".", "class", "aside").line();
        strip(steps, words, SLOW * medianNs, longestNs);
        if (!slowest.isEmpty()) {
            html.open("ul");
            for (Step step : slowest) {
                long fromNs = step.startNs() - analysis.window().startNs();
                html.open("li")
                        .text(step.label() + ", number " + Units.count(steps.indexOf(step) + 1L) + ": "
                                + Units.duration(step.durationNs()) + " at " + Units.point(fromNs));
                timeline.link(html, new Evidence.Range(step.label(), step.startNs(), step.endNs(), "", ""));
                html.close();
            }
            html.close();
        }
        html.closeLine();
    }

    /** One bar per step; of very many, one per group of neighbours, as high as the longest of them. */
    private void strip(List<Step> steps, String words, double slowNs, long longestNs) {
        int bars = Math.min(BARS, steps.size());
        html.picture("bar steps", bars, HEIGHT, words);
        for (int bar = 0; bar < bars; bar++) {
            int from = (int) ((long) bar * steps.size() / bars);
            int to = (int) ((bar + 1L) * steps.size() / bars);
            long ns = steps.subList(from, to).stream()
                    .mapToLong(Step::durationNs)
                    .max()
                    .orElse(0);
            long tall = Math.max(1, Math.round((double) ns / longestNs * HEIGHT));
            html.open(
                            "rect",
                            "class",
                            ns > slowNs ? "h2d-copy" : "span",
                            "x",
                            Integer.toString(bar),
                            "y",
                            Long.toString(HEIGHT - tall),
                            "height",
                            Long.toString(tall))
                    .element("title", Units.duration(ns))
                    .close();
        }
        html.closeLine();
    }
}
