package io.inferscope.timeline.files;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs that InferScope itself starts, as opposed to the ones that its user names. */
public final class Programs {
    private Programs() {}

    /** Returns a program in the folders of this process's {@code PATH}. */
    public static Optional<Path> find(String name) {
        return find(name, Optional.ofNullable(System.getenv("PATH")).orElse(""));
    }

    /**
     * Returns a program in folders, as {@code PATH} lists them. Entries that are relative or empty are skipped: they mean
     * the working folder, where the author of a trace may have put a program of the same name.
     */
    public static Optional<Path> find(String name, String folders) {
        return Stream.of(folders.split(File.pathSeparator))
                .filter(folder -> folder.startsWith(File.separator))
                .map(folder -> Path.of(folder).resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }
}
