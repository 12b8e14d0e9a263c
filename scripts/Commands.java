import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/**
 * Runs many commands of InferScope in one JVM. Each line of the input names the file for standard output and standard
 * error, then the arguments, separated by tabs; the answer is a line with the exit code. Started from its source by
 * scripts/freeze, with the jars of the build that is tried.
 */
public final class Commands {
    private Commands() {}

    public static void main(String[] args) throws Exception {
        Class<?> program = Class.forName("io.inferscope.cli.Main");
        Method parser = program.getDeclaredMethod("commandLine", String.class);
        Method run = program.getDeclaredMethod("run", CommandLine.class, String[].class);
        parser.setAccessible(true);
        run.setAccessible(true);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split("\t");
            String[] command = java.util.Arrays.copyOfRange(words, 1, words.length);
            try (PrintWriter out = new PrintWriter(words[0], StandardCharsets.UTF_8)) {
                CommandLine parsed = ((CommandLine) parser.invoke(null, command[0])).setOut(out).setErr(out);
                System.out.println(run.invoke(null, parsed, command));
            }
        }
    }
}
