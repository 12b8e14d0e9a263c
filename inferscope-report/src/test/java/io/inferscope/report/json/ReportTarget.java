package io.inferscope.report.json;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.Rendered;
import io.inferscope.report.Renderers;
import io.inferscope.report.ReportFixture;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.timeline.fixture.FuzzFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads bytes as changes to a JSON report, which {@code diff} and {@code baseline} take from anybody, and compares what it
 * then says. Each change is three bytes: two for the number of a value, one for what it becomes. Jazzer calls it:
 * {@code lab/fuzz}.
 */
public final class ReportTarget {
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "[]",
            "{}",
            "\"\"",
            "0",
            "-1",
            "0.5",
            "1e999",
            "-1e308",
            "1e-320",
            "\"NaN\"",
            "9223372036854775807",
            "-9223372036854775808",
            "99999999999999999999",
            "[null]",
            "[-1]",
            "[{}]",
            "\"\\u001b[31m\\u202e\\n=1+1<b>|`\"",
            "\"Infinity\"");

    /** A value of a member or of an array, and no name. */
    private static final Pattern VALUE =
            Pattern.compile("(?:\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d[\\d.eE+-]*|true|false|null)(?=\\s*[,}\\]])");

    private static final int EDIT_BYTES = 3;
    private static final List<Report> WHOLE = List.of(ReportFixture.gpu(), ReportFixture.cpuOnly());
    private static final List<String> TEXTS =
            WHOLE.stream().map(report -> Rendered.as("json", report)).toList();

    private static final Path FILE = FuzzFile.make();

    private ReportTarget() {}

    /** Throws where a report is neither read nor refused in one line, or what was read cannot be compared. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        int which = input.length % EDIT_BYTES == 0 ? 0 : 1;
        Report read;
        try {
            read = JsonReportReader.read(Files.writeString(FILE, edited(TEXTS.get(which), input)));
        } catch (ImportException e) {
            String message = e.getMessage();
            if (message.indexOf('\n') >= 0 || message.length() > 2000) {
                throw new AssertionError("no short line: " + message, e);
            }
            return;
        }
        ReportFacts facts = new ReportFacts(read);
        for (String name : Metrics.names()) {
            Metrics.named(name).orElseThrow().read(facts);
        }
        Side changed = Side.of(read, "changed");
        Side whole = Side.of(WHOLE.get(which), "whole");
        for (Comparison comparison : List.of(Diff.of(whole, changed, null), Diff.of(changed, whole, null))) {
            for (String format : List.of("console", "markdown", "html", "json")) {
                Renderers.comparison(format, ConsoleOptions.FILE, List.of()).render(comparison, new StringBuilder());
            }
        }
    }

    private static String edited(String text, byte[] input) {
        List<MatchResult> values = new ArrayList<>(VALUE.matcher(text).results().toList());
        StringBuilder edited = new StringBuilder(text);
        String[] becomes = new String[values.size()];
        for (int i = 0; i + 2 < input.length; i += EDIT_BYTES) {
            int value = ((input[i] & 0xff) << 8 | (input[i + 1] & 0xff)) % values.size();
            becomes[value] = VALUES.get((input[i + 2] & 0xff) % VALUES.size());
        }
        for (int i = values.size() - 1; i >= 0; i--) {
            if (becomes[i] != null) {
                edited.replace(values.get(i).start(), values.get(i).end(), becomes[i]);
            }
        }
        return edited.toString();
    }
}
