package io.inferscope.report;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.common.DeviceWord;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.console.ConsoleComparison;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.console.ConsoleRenderer;
import io.inferscope.report.console.GithubRenderer;
import io.inferscope.report.html.HtmlComparison;
import io.inferscope.report.html.HtmlRenderer;
import io.inferscope.report.json.FigureRenderer;
import io.inferscope.report.json.JsonComparison;
import io.inferscope.report.json.JsonRenderer;
import io.inferscope.report.markdown.MarkdownComparison;
import io.inferscope.report.markdown.MarkdownRenderer;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.plots.Plots;
import java.util.List;
import java.util.Locale;

/** The renderers, by name and by file name. A renderer's libraries load only when it renders. */
public final class Renderers {
    private static final List<String> FORMATS = List.of("console", "markdown", "html", "json", "github");

    /** Formats of the figures of one recording. */
    private static final List<String> FIGURES = List.of("prometheus", "otlp");

    private Renderers() {}

    /** Returns whether a format is one of the figures of one recording, which comparisons do not have. */
    public static boolean isOfFigures(String format) {
        return FIGURES.contains(format);
    }

    public static List<String> formats() {
        return FORMATS;
    }

    /**
     * Returns the renderer of a format; {@code console} writes plain text for a file.
     *
     * @throws IllegalArgumentException if there is no such format
     */
    public static Renderer byFormat(String format) {
        return switch (format) {
            case "console" -> console(ConsoleOptions.FILE);
            case "markdown" -> new DeviceWord(new MarkdownRenderer());
            case "html" -> new DeviceWord(new HtmlRenderer(null, false));
            case "json" -> new JsonRenderer();
            case "github" -> new DeviceWord(new GithubRenderer());
            case "prometheus", "otlp" -> new FigureRenderer(format);
            default ->
                throw new IllegalArgumentException("no report format \"" + format + "\"; there are "
                        + String.join(", ", FORMATS) + ", " + String.join(", ", FIGURES));
        };
    }

    /**
     * Returns the renderer that the ending of {@code fileName} asks for: .md, .markdown, .html, .htm, .json or .txt, in
     * any case.
     *
     * @throws IllegalArgumentException if the ending is none of them
     */
    public static Renderer byFileName(String fileName) {
        int dot = fileName.lastIndexOf('.');
        String ending = fileName.substring(Math.max(dot, 0)).toLowerCase(Locale.ROOT);
        return switch (ending) {
            case ".md", ".markdown" -> byFormat("markdown");
            case ".html", ".htm" -> byFormat("html");
            case ".json" -> byFormat("json");
            case ".txt" -> byFormat("console");
            default ->
                throw new IllegalArgumentException(
                        "no report format for \"" + fileName + "\"; its name must end in .md, .html, .json or .txt"
                                + (FORMATS.contains(fileName) ? ", or write --format " + fileName : ""));
        };
    }

    /**
     * Returns the renderer of pages that draw the recording.
     *
     * @param scripts whether the page has a script, which its timeline needs
     */
    public static Renderer html(Analysis analysis, boolean scripts) {
        return new DeviceWord(new HtmlRenderer(analysis, scripts));
    }

    /** Returns the pictures of a recording, which pages contain and Markdown files link to. */
    public static List<Plot> plots(Analysis analysis) {
        return Plots.of(analysis);
    }

    public static Renderer console(ConsoleOptions options) {
        return new DeviceWord(new ConsoleRenderer(options));
    }

    /**
     * Returns the renderer of comparisons for a format, one of {@link #formats()}.
     *
     * @param console terminal settings, used by {@code console} only
     * @param recordings both recordings, if a page is to draw them; otherwise empty
     * @throws IllegalArgumentException if there is no such format
     */
    public static ComparisonRenderer comparison(
            String format, ConsoleOptions console, List<AnalyzedReport> recordings) {
        return switch (format) {
            case "console" -> new ConsoleComparison(console);
            case "markdown" -> new MarkdownComparison();
            case "html" -> new HtmlComparison(recordings);
            case "json" -> new JsonComparison();
            case "github" -> new GithubRenderer();
            default -> throw new IllegalArgumentException("no format \"" + format + "\"");
        };
    }
}
