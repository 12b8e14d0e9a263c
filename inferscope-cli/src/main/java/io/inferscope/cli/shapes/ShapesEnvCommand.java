package io.inferscope.cli.shapes;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.collectors.run.ShapeRecording;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code inferscope shapes env}: prints shell lines that make the workers of a server record, independent of how it is
 * started.
 */
final class ShapesEnvCommand implements Runnable {
    private final ShapesOptions options = new ShapesOptions();
    private final CommandSpec spec = CommandSpecs.command(
            this, "env", "Print shell lines that make every Python program started from that shell record its shapes.");

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        spec.usageMessage().customSynopsis("eval \"$(inferscope shapes env [OPTIONS])\"");
        options.addTo(spec);
        return CommandSpecs.withHelp(spec);
    }

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> variables = options.variables();
        options.addNamedFile(variables);
        String path = new ShapeRecording(InstallFolder.find(), variables).searchPath();
        out.println("export PYTHONPATH=" + quoted(path) + "\"${PYTHONPATH:+:$PYTHONPATH}\"");
        variables.forEach((name, value) -> out.println("export " + name + "=" + quoted(value)));
        out.flush();
    }

    private static String quoted(String text) {
        return text.matches("[A-Za-z0-9_./:,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
