package io.inferscope.cli.analyze;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.rules.Rules;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.formats.Formats;
import io.inferscope.formats.export.KinetoFileExporter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.redact.Redaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code inferscope minimize}: writes the smallest part of a trace that still yields a finding, without private text.
 */
public final class MinimizeCommand extends Command {
    private static final int MOST_ATTEMPTS = 1_000_000;

    private final OptionSpec rule = requiredOption(
            "--finding=RULE",
            String.class,
            "The rule whose finding the trace must keep, as reports and docs/rules name it: launch-bound.");

    private final OptionSpec output =
            requiredOption("-o, --output=OUT.json.gz", Path.class, "Write the trace to OUT.json or OUT.json.gz.");

    private final OptionSpec attempts = option("--attempts=N", Long.class, "1000", "Analyse at most N smaller traces.");

    private final OptionSpec unredacted =
            flag("--no-redact", "Keep secrets, user and host names, paths and addresses.");

    private final RulesOption rules;
    private final TraceInputs inputs;

    public MinimizeCommand(Settings settings) {
        super(
                "minimize",
                "Write the smallest part of a trace that still has a finding at the same place, redacted, for a bug report.");
        rules = new RulesOption(spec, settings);
        inputs = new TraceInputs(spec);
        help(List.of("inferscope minimize trace.json.gz --finding launch-bound -o small.json.gz"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path file = output.getValue();
        int most = (int) checked(attempts, 1, MOST_ATTEMPTS);
        try {
            if (!(Formats.exporterByFileName(file.toString()) instanceof KinetoFileExporter exporter)) {
                throw new IllegalArgumentException(file + " does not end in .json or .json.gz");
            }
            OutputFiles.check(inputs.files(), List.of(file));
            Analyzer analyzer = rules.analyzer();
            Timeline whole = inputs.load();
            Timeline readable = isSet(unredacted) ? whole : Redaction.of(whole);
            Minimizer minimizer = new Minimizer(analyzer, readable, finding(analyzer, whole, readable), most);
            Timeline small = minimizer.smallest();
            exporter.write(small, file);
            if (!minimizer.isSame(Formats.importers().load(file))) {
                Files.delete(file);
                throw new IllegalStateException("the written trace has another finding when it is read again: removed");
            }
            Log.line(
                    err(),
                    "Written: " + file + " (" + small.rowCount() + " of " + whole.rowCount() + " rows, after "
                            + minimizer.analyses() + " analyses). Read it before you share it.");
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
        return 0;
    }

    /** Returns the finding in the reduced timeline. */
    private Finding finding(Analyzer analyzer, Timeline whole, Timeline readable) {
        String name = rule.getValue();
        if (Rules.ALL.stream().noneMatch(known -> known.info().id().equals(name))) {
            throw new IllegalArgumentException(
                    "there is no rule " + name + "; found in this trace: " + found(analyzer, whole));
        }
        return Minimizer.find(analyzer, readable, name)
                .orElseThrow(() -> new IllegalArgumentException(
                        Minimizer.find(analyzer, whole, name).isPresent()
                                ? "without private text, " + name + " is not found: --no-redact keeps that"
                                : name + " finds nothing in this trace; found: " + found(analyzer, whole)));
    }

    private static String found(Analyzer analyzer, Timeline whole) {
        List<Finding> findings = Minimizer.findings(analyzer, whole);
        return findings.isEmpty()
                ? "nothing"
                : findings.stream().map(Finding::rule).collect(Collectors.joining(", "));
    }
}
