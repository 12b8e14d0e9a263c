package io.inferscope.cli.common;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.Renderers;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.markdown.MarkdownText;
import io.inferscope.report.plots.Plot;
import io.inferscope.timeline.files.WholeFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options for output files and formats of reports, shared by all commands that make reports. */
public final class ReportOptions extends Options {
    private final OptionSpec files = add(CommandSpecs.list(
                    "-o, --output, --report=FILE",
                    Path.class,
                    "Write the report to FILE; its ending decides the format: .md, .html, .json, .txt. May be repeated. - is standard output (--format markdown)."
                            + " Pictures of FILE.md are written beside it, as FILE-*.svg.")
            .initialValue(new ArrayList<Path>())
            .build());

    private final OptionSpec format = option(
            "--format=FORMAT",
            String.class,
            "Format of the report on standard output, or of FILE: console, markdown, html, json; or github,"
                    + " annotations for a step of GitHub Actions; of one recording also prometheus and otlp, its figures.");

    private final OptionSpec noScripts = CommandSpecs.flag(
            "--no-scripts", "Write HTML reports without scripts: no timeline, no stacks to open, and a smaller file.");

    private boolean standardOutput;
    private Set<Path> named = Set.of();
    private final boolean figures;
    private final List<Path> pictures = new ArrayList<>();

    public ReportOptions(CommandSpec spec) {
        this(spec, false);
    }

    private ReportOptions(CommandSpec spec, boolean figures) {
        super(spec);
        this.figures = figures;
    }

    /** Returns the options of a command whose reports show a recording. */
    public static ReportOptions withTimeline(CommandSpec spec) {
        ReportOptions options = new ReportOptions(spec);
        options.add(options.noScripts);
        return options;
    }

    /** Returns the options of a command whose reports are about one recording. */
    public static ReportOptions withFigures(CommandSpec spec) {
        ReportOptions options = new ReportOptions(spec, true);
        options.add(options.noScripts);
        return options;
    }

    /** Returns the files to write; more can be added. */
    public List<Path> files() {
        return files.getValue();
    }

    /** Returns the pictures written beside Markdown files. */
    public List<Path> pictures() {
        return pictures;
    }

    /** Returns whether a report goes to standard output in place of the conclusion: {@code -o -}. */
    private boolean isToStandardOutput() {
        standardOutput |= files().removeIf(file -> file.toString().equals("-"));
        return standardOutput;
    }

    /** Returns whether neither a file nor standard output gets a report. */
    public boolean goNowhere() {
        return !isToStandardOutput() && files().isEmpty();
    }

    /** Sets the output file from other settings, unless the command line names a file or a format. */
    public void orElse(Optional<Path> file) {
        if (!isToStandardOutput() && files().isEmpty() && format() == null) {
            file.ifPresent(files()::add);
        }
    }

    /** Returns the format of a report on standard output. */
    private String outputFormat() {
        String format = format();
        return format == null ? "markdown" : format;
    }

    private @Nullable String format() {
        return format.getValue();
    }

