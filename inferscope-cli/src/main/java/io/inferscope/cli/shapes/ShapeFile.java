package io.inferscope.cli.shapes;

import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The shape files of a run.
 *
 * @param file the file of operators; workers of several ranks write files beside it
 * @param recording the recording settings; null if shapes are not recorded
 * @param start when the run began
 */
public record ShapeFile(Path file, @Nullable ShapeRecording recording, FileTime start) {
    private static final String ENDING = "_summary.json";

    /** Returns the file of an ordinary run of a program. */
    public static ShapeFile of(boolean wanted, String program) throws IOException {
        Path unnamed = RunOutputs.unused(RunOutputs.FOLDER, "shapes_" + program, ".jsonl");
        if (!wanted) {
            return new ShapeFile(unnamed, null, now());
        }
        Map<String, String> variables = new LinkedHashMap<>(Map.of("INFERSCOPE_SHAPES", "1"));
        Path file = new ShapesOptions(CommandSpec.create()).addFile(variables, unnamed);
        RunOutputs.check(file);
        return new ShapeFile(file, new ShapeRecording(InstallFolder.find(), variables), now());
    }

    /** Returns the current time minus a second, because file times are coarse. */
    static FileTime now() {
        return FileTime.from(Instant.now().minus(1, ChronoUnit.SECONDS));
    }

    /** After the run, completes the files of killed workers and prints all files. Returns the files of operators. */
    public List<Path> settle(PrintWriter err) {
        ShapeRecording shapes = recording;
        if (shapes == null) {
            return List.of();
        }
        try {
            List<Path> left = ShapeLogs.left(file);
            if (!left.isEmpty()) {
                ShapeLogs.recover(shapes, left, err);
            }
        } catch (ImportException | IOException e) {
            Log.tell(err, e);
        }
        try {
            return said(ShapeLogs.summaries(file, start), err);
        } catch (IOException e) {
            Log.tell(err, "cannot look for the shapes beside " + file + ": " + e.getMessage());
            return List.of();
        } finally {
            err.flush();
        }
    }

    private static List<Path> said(List<Path> summaries, PrintWriter err) {
        List<Path> files = new ArrayList<>();
        if (summaries.isEmpty()) {
            Log.tell(
                    err,
                    "no operators were recorded: no Python process of the rank asked for called a module of PyTorch,"
                            + " or none after the forward passes that are left out");
        }
        for (Path summary : summaries) {
            String name = String.valueOf(summary.getFileName());
            String stem = name.substring(0, name.length() - ENDING.length());
            Path operators = summary.resolveSibling(stem + ".jsonl");
            Log.line(err, "Shapes: " + operators + ", " + name);
            files.add(operators);
        }
        return files;
    }
}
