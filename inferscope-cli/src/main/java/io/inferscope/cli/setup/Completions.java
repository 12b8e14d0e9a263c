package io.inferscope.cli.setup;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completions for shells that picocli does not support, from the parser's description. */
final class Completions {
    private Completions() {}

    /** Returns a function for zsh's {@code compdef}; words that are no options are files. */
    static String zsh(CommandLine program) {
        StringBuilder text = new StringBuilder("#compdef inferscope\n");
        zshFunction(program, "_inferscope", text);
        return text.append("_inferscope \"$@\"\n").toString();
    }

    private static void zshFunction(CommandLine command, String name, StringBuilder text) {
        Map<String, CommandLine> commands = command.getSubcommands();
        commands.forEach((word, sub) -> zshFunction(sub, name + "_" + word, text));
        text.append(name)
                .append("() {\n  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  _arguments -C");
        for (OptionSpec option : command.getCommandSpec().options()) {
            for (String form : option.names()) {
                boolean value = option.arity().max() > 0;
                String word = form + (value && form.startsWith("--") ? "=" : value ? "+" : "");
                String argument = value ? ":" + escaped(option.paramLabel()) + ":_files" : "";
                text.append(" \\\n    ").append(quoted("*" + word + "[" + escaped(says(option)) + "]" + argument));
            }
        }
        if (commands.isEmpty()) {
            text.append(" \\\n    '*:file:_files'\n}\n");
            return;
        }
        text.append(" \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n  command)\n    local -a commands=(");
        commands.forEach((word, sub) -> text.append("\n      ")
                .append(quoted(word + ":" + says(sub.getCommandSpec()).replace(":", "\\:"))));
        text.append("\n    )\n    _describe command commands ;;\n  rest)\n    case $line[1] in\n");
        commands.keySet()
                .forEach(word -> text.append("    ")
                        .append(word)
                        .append(") ")
                        .append(name)
                        .append('_')
                        .append(word)
                        .append(" ;;\n"));
        text.append("    esac ;;\n  esac\n}\n");
    }

    /** Returns lines of {@code complete} for fish; words that are no options are files. */
    static String fish(CommandLine program) {
        StringBuilder text = new StringBuilder();
        fishLines(program, "__fish_use_subcommand", text);
        program.getSubcommands().forEach((word, sub) -> {
            String within = "__fish_seen_subcommand_from " + word;
            String nested = String.join(" ", sub.getSubcommands().keySet());
            fishLines(
                    sub, nested.isEmpty() ? within : within + "; and not __fish_seen_subcommand_from " + nested, text);
            sub.getSubcommands()
                    .forEach((inner, last) ->
                            fishLines(last, within + "; and __fish_seen_subcommand_from " + inner, text));
        });
        return text.toString();
    }

    private static void fishLines(CommandLine command, String condition, StringBuilder text) {
        String start = "complete -c inferscope -n " + fishQuoted(condition);
        command.getSubcommands().forEach((word, sub) -> line(text, start, "-f -a " + word, says(sub.getCommandSpec())));
        for (OptionSpec option : command.getCommandSpec().options()) {
            String names = Arrays.stream(option.names())
                    .map(form -> form.startsWith("--") ? "-l " + form.substring(2) : "-s " + form.substring(1))
                    .collect(Collectors.joining(" "));
            line(text, start, option.arity().min() > 0 ? names + " -r" : names, says(option));
        }
    }

    private static void line(StringBuilder text, String start, String what, String says) {
        text.append(start)
                .append(' ')
                .append(what)
                .append(" -d ")
                .append(fishQuoted(says))
                .append('\n');
    }

    private static String says(OptionSpec option) {
        return sentence(option.description());
    }

    private static String says(CommandSpec command) {
        return sentence(command.usageMessage().description());
    }

    /** Returns the first sentence, without its full stop. */
    private static String sentence(String... lines) {
        String all = Stream.of(lines).findFirst().orElse("").replace("%%", "%");
        return List.of(all.split("[.:;] | \\(|\\.$")).get(0);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("[", "\\[")
                .replace("]", "\\]")
                .replace(":", "\\:");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
