package io.inferscope.cli;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferscope recover}: makes trace and report from the spools of a run that did not come to its end. */
@Command(
        name = "recover",
        description = "Finish a run that was cut off: make trace and report from its spools.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class RecoverCommand implements Callable<Integer> {
    private static final String PREFIX = "spool_";

    @Parameters(paramLabel = "DIR", description = "The spool folder, such as outputs/spool_infer.")
    private @Nullable Path folder;

    @Mixin
    private ReportOptions reports = new ReportOptions();

    @Option(names = "--trace", paramLabel = "FILE", description = "Write the merged trace to FILE (.json or .json.gz).")
    private @Nullable Path traceFile;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws ImportException, IOException {
        Path spools = Objects.requireNonNull(folder);
        String name = String.valueOf(spools.toAbsolutePath().normalize().getFileName());
        String program = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
        Path trace =
                traceFile != null ? traceFile : RunOutputs.unused(RunOutputs.FOLDER, "trace_" + program, ".json.gz");
        reports.check(List.of(spools), trace);
        Report report = Pipeline.finish(spools, trace, program);
        if (reports.files().isEmpty()) {
            reports.files().add(RunOutputs.unused(RunOutputs.FOLDER, "report_" + program, ".md"));
        }
        reports.write(report);
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        reports.files().forEach(file -> err.println("Report: " + file));
        err.println("Trace:  " + trace);
        return 0;
    }
}
