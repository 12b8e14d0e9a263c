package io.inferscope.cli.common;

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
public final class RulesOption extends Options {
    private final OptionSpec file = option(
            "--rules-file=FILE",
            Path.class,
            "Take limits, severities and rules of your own from FILE (YAML: docs/rules-file.md).");

    private final Settings settings;

    public RulesOption(CommandSpec spec, Settings settings) {
        super(spec);
        this.settings = settings;
    }

    /** Thrown for a rules file with mistakes, one line each. The command's usage help is not printed. */
    public static final class Mistakes extends ParameterException {
        private static final long serialVersionUID = 1;

        private final transient List<Problem> problems;

        public Mistakes(CommandLine command, List<Problem> problems) {
            super(command, problems.get(0).toString());
            this.problems = List.copyOf(problems);
        }

        List<Problem> problems() {
            return problems;
        }
    }

    /** Returns the log of the command. */
    public Log log() {
        return Log.of(spec.commandLine(), settings);
    }

    /**
     * Returns an analyzer with the settings outside the command line and, on top, the named rules file. Prints warnings
     * about invalid settings.
     *
     * @throws ImportException when the named file cannot be read
     * @throws Mistakes when it has mistakes
     */
    public Analyzer analyzer() throws ImportException {
        CommandLine line = spec.commandLine();
        RuleSettings rules = file.getValue() == null ? withoutOption() : named(line);
        if (log().level().says(LogLevel.WARN)) {
            settings.warn(line.getErr());
        }
        return new Analyzer(rules);
    }

    private RuleSettings named(CommandLine line) throws ImportException {
        Path path = file.getValue();
        ConfigFile config = read(path);
        RuleSettings rules = RuleSections.ofRulesFile(config, settings.rules());
        if (!config.problems().isEmpty()) {
            throw new Mistakes(line, config.problems());
        }
        return rules;
    }

    /**
     * Returns the settings without the option. A rules file named by a setting counts as settings: invalid entries are
     * skipped.
     */
    private RuleSettings withoutOption() {
        RuleSettings below = settings.rules();
        Settings.Value named = settings.value(Setting.RULES_FILE);
        if (named.text().isEmpty()) {
            return below;
        }
        try {
            ConfigFile config = read(Path.of(named.text()));
            RuleSettings rules = RuleSections.ofRulesFile(config, below);
            config.problems().forEach(problem -> settings.warning(problem.toString()));
            return rules;
        } catch (ImportException e) {
            settings.warning(named.origin() + ": " + e.getMessage());
            return below;
        }
    }

    private static ConfigFile read(Path path) throws ImportException {
        try {
            return ConfigFile.read(path.toString(), path);
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
