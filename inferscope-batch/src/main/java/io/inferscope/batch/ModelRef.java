package io.inferscope.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model as the user names it.
 *
 * @param id the name on a hub, or the absolute path of a local model
 * @param local its folder; null for a model on a hub
 * @param folder the name of its folder among the outputs
 */
public record ModelRef(String id, @Nullable Path local, String folder) {
    private static final int HASH_CHARS = 8;

    /** Returns the model of a name. It is local if the name is an existing folder or looks like a path. */
    static ModelRef of(String name) {
        Path path = Path.of(name);
        if (Files.isDirectory(path) || name.startsWith("/") || name.startsWith("./") || name.startsWith("../")) {
            Path absolute = path.toAbsolutePath().normalize();
            Path last = absolute.getFileName();
            return new ModelRef(absolute.toString(), absolute, safe(last == null ? "root" : last.toString()));
        }
        return new ModelRef(name, null, safe(name.replace("/", "__")));
    }

    /** Returns the same model with a folder whose name no other model has. */
    ModelRef apart() {
        return new ModelRef(
                id, local, folder + "-" + Fingerprint.of(List.of(id)).substring(0, HASH_CHARS));
    }

    private static String safe(String name) {
        String safe = name.replaceAll("[^\\w.-]", "_");
        return safe.startsWith(".") ? "_" + safe : safe;
    }

    /**
     * Returns what identifies the state of a local model: names, sizes and times of its files. Empty for a model of a
     * hub, which is identified by its name, and if the files cannot be examined.
     */
    String state() {
        if (local == null) {
            return "";
        }
        try (Stream<Path> files = Files.list(local)) {
            List<String> seen = files.sorted().map(ModelRef::state).toList();
            return Fingerprint.of(seen);
        } catch (IOException | UncheckedIOException unknown) {
            return "";
        }
    }

    private static String state(Path file) {
        try {
            return Files.isDirectory(file)
                    ? ""
                    : file.getFileName() + " " + Files.size(file) + " "
                            + Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
