package io.inferscope.cli.analyze;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.Pipeline;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.formats.Formats;
import io.inferscope.formats.common.Exporter;
import io.inferscope.formats.export.KinetoFileExporter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import io.inferscope.timeline.redact.Redaction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope convert}: writes a trace of any known format in another one. */
public final class ConvertCommand extends Command {
    private final OptionSpec outputs = add(CommandSpecs.list(
                    "-o, --output=OUT",
                    Path.class,
                    "Write OUT; its ending decides the format: .json, .json.gz, .parquet (a folder), .sqlite, .folded,"
                            + " .speedscope.json. May be repeated.")
            .required(true)
            .build());

    private final OptionSpec format = option(
            "--to=FORMAT",
            String.class,
            "Format of every OUT, whatever its ending: kineto, parquet, sqlite, folded, speedscope.");

    private final OptionSpec redact = flag(
            "--redact",
            "Leave out secrets, user and host names, paths and addresses in every text. It cannot recognise all of them.");

    private final OptionSpec path = flag(
            "--critical-path",
            "Draw the critical path as a track of its own, in Kineto JSON. It is not part of the recording, and is ignored when the file is read again.");

    private final RulesOption rules;
    private final TraceInputs inputs;

    public ConvertCommand(Settings settings) {
        super("convert", "Write a trace in another format: Kineto JSON, Parquet, SQLite, folded stacks, speedscope.");
        rules = new RulesOption(spec, settings);
        inputs = new TraceInputs(spec);
        help(List.of(
                "inferscope convert trace.json.gz -o trace.parquet",
                "inferscope convert trace.json.gz --redact -o shared.json.gz"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<Path> files = outputs.getValue();
        List<Exporter> exporters = check(inputs.files(), files);
        Timeline timeline = inputs.load();
        TraceInputs.tellDamage(timeline, inputs.title(), spec);
        Timeline written = isSet(redact) ? Redaction.of(timeline) : timeline;
        for (int i = 0; i < files.size(); i++) {
            Exporter exporter = exporters.get(i);
            write(written, exporter, files.get(i));
            String leftOut = exporter.leftOut(written);
            Log.line(
                    err(),
                    "Written: " + files.get(i) + " (" + exporter.format() + ", " + written.rowCount() + " rows"
                            + (leftOut.isEmpty() ? "" : "; not in this format: " + leftOut) + ")");
        }
        return 0;
    }

    private void write(Timeline timeline, Exporter exporter, Path file) throws ImportException, IOException {
        if (isSet(path) && exporter instanceof KinetoFileExporter && timeline.instantsAreRecorded()) {
            KinetoExporter.write(
                    timeline, file, Pipeline.overlay(rules.analyzer().analysis(timeline)));
        } else {
            exporter.write(timeline, file);
        }
    }

    /** Fails before any work if an input or output is not possible. */
    private List<Exporter> check(List<Path> read, List<Path> written) {
        try {
            @Nullable String named = format.getValue();
            List<Exporter> exporters = new ArrayList<>();
            for (Path output : written) {
                Exporter exporter =
                        named != null ? Formats.exporterByFormat(named) : Formats.exporterByFileName(output.toString());
                exporter.check(output);
                exporters.add(exporter);
            }
            OutputFiles.check(read, written);
            return exporters;
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }
}
