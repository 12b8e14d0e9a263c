package io.inferscope.report.plots;

import io.inferscope.report.common.PlainText;
import java.util.Locale;

/**
 * A picture.
 *
 * @param id its id, used for the name of its file and its anchor in a page
 * @param title its heading
 * @param words its text alternative
 * @param height of its drawing, which is {@link #WIDTH} wide
 * @param drawing elements of SVG, all text escaped
 */
public record Plot(String id, String title, String words, int height, String drawing) {
    static final int WIDTH = 760;

    /** The styles of report.css, for separate files. */
    private static final String STYLE = "<style>text{fill:#55595f;font:12px system-ui,sans-serif}.grid{stroke:#d8d9d6}"
            + ".roof{stroke:#b45309;stroke-width:2}"
            + ".a{fill:#0f766e}.b{fill:#b45309}@media(prefers-color-scheme:dark){text{fill:#a9aeb5}.grid{stroke:#383c42}"
            + ".a{fill:#2dd4bf}.b{fill:#f59e0b}}</style>";

    /** Returns the element for a page, whose style sheet colours it. */
    public String inPage() {
        return svg("class=\"plot\" ", "");
    }

    /** Returns the picture as a separate file, light or dark by the viewer's setting. */
    public String file() {
        return svg("xmlns=\"http://www.w3.org/2000/svg\" ", STYLE) + "\n";
    }

    private String svg(String attributes, String style) {
        return "<svg " + attributes + "viewBox=\"0 0 " + WIDTH + " " + height + "\" role=\"img\" aria-label=\""
                + escaped(words) + "\">" + style + drawing + "</svg>";
    }

    /** Draws elements of SVG. */
    static final class Pen {
        private final StringBuilder out = new StringBuilder();

        Pen bar(String style, double x, double y, double width, double height, String title) {
            out.append(String.format(
                            Locale.ROOT,
                            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
                            style,
                            x,
                            y,
                            Math.max(0.5, width),
                            height))
                    .append("<title>")
                    .append(escaped(title))
                    .append("</title></rect>");
            return this;
        }

        Pen line(double x1, double y1, double x2, double y2) {
            return line("grid", x1, y1, x2, y2);
        }

        Pen line(String style, double x1, double y1, double x2, double y2) {
            out.append(String.format(
                    Locale.ROOT,
                    "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                    style,
                    x1,
                    y1,
                    x2,
                    y2));
            return this;
        }

        Pen dot(String style, double x, double y, double radius, String title) {
            out.append(String.format(
                            Locale.ROOT,
                            "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill-opacity=\"0.7\">",
                            style,
                            x,
                            y,
                            radius))
                    .append("<title>")
                    .append(escaped(title))
                    .append("</title></circle>");
            return this;
        }

        /** Writes words; {@code anchor} is start, middle or end. */
        Pen text(double x, double y, String anchor, String words) {
            out.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor))
                    .append(escaped(words))
                    .append("</text>");
            return this;
        }

        String drawing() {
            return out.toString();
        }
    }

    private static String escaped(String text) {
        return PlainText.clean(text, PlainText.SENTENCE)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
