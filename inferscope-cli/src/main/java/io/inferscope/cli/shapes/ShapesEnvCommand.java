package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.text.ShellText;
import java.io.PrintWriter;
import java.util.Map;

/**
 * {@code inferscope shapes env}: prints shell lines that make the workers of a server record, independent of how it is
 * started.
 */
final class ShapesEnvCommand extends Command {
    private final ShapesOptions options = new ShapesOptions(spec);

    ShapesEnvCommand() {
        super("env", "Print shell lines that make every Python program started from that shell record its shapes.");
        spec.usageMessage().customSynopsis("eval \"$(inferscope shapes env [OPTIONS])\"");
    }

    @Override
    public Integer call() {
        PrintWriter out = out();
        Map<String, String> variables = options.variables();
        options.addNamedFile(variables);
        String path = new ShapeRecording(InstallFolder.find(), variables).searchPath();
        out.println("export PYTHONPATH=" + ShellText.quoted(path) + "\"${PYTHONPATH:+:$PYTHONPATH}\"");
        variables.forEach((name, value) -> out.println("export " + name + "=" + ShellText.quoted(value)));
        out.flush();
        return 0;
    }
}
