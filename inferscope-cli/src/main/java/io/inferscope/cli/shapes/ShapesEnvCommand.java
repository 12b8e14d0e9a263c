package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Home;
import io.inferscope.cli.common.Specs;
import io.inferscope.collectors.run.ShapeRecording;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** {@code inferscope shapes env}: prints the lines that make the workers of a server record, however it is started. */
final class ShapesEnvCommand implements Runnable {
    private final ShapesOptions options = new ShapesOptions();
    private final CommandSpec spec = Specs.command(
            this, "env", "Print shell lines that make every Python program started from that shell record its shapes.");

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        spec.usageMessage().customSynopsis("eval \"$(inferscope shapes env [OPTIONS])\"");
        options.addTo(spec);
        Specs.addHelp(spec);
        return spec;
    }

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> variables = options.variables();
        options.addNamedFile(variables);
        String path = new ShapeRecording(Home.find(), variables).searchPath();
        out.println("export PYTHONPATH=" + quoted(path) + "\"${PYTHONPATH:+:$PYTHONPATH}\"");
        variables.forEach((name, value) -> out.println("export " + name + "=" + quoted(value)));
        out.flush();
    }

    private static String quoted(String text) {
        return text.matches("[A-Za-z0-9_./:,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
