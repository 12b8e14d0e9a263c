package io.inferscope.batch;

import io.inferscope.collectors.os.UserEnvironment;
import io.inferscope.collectors.run.CommandFailure;
import io.inferscope.collectors.run.CommandLookup;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The packages that a Python interpreter has installed, and the available tracers. The interpreter is asked once per
 * command and imports neither PyTorch nor vLLM.
 *
 * @param versions versions by package, and that of Python itself under {@code python}
 * @param tracers all tracers, by name, in the order in which they run
 */
public record Installation(Map<String, String> versions, Map<String, TracerInfo> tracers) {
    private static final String COMPLAINT = "inferscope: ";

    /** The oldest versions that the tracers are written for. */
    private static final Map<String, int[]> FLOORS = Map.of(
            "python", new int[] {3, 10},
            "torch", new int[] {2, 2},
            "transformers", new int[] {4, 40},
            "vllm", new int[] {0, 11});

    /** Returns the path of an interpreter, given as a path or as the name of a program on the PATH. */
    public static Path interpreter(String name) throws TraceException {
        try {
            return CommandLookup.find(
                            name, Optional.ofNullable(System.getenv("PATH")).orElse(""))
                    .toAbsolutePath();
        } catch (CommandFailure e) {
            throw new TraceException(e.getMessage() + "; name the interpreter that has PyTorch with --python");
        }
    }

    /** Queries an interpreter. */
    public static Installation of(Path home, Path python, @Nullable Path tracerPath) throws TraceException {
        checkHome(home.resolve("python/inferscope/trace"));
        List<String> words = new ArrayList<>(List.of(python.toString(), "-m", "inferscope.trace", "probe"));
        if (tracerPath != null) {
            words.addAll(List.of("--tracer-path", tracerPath.toString()));
        }
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.PIPE);
        builder.directory(home.resolve("python").toFile());
        UserEnvironment.restore(builder.environment());
        builder.environment().merge("PYTHONPATH", home.resolve("python").toString(), (old, own) -> own + ":" + old);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            Map<String, ?> json = JsonValues.parse(answer(process, python));
            Map<String, String> versions = new TreeMap<>();
            JsonValues.object(json, "versions").forEach((name, version) -> versions.put(name, String.valueOf(version)));
            Map<String, TracerInfo> tracers = new LinkedHashMap<>();
            JsonValues.objects(json, "tracers").stream()
                    .map(TracerInfo::of)
                    .forEach(tracer -> tracers.put(tracer.name(), tracer));
            return new Installation(versions, tracers);
        } catch (IOException e) {
            throw new TraceException(python + ": " + e.getMessage());
        }
    }

    private static void checkHome(Path own) throws TraceException {
        if (!Files.isDirectory(own)) {
            throw new TraceException(own + " is missing: it belongs to InferScope; install InferScope again");
        }
    }

    private static String answer(Process process, Path python) throws IOException, TraceException {
        Thread killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        try {
            CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
            String answer = text(process.getInputStream());
            String errors = said.join().strip();
            if (process.waitFor() != 0) {
                throw new TraceException(complaint(errors, python));
            }
            return answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        } finally {
            process.destroyForcibly();
            forget(killer);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException exiting) {
            // The Java process is shutting down already.
        }
    }

    /** Returns the error that the process reports in its output, else the last line of that output. */
    private static String complaint(String errors, Path python) {
        int own = ("\n" + errors).lastIndexOf("\n" + COMPLAINT);
        String last = errors.substring(errors.lastIndexOf('\n') + 1);
        return own < 0
                ? python + ": " + last
                : errors.substring(own + COMPLAINT.length()).split("\\R", 2)[0];
    }

    private static String text(InputStream stream) {
        try {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ended) {
            return "";
        }
    }

    /** Returns why a framework cannot be traced with the installed packages; empty when it can. */
    public String problem(String framework) {
        List<String> needed =
                framework.equals("vllm") ? List.of("python", "vllm") : List.of("python", "torch", "transformers");
        for (String name : needed) {
            String version = versions.get(name);
            int[] floor = FLOORS.getOrDefault(name, new int[] {0, 0});
            if (version == null) {
                return name + " is not installed";
            }
            if (isBelow(version, floor)) {
                return name + " " + version + " is installed, at least " + floor[0] + "." + floor[1] + " is needed";
            }
        }
        return "";
    }

    /** Returns the versions of the packages on which a framework's results depend. */
    Map<String, String> versions(String framework) {
        Map<String, String> found = new TreeMap<>(versions);
        found.remove("huggingface_hub");
        if (!framework.equals("vllm")) {
            found.remove("vllm");
        }
        return found;
    }

    static boolean isBelow(String version, int[] floor) {
        String[] parts = version.split("[.+]", -1);
        for (int i = 0; i < floor.length; i++) {
            String digits = i < parts.length ? parts[i].replaceFirst("^([0-9]{0,6}).*", "$1") : "";
            int part = digits.isEmpty() ? 0 : Integer.parseInt(digits);
            if (part != floor[i]) {
                return part < floor[i];
            }
        }
        return false;
    }
}