    /**
     * Fails before any work if a format is unknown, or if an output file is also an input or another output, or cannot
     * be written.
     *
     * @param inputs files or spool folders that the command reads
     * @param trace the trace that the command writes, null for none
     */
    public void check(List<Path> inputs, @Nullable Path trace) {
        isToStandardOutput();
        named = Set.copyOf(files());
        try {
            files().forEach(this::renderer);
            String format = format();
            if (format != null) {
                Renderers.byFormat(format);
                if (Renderers.isOfFigures(format) && !figures) {
                    throw new IllegalArgumentException(
                            "--format " + format + ": a format of the figures of one recording; use analyze or run");
                }
            }
            List<Path> outputs = new ArrayList<>(files());
            if (trace != null) {
                if (!trace.toString().matches(".*\\.json(\\.gz)?")) {
                    throw new IllegalArgumentException(
                            "--trace " + trace + ": the trace's name must end in .json or .json.gz");
                }
                outputs.add(0, trace);
            }
            OutputFiles.check(inputs, outputs);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }

    /** Returns whether only the console shows the report. */
    public boolean isConsoleOnly() {
        String format = format();
        return !isToStandardOutput() && files().isEmpty() && (format == null || format.equals("console"));
    }

    private Renderer renderer(Path file) {
        String format = format();
        return format != null ? Renderers.byFormat(format) : Renderers.byFileName(file.toString());
    }

    /** A text that can be written in every format. */
    public interface Content {
        /**
         * Writes the content.
         *
         * @param format one of {@link Renderers#formats()}
         * @param console terminal settings; for {@code console} only
         */
        void render(String format, ConsoleOptions console, Appendable out) throws IOException;

        /** Returns the pictures to write beside a Markdown file. */
        default List<Plot> plots() {
            return List.of();
        }
    }

    /**
     * Writes every file that was asked for; the conclusion, or the asked format, goes to standard output.
     *
     * @return the exit code: other than 0 where InferScope failed at a part of the report
     */
    public int write(AnalyzedReport explained) throws IOException {
        write(content(explained));
        return tellFailures(explained.report());
    }

    private int tellFailures(Report report) {
        return tell(report.failures(), err());
    }

    /** Prints the parts of a written report that failed, and returns the resulting exit code. */
    static int tell(List<Report.Failure> failures, PrintWriter err) {
        failures.forEach(failure -> Log.tell(
                err,
                "internal error at " + failure.part() + ": " + failure.problem()
                        + "; the report is without it. Report it with the trace if you can"));
        return failures.isEmpty() ? 0 : Failures.INTERNAL;
    }

    /**
     * Returns the stream for text that is not part of a report: standard error if a program may read the report from
     * standard output.
     */
    public PrintWriter aside() {
        return isToStandardOutput() || (files().isEmpty() && format() != null) ? err() : out();
    }

    /** Writes every file that was asked for; the conclusion, or the asked format, goes to standard output. */
    public void write(Content content) throws IOException {
        PrintWriter out = out();
        try {
            writeFiles(content);
        } finally { // The conclusion is printed even if a format fails.
            String format = format();
            if (isToStandardOutput() || (files().isEmpty() && format != null)) {
                content.render(outputFormat(), ConsoleOptions.FILE, out);
            } else {
                content.render("console", console(true), out);
            }
            out.flush();
        }
    }

    /**
     * Writes every requested file, even if one of them fails. A file appears whole or not at all.
     *
     * @return the exit code: other than 0 where InferScope failed at a part of the report
     */
    public int writeFiles(AnalyzedReport explained) throws IOException {
        writeFiles(content(explained));
        if (isToStandardOutput()) {
            PrintWriter out = out();
            content(explained).render(outputFormat(), ConsoleOptions.FILE, out);
            out.flush();
        }
        return tellFailures(explained.report());
    }

    private void writeFiles(Content content) throws IOException {
        RenderFailure failure = null;
        for (Path file : files()) {
            String format = renderer(file).format();
            try {
                // No pictures beside a report with a default name, which stays one file, or beside a pipe.
                boolean drawn = format.equals("markdown") && named.contains(file) && !WholeFile.isStream(file);
                List<Plot> beside = drawn ? content.plots() : List.of();
                WholeFile.write(file, out -> {
                    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
                    content.render(format, ConsoleOptions.FILE, writer);
                    for (Plot plot : beside) {
                        writer.append("\n![")
                                .append(MarkdownText.prose(plot.title()))
                                .append("](")
                                .append(address(file, plot))
                                .append(")\n");
                    }
                    writer.flush();
                });
                for (Plot plot : beside) {
                    Path picture = file.resolveSibling(picture(file, plot));
                    WholeFile.write(picture, out -> out.write(plot.file().getBytes(StandardCharsets.UTF_8)));
                    pictures.add(picture);
                }
            } catch (RuntimeException | StackOverflowError e) {
                RenderFailure met = new RenderFailure(file, e);
                if (failure == null) {
                    failure = met;
                } else {
                    failure.addSuppressed(met);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the name of a picture beside a file: {@code report_infer.md} has {@code report_infer-cpu.svg}. */
    private static String picture(Path file, Plot plot) {
        String name = String.valueOf(file.getFileName());
        int dot = name.lastIndexOf('.');
        return (dot > 0 ? name.substring(0, dot) : name) + "-" + plot.id() + ".svg";
    }

    /** Returns that name as a Markdown link. */
    private static String address(Path file, Plot plot) {
        return URLEncoder.encode(picture(file, plot), StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** A defect of a renderer: the other files are written. */
    static final class RenderFailure extends IllegalStateException {
        private static final long serialVersionUID = 1;

        private RenderFailure(Path file, Throwable cause) {
            super(file + " is not written: " + Report.Failure.describe(cause), cause);
        }
    }

    /** Writes the conclusion to standard error, with the terminal settings found by the launcher. */
    public static void writeConclusion(Report report, Appendable err) throws IOException {
        Renderers.console(console(false)).render(report, err);
    }

    /** Returns whether HTML reports may have scripts. */
    public boolean scripts() {
        return !isSet(noScripts);
    }

    private Content content(AnalyzedReport explained) {
        return new Content() {
            @Override
            public void render(String format, ConsoleOptions console, Appendable out) throws IOException {
                renderer(explained, format, console).render(explained.report(), out);
            }

            @Override
            public List<Plot> plots() {
                return Renderers.plots(explained.analysis());
            }
        };
    }

    private Renderer renderer(AnalyzedReport explained, String format, ConsoleOptions console) {
        return switch (format) {
            case "console" -> Renderers.console(console);
            case "html" -> Renderers.html(explained.analysis(), scripts());
            default -> Renderers.byFormat(format);
        };
    }

    /** Returns the terminal settings of standard output or standard error, found by the launcher. */
    private static ConsoleOptions console(boolean standardOutput) {
        boolean terminal = Boolean.getBoolean(standardOutput ? "inferscope.stdout.tty" : "inferscope.stderr.tty");
        TerminalStyle style = new TerminalStyle();
        return terminal ? style.terminal(Integer.getInteger("inferscope.columns", 100)) : style.pipe();
    }
}
