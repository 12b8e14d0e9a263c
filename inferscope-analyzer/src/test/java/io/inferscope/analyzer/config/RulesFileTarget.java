package io.inferscope.analyzer.config;

import io.inferscope.analyzer.rules.RuleSettings;

/** Reads bytes as a rules file. Jazzer calls it: {@code lab/fuzz}. */
public final class RulesFileTarget {
    private RulesFileTarget() {}

    /** Throws where a rules file does anything but set rules or name its problems, one short line each. */
    public static void fuzzerTestOneInput(byte[] input) {
        ConfigFile file = ConfigFile.of("rules.yaml", input);
        RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);
        for (Problem problem : file.problems()) {
            String line = problem.toString();
            if (line.indexOf('\n') >= 0 || line.length() > 2000) {
                throw new AssertionError("no short line: " + line.length() + " characters: "
                        + line.substring(0, Math.min(200, line.length())));
            }
        }
    }
}
