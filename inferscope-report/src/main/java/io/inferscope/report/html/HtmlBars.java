package io.inferscope.report.html;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.Part;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Stacked bars as SVG, each with its figures in words. Widths are attributes, since the page's policy forbids style
 * attributes.
 */
record HtmlBars(Html html) {
    private static final int WIDTH = 10_000;
    private static final int HEIGHT = 20;
    /** Narrowest mark: a thousandth of the window is half a pixel or more on any screen. */
    private static final int MARK = 20;

    /** Writes a bar whose segments are parts of one whole, in their order. */
    void stacked(String title, List<Part> parts) {
        String words =
                parts.stream().map(part -> part.label() + " " + part.percent()).collect(Collectors.joining(", "));
        double sum = parts.stream().mapToDouble(part -> Math.max(0, part.ns())).sum();
        html.picture("bar", WIDTH, HEIGHT, title + ": " + words);
        double before = 0;
        for (Part part : parts) {
            double ns = Math.max(0, part.ns());
            segment(
                    style(part),
                    position(before, sum),
                    position(before + ns, sum),
                    part.label() + " " + part.percent());
            before += ns;
        }
        html.closeLine();
    }

    /** Writes a bar as long as a part's share of the whole, beside figures that say the same. */
    void single(Part part, double ratio) {
        String box = "0 0 " + WIDTH + " " + HEIGHT;
        html.open("svg", "class", "share", "preserveAspectRatio", "none", "viewBox", box, "aria-hidden", "true");
        int length = position(Math.min(1, Math.max(0, ratio)), 1);
        html.leaf("rect", "class", style(part), "width", number(length), "height", number(HEIGHT))
                .close();
    }

    /** Writes the window with a mark for each stretch in it; short ones are widened so that they show. */
    void marks(Report.Stretch window, List<Evidence.Range> ranges) {
        html.picture(
                "bar",
                WIDTH,
                HEIGHT,
                ranges.size() + (ranges.size() == 1 ? " place" : " places") + " in the window, listed below");
        double durationNs = Math.max(1, (double) window.endNs() - window.startNs());
        for (Evidence.Range range : ranges) {
            int from = position(clamped((double) range.startNs() - window.startNs(), durationNs), durationNs);
            int to = position(clamped((double) range.endNs() - window.startNs(), durationNs), durationNs);
            int start = Math.min(from, WIDTH - MARK);
            segment("mark", start, Math.max(to, start + MARK), range.label());
        }
        html.closeLine();
    }

    private static double clamped(double ns, double durationNs) {
        return Math.min(durationNs, Math.max(0, ns));
    }

    /** Writes a part's square in a legend. */
    void swatch(Part part) {
        html.open("svg", "class", "swatch", "viewBox", "0 0 10 10", "aria-hidden", "true")
                .leaf("rect", "class", style(part), "width", "10", "height", "10")
                .close()
                .text(" ");
    }

    private void segment(String style, int from, int to, String words) {
        if (to > from) {
            html.open("rect", "class", style, "x", number(from), "width", number(to - from), "height", number(HEIGHT));
            html.element("title", words).close();
        }
    }

    private static int position(double ns, double sum) {
        return sum == 0 ? 0 : (int) Math.round(ns / sum * WIDTH);
    }

    private static String number(int value) {
        return Integer.toString(value);
    }

    /** Returns the style class of a part: its id, which is InferScope's own. */
    private static String style(Part part) {
        return part.id().replace('.', '-');
    }
}
