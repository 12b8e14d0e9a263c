package io.inferscope.batch;

import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result folder of one pair. A tracer writes into another folder beside it, which replaces the result folder once
 * everything is written. The status is written last.
 */
final class PairFolder {
    private static final String UNFINISHED = ".unfinished";
    private static final String OLD = ".old";

    private final Pair pair;
    private final Path folder;
    private final Path unfinished;
    private final Path old;

    PairFolder(Pair pair, Path output) {
        this.pair = pair;
        folder = pair.folder(output);
        unfinished = pair.beside(output, UNFINISHED);
        old = pair.beside(output, OLD);
    }

    /** Returns the place of the results. */
    Path folder() {
        return folder;
    }

    /** Returns the folder into which the tracer writes. */
    Path unfinished() {
        return unfinished;
    }

    /** Returns the tracer's working folder, which does not belong to the results. */
    Path work() {
        return unfinished.resolve(".work");
    }

    Path output() {
        return unfinished.resolve("stdout.txt");
    }

    Path error() {
        return unfinished.resolve("stderr.txt");
    }

    /** Returns the file in which the worker reports its outcome. */
    Path answerFile() {
        return unfinished.resolve(".result.json");
    }

    /** Returns the contents of {@link #answerFile}; an empty map if the worker wrote none that can be read. */
    Map<String, @Nullable Object> answer() {
        try {
            return Files.isRegularFile(answerFile()) ? JsonValues.read(answerFile()) : Map.of();
        } catch (IOException damaged) {
            return Map.of();
        }
    }

    /** Returns whether a killed run has left files beside the results. */
    boolean hasLeftovers() {
        return Files.exists(unfinished) || Files.exists(old);
    }

    /** Deletes the files that a killed run has left. The caller must hold the pair's lock. */
    void clean() throws IOException {
        ResultFolders.delete(unfinished);
        ResultFolders.delete(old);
    }

    /**
     * Prepares empty folders for a run; throws if the result folder holds results of another model, or the user's own
     * files.
     */
    void prepare() throws IOException {
        ResultFolders.checkOurs(folder);
        Optional<String> other = Status.in(folder)
                .map(status -> status.text("model_id"))
                .filter(id -> !id.equals(pair.model().id()));
        if (other.isPresent()) {
            throw new FileSystemException(
                    folder.toString(), null, "it holds the results of " + other.get() + "; name another --output-dir");
        }
        clean();
        Files.createDirectories(work());
    }

    /** Deletes files that were needed only while the tracer ran. */
    void tidy() throws IOException {
        Files.deleteIfExists(answerFile());
        ResultFolders.delete(work());
    }

    /** Deletes everything that the tracer wrote except its output logs, since the results may have filled the disk. */
    void discardResults() throws IOException {
        List<Path> written;
        try (Stream<Path> content = Files.list(unfinished)) {
            written = content.filter(path -> !path.equals(output()) && !path.equals(error()))
                    .toList();
        }
        for (Path path : written) {
            ResultFolders.delete(path);
        }
    }

    /** Returns how often in a row the pair was run without success, this run included. */
    int attempts() {
        return 1
                + Status.in(folder)
                        .filter(status -> !status.success())
                        .map(Status::attempts)
                        .orElse(0);
    }

    /** Writes the status and replaces the old result folder by the new one. */
    void publish(Status status) throws IOException {
        ResultFolders.delete(work());
        status.write(unfinished);
        ResultFolders.replace(folder, unfinished, old);
    }
}
