package io.inferscope.cli;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.config.ConfigFile;
import io.inferscope.analyzer.config.Problem;
import io.inferscope.analyzer.config.RuleSections;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code --rules-file FILE}: limits, severities and rules of the user's own, for every command that makes a report. */
final class RulesOption {
    private final OptionSpec file = OptionSpec.builder("--rules-file")
            .type(Path.class)
            .paramLabel("FILE")
            .description("Take limits, severities and rules of your own from FILE (YAML: docs/rules-file.md).")
            .build();

    /** A rules file with mistakes in it: each is one line, and help on the command would not help. */
    static final class Mistakes extends ParameterException {
        private static final long serialVersionUID = 1;

        private final transient List<Problem> problems;

        Mistakes(CommandLine command, List<Problem> problems) {
            super(command, problems.get(0).toString());
            this.problems = List.copyOf(problems);
        }

        List<Problem> problems() {
            return problems;
        }
    }

    void addTo(CommandSpec spec) {
        spec.addOption(file);
    }

    /**
     * Returns an analyzer that goes by the file, if one was named.
     *
     * @throws ImportException when the file cannot be read
     * @throws Mistakes when it has mistakes
     */
    Analyzer analyzer() throws ImportException {
        Path path = file.getValue();
        if (path == null) {
            return new Analyzer();
        }
        ConfigFile config = ConfigFile.of(path.toString(), bytes(path));
        RuleSettings settings = RuleSections.ofRulesFile(config, RuleSettings.DEFAULT);
        if (!config.problems().isEmpty()) {
            throw new Mistakes(file.command().commandLine(), config.problems());
        }
        return new Analyzer(settings);
    }

    private static byte[] bytes(Path path) throws ImportException {
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new ImportException(
                    path.toString(),
                    Files.exists(path)
                            ? "the rules file cannot be read: " + e.getMessage()
                            : "there is no such rules file",
                    "name one with --rules-file, or leave it out");
        }
    }
}
