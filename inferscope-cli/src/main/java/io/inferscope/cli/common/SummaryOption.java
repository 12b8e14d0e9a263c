package io.inferscope.cli.common;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.fleet.Origin;
import io.inferscope.fleet.RecordingRows;
import io.inferscope.fleet.SummarySets;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code --summary DIR} and {@code --label KEY=VALUE}: the recording as rows of a fleet. */
public final class SummaryOption extends Options {
    private final OptionSpec folder = option(
            "--summary=DIR",
            Path.class,
            "Add the recording to DIR as rows of Parquet tables (docs/fleet.md); rows of the same recording are replaced.");

    private final OptionSpec labels = add(labels());

    /** Returns the option of labels. */
    public static OptionSpec labels() {
        return CommandSpecs.list(
                        "--label=KEY=VALUE",
                        String.class,
                        "What the recording is of, such as service=chat, for --summary. May be repeated.")
                .build();
    }

    public SummaryOption(CommandSpec spec) {
        super(spec);
    }

    public boolean isSet() {
        return folder.getValue() != null;
    }

    /** Fails before any work if the folder cannot be written to, or a label is none. */
    public void check(List<Path> recording) {
        Map<String, String> said = labels(spec, labels);
        if (!isSet() && !said.isEmpty()) {
            throw misuse("--label is of no use without --summary");
        }
        if (isSet()) {
            if (recording.contains(InputFiles.STANDARD_INPUT)) {
                throw misuse("--summary needs a file; standard input has no name");
            }
            checkFolder(spec, folder.getValue());
        }
    }

    /** Returns the labels that an option gives. */
    public static Map<String, String> labels(CommandSpec spec, OptionSpec option) {
        List<String> texts = option.getValue();
        try {
            return texts == null ? Map.of() : Origin.labels(texts); // Without any, the class is not loaded.
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--label " + e.getMessage());
        }
    }

    /** Fails if sets cannot be written to a folder. */
    public static void checkFolder(CommandSpec spec, Path folder) {
        if (folder.toString().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "the folder of the rows has no name");
        }
        try {
            OutputFiles.check(List.of(), List.of(folder.resolve(SummarySets.name(Set.of()))));
            if (Files.exists(folder)) {
                WholeFile.checkOwner(folder);
            }
        } catch (IllegalArgumentException | IOException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    /**
     * Writes the rows, if asked for.
     *
     * @param recording the files that hold the recording
     */
    public void write(List<Path> recording, AnalyzedReport explained) throws IOException {
        if (isSet()) {
            Path first = Objects.requireNonNull(recording.get(0).getFileName(), "a recording has a name");
            Origin origin =
                    new Origin(Origin.traceId(recording), Version.text(), first.toString(), labels(spec, labels));
            SummarySets sets = new SummarySets(folder.getValue());
            sets.remove(origin.traceId());
            sets.write(List.of(RecordingRows.of(origin, explained)));
        }
    }
}
