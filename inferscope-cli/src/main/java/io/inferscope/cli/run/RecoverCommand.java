package io.inferscope.cli.run;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.Pipeline;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.Stage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.spool.SpoolSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope recover}: makes trace and report from the spools of an interrupted run. */
public final class RecoverCommand extends Command {
    private static final String PREFIX = "spool_";

    private final PositionalParamSpec folder =
            parameter(0, "DIR", Path.class, "The spool folder, such as outputs/spool_infer.");

    private final ReportOptions reports = ReportOptions.withTimeline(spec);
    private final OptionSpec traceFile = add(CommandSpecs.mergedTrace());
    private final Settings settings;
    private final RulesOption rules;

    public RecoverCommand(Settings settings) {
        super("recover", "Finish a run that was cut off: make trace and report from its spools.");
        this.settings = settings;
        rules = new RulesOption(spec, settings);
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path spools = folder.getValue();
        String name = String.valueOf(spools.toAbsolutePath().normalize().getFileName());
        String program = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
        Path named = traceFile.getValue();
        Path trace = named != null ? named : RunOutputs.unused(RunOutputs.FOLDER, "trace_" + program, ".json.gz");
        if (!Files.exists(spools)) {
            throw new ImportException(
                    spools.toString(), "there is no such folder", "name the one that inferscope run printed");
        }
        reports.check(List.of(spools), trace);
        Log log = rules.log();
        Stage stage = new Stage(log);
        AnalyzedReport explained = Pipeline.finish(spools, trace, program, rules.analyzer(), stage);
        if (Files.isDirectory(spools)
                && SpoolSummary.of(spools).stream()
                        .noneMatch(spool -> spool.source().equals("host"))) {
            log.warn("the host recorder's spool is missing in " + spools
                    + ": what threads waited for, and how the program ended, is not known");
        }
        if (reports.files().isEmpty()) {
            reports.files()
                    .add(RunOutputs.report(settings, program, RunOutputs.FOLDER.resolve("report_" + program + ".md")));
        }
        int broken = reports.write(explained);
        stage.done("writing the reports");
        RunOutputs.say(log, reports, trace);
        return broken;
    }
}
