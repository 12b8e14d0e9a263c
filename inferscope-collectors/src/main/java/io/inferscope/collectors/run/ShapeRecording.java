package io.inferscope.collectors.run;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Makes the Python interpreters of a command record the shapes of PyTorch's tensors.
 *
 * @param home InferScope's own folder, which holds {@code python/}
 * @param variables the recorder's environment variables: what to record, and the output
 */
public record ShapeRecording(Path home, Map<String, String> variables) {
    private static final String SEARCH_PATH = "PYTHONPATH";

    /** Keeps a copy of the variables, in their order. */
    public ShapeRecording {
        variables = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(variables));
    }

    public boolean isInstalled() {
        return Files.isDirectory(bootstrap());
    }

    /** Returns the folders that Python must search before all others. */
    public String searchPath() {
        return bootstrap() + ":" + library();
    }

    /** Returns the program that completes the files of killed processes; its arguments are folders. */
    public Path recoverer() {
        return library().resolve("inferscope").resolve("_shape_recover.py");
    }

    void prepare(ChildEnvironment environment) {
        environment.prepend(SEARCH_PATH, searchPath().getBytes(NativeText.charset()));
        variables.forEach((name, value) -> environment.set(name, value.getBytes(StandardCharsets.UTF_8)));
    }

    private Path library() {
        return home.resolve("python").toAbsolutePath().normalize();
    }

    private Path bootstrap() {
        return library().resolve("bootstrap");
    }
}
