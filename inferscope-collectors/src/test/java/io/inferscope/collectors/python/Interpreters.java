package io.inferscope.collectors.python;

import io.inferscope.timeline.fixture.Seeds;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Real interpreters to look into: those the build unpacked below {@code target/cpython}, the machine's own, and
 * free-threaded ones, which no package has: {@code INFERSCOPE_TEST_FREE_THREADED} names them, separated by colons.
 */
public final class Interpreters {
    /** The variable that names free-threaded interpreters. */
    static final String FREE_THREADED = "INFERSCOPE_TEST_FREE_THREADED";

    private static final Path UNPACKED = Path.of("target/cpython");

    /** A way to start an interpreter. */
    public record Interpreter(String name, List<String> command, Map<String, String> environment) {
        /** Returns how to start it with these arguments. */
        public ProcessBuilder start(String... arguments) {
            List<String> words = new ArrayList<>(command);
            words.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(words);
            builder.environment().putAll(environment);
            builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
            builder.redirectError(ProcessBuilder.Redirect.INHERIT);
            return builder;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Interpreters() {}

    /** Returns all of them. */
    public static List<Interpreter> all() throws IOException {
        List<Interpreter> all = new ArrayList<>(unpacked());
        all.addAll(freeThreaded());
        all.add(own());
        String chosen = System.getenv("INFERSCOPE_TEST_PYTHON");
        if (chosen != null) {
            all.add(new Interpreter("chosen", List.of(chosen), Map.of()));
        }
        return all;
    }

    /** Returns all of them under {@code scripts/test --full}, else one of each version. */
    static List<Interpreter> versions() throws IOException {
        List<Interpreter> versions = new ArrayList<>(unpacked());
        if (versions.isEmpty() || Seeds.areAll()) {
            return all();
        }
        versions.addAll(freeThreaded());
        return versions;
    }

    /**
     * Returns all of them under {@code scripts/test --full}, else the newest and free-threaded ones: for tests that watch a program for seconds.
     * What differs between versions is tested on all of them by {@link PythonStacksTest} and {@link LineTablesTest}.
     */
    static List<Interpreter> some() throws IOException {
        List<Interpreter> unpacked = unpacked();
        if (unpacked.isEmpty() || Seeds.areAll()) {
            return all();
        }
        List<Interpreter> some = new ArrayList<>(List.of(unpacked.get(unpacked.size() - 1)));
        some.addAll(freeThreaded());
        return some;
    }

    /** Returns those with a GIL. */
    static List<Interpreter> withGil(List<Interpreter> interpreters) throws IOException {
        List<Interpreter> with = new ArrayList<>(interpreters);
        with.removeAll(freeThreaded());
        return with;
    }

    /** Returns the free-threaded ones. */
    static List<Interpreter> freeThreaded() throws IOException {
        List<Interpreter> found = new ArrayList<>();
        for (String path : System.getenv().getOrDefault(FREE_THREADED, "").split(":", 0)) {
            if (!path.isEmpty()) {
                found.add(new Interpreter(
                        "free-threaded " + Path.of(path).getFileName(), List.of(path), Map.of("PYTHON_GIL", "0")));
            }
        }
        return found;
    }

    private static Interpreter own() {
        return new Interpreter("python3", List.of("python3"), Map.of());
    }

    /** Returns an interpreter's minor version. */
    public static int minor(Interpreter interpreter) throws IOException {
        Process process = interpreter
                .start("-c", "import sys; print(sys.version_info[1])")
                .start();
        return Integer.parseInt(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim());
    }

    private static int minorOfName(Path folder) {
        return Integer.parseInt(folder.getFileName().toString().substring("3.".length()));
    }

    private static List<Interpreter> unpacked() throws IOException {
        List<Interpreter> found = new ArrayList<>();
        if (!Files.isDirectory(UNPACKED)) {
            return found;
        }
        try (Stream<Path> folders = Files.list(UNPACKED)) {
            for (Path folder : folders.sorted(Comparator.comparing(Interpreters::minorOfName))
                    .toList()) {
                Path home = folder.resolve("org/bytedeco/cpython/linux-x86_64").toAbsolutePath();
                String version = folder.getFileName().toString();
                File binary = home.resolve("bin/python" + version).toFile();
                if (binary.canExecute() || binary.setExecutable(true)) {
                    Map<String, String> environment =
                            Map.of("LD_LIBRARY_PATH", home.toString(), "PYTHONHOME", home.toString());
                    found.add(new Interpreter("CPython " + version, List.of(binary.toString()), environment));
                }
            }
        }
        return found;
    }
}
