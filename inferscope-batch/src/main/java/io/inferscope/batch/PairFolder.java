package io.inferscope.batch;

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
 * Where the results of one pair lie. A tracer writes into a folder beside it, which takes its place only when everything is written, the
 * status last.
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

    /** Returns the folder that is written into. */
    Path unfinished() {
        return unfinished;
    }

    /** Returns the tracer's working folder, which is no result. */
    Path work() {
        return unfinished.resolve(".work");
    }

    Path output() {
        return unfinished.resolve("stdout.txt");
    }

    Path error() {
        return unfinished.resolve("stderr.txt");
    }

    /** Returns the file in which the worker says what became of it. */
    Path answerFile() {
        return unfinished.resolve(".result.json");
    }

    /** Returns what the worker said; nothing where it could not. */
    Map<String, @Nullable Object> answer() {
        try {
            return Files.isRegularFile(answerFile()) ? JsonTree.read(answerFile()) : Map.of();
        } catch (IOException damaged) {
            return Map.of();
        }
    }

    /** Returns whether a run that was killed has left something beside the results. */
    boolean hasLeftovers() {
        return Files.exists(unfinished) || Files.exists(old);
    }

    /** Deletes what a run that was killed has left; for the holder of the pair's lock. */
    void clean() throws IOException {
        ResultFolders.delete(unfinished);
        ResultFolders.delete(old);
    }

    /** Makes room for a run; throws if it holds results of another model, or the user's own files. */
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

    /** Deletes what is no result and was needed only while the tracer ran. */
    void tidy() throws IOException {
        Files.deleteIfExists(answerFile());
        ResultFolders.delete(work());
    }

    /** Deletes everything that the tracer wrote but what it said: it may have used up all room there is. */
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

    /** How often the pair was tried in a row without success, this time included. */
    int attempts() {
        return 1
                + Status.in(folder)
                        .filter(status -> !status.success())
                        .map(Status::attempts)
                        .orElse(0);
    }

    /** Puts what was written in the place of what was there, the status with it. */
    void publish(Status status) throws IOException {
        ResultFolders.delete(work());
        status.write(unfinished);
        ResultFolders.replace(folder, unfinished, old);
    }
}
