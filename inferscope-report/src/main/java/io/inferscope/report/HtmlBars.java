package io.inferscope.report;

import java.util.List;
import java.util.stream.Collectors;

/** Stacked bars as SVG, each with its figures in words. Widths are attributes, since the page's policy forbids style attributes. */
final class HtmlBars {
    private static final int WIDTH = 10_000;
    private static final int HEIGHT = 20;
    private final Html html;

    HtmlBars(Html html) {
        this.html = html;
    }

    /** Writes a bar whose segments are parts of one whole, in their order. */
    void stacked(String title, List<Part> parts) {
        String words =
                parts.stream().map(part -> part.label() + " " + part.percent()).collect(Collectors.joining(", "));
        double sum = parts.stream().mapToDouble(part -> Math.max(0, part.ns())).sum();
        open(title + ": " + words);
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

    /** Writes the square that stands for a part in a legend. */
    void swatch(Part part) {
        html.open("svg", "class", "swatch", "viewBox", "0 0 10 10", "aria-hidden", "true")
                .leaf("rect", "class", style(part), "width", "10", "height", "10")
                .close()
                .text(" ");
    }

    private void open(String words) {
        html.open(
                "svg",
                "class",
                "bar",
                "role",
                "img",
                "preserveAspectRatio",
                "none",
                "viewBox",
                "0 0 " + WIDTH + " " + HEIGHT,
                "aria-label",
                words);
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
