package io.inferscope.batch.summary;

import de.siegmar.fastcsv.writer.CsvWriter;
import io.inferscope.batch.Fingerprint;
import io.inferscope.batch.PairResult;
import io.inferscope.batch.summary.SummaryRow.Member;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.files.ProcessLock;
import io.inferscope.timeline.files.WholeFile;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The overview of everything in an output folder: {@code summary.json}, {@code .csv}, {@code .md} and {@code .html}. It
 * is made from all statuses in the folder and from the results of this batch, so that it also covers what earlier
 * batches wrote to the same folder.
 */
public final class BatchSummary {
    private static final String FORMULA = "=+@-";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9.E-]+");

    /** The name of the files, without their endings. */
    public static final String NAME = "summary";

    private static final String COMPARISON = "comparison";
    private static final String STATE = "comparison_state";

    /**
     * Version of the comparison's contents. Raised when they change: a stored comparison of another version is not
     * reused.
     */
    private static final String COMPARISON_VERSION = "3";

    private static final long LOCK_WAIT_MS = 20;

    private BatchSummary() {}

    /** Creates the output folder; throws if nothing can be written to it. */
    public static void checkWritable(Path output) throws IOException {
        Files.createDirectories(output);
        Path probe = Files.createTempFile(output, ".writable", "");
        Files.delete(probe);
    }

    /** Writes the overview; returns the page to read. */
    public static Path write(Path output, List<PairResult> results) throws IOException, InterruptedException {
        ProcessLock lock = take(output.resolve(".locks").resolve("summary.lock"));
        try (lock) {
            List<SummaryRow> rows = SummaryRow.all(output, results);
            List<SummaryRow> seen = rows.stream()
                    .filter(row -> row.isFine() && Files.isRegularFile(operations(output, row)))
                    .toList();
            String state = state(output, seen);
            Path json = output.resolve(NAME + ".json");
            List<Map<String, @Nullable Object>> comparison =
                    known(json, state).orElseGet(() -> OperationsComparison.read(output, seen));
            JsonValues.write(json, document(rows, comparison, state));
            text(output.resolve(NAME + ".csv"), csv(rows));
            List<SummaryTable> tables = tables(output, rows, comparison);
            text(output.resolve(NAME + ".html"), new SummaryPages(tables).html());
            text(output.resolve(NAME + ".md"), new SummaryPages(tables).markdown());
        }
        return output.resolve(NAME + ".md");
    }

    private static Path operations(Path output, SummaryRow row) {
        return output.resolve(row.folder()).resolve(OperationCounts.FILE);
    }

    /**
     * Returns the state that decides whether models must be compared again: names, sizes and times of what the
     * comparison reads.
     */
    private static String state(Path output, List<SummaryRow> seen) throws IOException {
        List<String> lines = new ArrayList<>(List.of(COMPARISON_VERSION));
        for (SummaryRow row : seen) {
            File file = operations(output, row).toFile();
            lines.add(row.folder() + " " + file.length() + " " + file.lastModified());
        }
        return Fingerprint.of(lines);
    }

    /** Returns the comparison stored in the last overview if it was made from the same files. */
    private static Optional<List<Map<String, @Nullable Object>>> known(Path json, String state) {
        try {
            Map<String, @Nullable Object> last = Files.isRegularFile(json) ? JsonValues.read(json) : Map.of();
            return JsonValues.text(last, STATE).equals(state)
                    ? Optional.of(JsonValues.objects(last, COMPARISON))
                    : Optional.empty();
        } catch (IOException damaged) {
            return Optional.empty();
        }
    }

    private static ProcessLock take(Path file) throws IOException, InterruptedException {
        for (Optional<ProcessLock> lock = ProcessLock.tryTake(file); ; lock = ProcessLock.tryTake(file)) {
            if (lock.isPresent()) {
                return lock.get();
            }
            Thread.sleep(LOCK_WAIT_MS);
        }
    }

    private static void text(Path file, String content) throws IOException {
        WholeFile.write(file, out -> out.write(content.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<SummaryTable> tables(
            Path output, List<SummaryRow> rows, List<Map<String, @Nullable Object>> comparison) {
        List<SummaryTable> tables = new ArrayList<>(List.of(
                SummaryTables.outcomes(rows),
                SummaryTables.failures(rows),
                SummaryTables.models(rows),
                PhaseTable.of(output, rows),
                SummaryTables.pairs(rows)));
        tables.addAll(OperationTables.of(comparison));
        tables.removeIf(table -> table.rows().isEmpty());
        return tables;
    }

    private static Map<String, @Nullable Object> document(
            List<SummaryRow> rows, List<Map<String, @Nullable Object>> comparison, String state) {
        List<Map<String, @Nullable Object>> pairs = new ArrayList<>();
        for (SummaryRow row : rows) {
            Map<String, @Nullable Object> pair = new LinkedHashMap<>();
            SummaryRow.MEMBERS.forEach(
                    member -> pair.put(member.name(), member.of().apply(row)));
            pairs.add(pair);
        }
        return JsonValues.of(
                "format_version",
                "1",
                "outcomes",
                outcomes(rows),
                "pairs",
                pairs,
                STATE,
                state,
                COMPARISON,
                comparison);
    }

    /** Returns how many pairs have which outcome, by name. */
    static Map<String, Long> outcomes(List<SummaryRow> rows) {
        Map<String, Long> counts = new TreeMap<>();
        rows.forEach(row -> counts.merge(row.outcome(), 1L, Long::sum));
        return counts;
    }

    /** Returns an amount of time for people: {@code 12.3 s}. */
    static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }

    /** Returns the table as CSV (RFC 4180): a header, then one line per pair. */
    private static String csv(List<SummaryRow> rows) {
        StringWriter out = new StringWriter();
        CsvWriter csv = CsvWriter.builder().bufferSize(0).build(out);
        csv.writeRecord(SummaryRow.MEMBERS.stream().map(Member::name).toList());
        for (SummaryRow row : rows) {
            csv.writeRecord(SummaryRow.MEMBERS.stream()
                    .map(member -> cell(String.valueOf(member.of().apply(row))))
                    .toList());
        }
        return out.toString();
    }

    /** Returns the text of a cell. A text that a spreadsheet would read as a formula gets a quote in front. */
    private static String cell(String text) {
        boolean formula = !text.isEmpty()
                && FORMULA.indexOf(text.charAt(0)) >= 0
                && !NUMBER.matcher(text).matches();
        return formula ? "'" + text : text;
    }
}
