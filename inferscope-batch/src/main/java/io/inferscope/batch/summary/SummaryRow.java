package io.inferscope.batch.summary;

import io.inferscope.batch.ExitClass;
import io.inferscope.batch.Pair;
import io.inferscope.batch.PairResult;
import io.inferscope.batch.ProfileReporter;
import io.inferscope.batch.Status;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One pair in the overview.
 *
 * @param model the folder of its model
 * @param modelId the model's name on a hub, or its path
 * @param mode {@code eval} or {@code train}
 * @param tracer the tracer
 * @param outcome an {@link ExitClass}, or {@code skipped} or {@code interrupted}
 * @param action what this batch did about the pair; empty if the result is of an earlier batch
 * @param reason why it failed, otherwise empty
 * @param totalS how long the pair took, from start to status
 * @param traceS the part of {@code totalS} in which the tracer did its own work
 * @param peakBytes the most memory that was measured for the pair, in bytes
 * @param folder its folder below the output folder
 * @param hasFolder whether this folder exists
 * @param report the report on what was profiled, below the output folder; empty for none
 */
record SummaryRow(
        String model,
        String modelId,
        String mode,
        String tracer,
        String outcome,
        String action,
        String reason,
        double totalS,
        double traceS,
        long peakBytes,
        String folder,
        boolean hasFolder,
        String report) {
    /** The figures of a pair that are written for programs: each is a column of the CSV and a member in the JSON. */
    static final List<Member> MEMBERS = List.of(
            new Member("model", SummaryRow::model),
            new Member("model_id", SummaryRow::modelId),
            new Member("mode", SummaryRow::mode),
            new Member("tracer", SummaryRow::tracer),
            new Member("outcome", SummaryRow::outcome),
            new Member("action", SummaryRow::action),
            new Member("reason", SummaryRow::reason),
            new Member("total_s", SummaryRow::totalS),
            new Member("trace_s", SummaryRow::traceS),
            new Member("peak_memory_bytes", SummaryRow::peakBytes),
            new Member("folder", SummaryRow::folder));

    /** One figure: its name and how to get it from a row. */
    record Member(String name, Function<SummaryRow, Object> of) {}

    /** Returns the pairs of this batch and all pairs with a status in the folder, sorted by model, mode and tracer. */
    static List<SummaryRow> all(Path output, List<PairResult> results) throws IOException {
        Map<String, PairResult> own = new HashMap<>();
        results.forEach(result -> own.put(key(result), result));
        Map<String, SummaryRow> rows = new TreeMap<>();
        for (Path model : folders(output)) {
            for (Path mode : folders(model)) {
                for (Path tracer : folders(mode)) {
                    String key = String.valueOf(output.relativize(tracer));
                    Optional<Status> known = Optional.ofNullable(own.get(key)).flatMap(PairResult::status);
                    known.or(() -> Status.in(tracer))
                            .ifPresent(status -> rows.put(key, of(status, key, action(own.get(key)))));
                }
            }
        }
        for (PairResult result : results) {
            if (result.action() == PairResult.Action.RAN && result.status().isEmpty()) {
                rows.put(key(result), of(result)); // A status in its folder is of an earlier run.
            } else if (result.status().isEmpty()) {
                rows.putIfAbsent(key(result), of(result));
            }
        }
        return new ArrayList<>(rows.values());
    }

    private static String key(PairResult result) {
        return String.valueOf(result.pair().folder(Path.of("")));
    }

    private static String action(@org.jspecify.annotations.Nullable PairResult result) {
        return result == null ? "" : result.action().name().toLowerCase(Locale.ROOT);
    }

    private static List<Path> folders(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(
                folder, entry -> !entry.getFileName().toString().startsWith("."))) {
            for (Path entry : entries) {
                if (Files.isDirectory(entry)) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    private static SummaryRow of(Status status, String folder, String action) {
        String[] names = folder.split("/", -1);
        return new SummaryRow(
                names[0],
                status.text("model_id"),
                names[1],
                names[2],
                status.text("exit_class"),
                action,
                status.text("reason"),
                status.number("durations_s", "total"),
                status.number("durations_s", "trace"),
                (long) JsonValues.number(status.members(), "peak_memory_bytes"),
                folder,
                true,
                status.lists(ProfileReporter.PAGE) ? folder + "/" + ProfileReporter.PAGE : "");
    }

    private static SummaryRow of(PairResult result) {
        String action = action(result);
        String outcome =
                result.action() == PairResult.Action.RAN ? result.exitClass().label() : action;
        Pair pair = result.pair();
        return new SummaryRow(
                pair.model().folder(),
                pair.model().id(),
                pair.mode(),
                pair.tracer().name(),
                outcome,
                action,
                result.reason(),
                0,
                0,
                0,
                key(result),
                false,
                "");
    }

    /** Returns whether nothing is missing. */
    boolean isFine() {
        return outcome.equals(ExitClass.OK.label()) || outcome.equals("skipped");
    }
}
