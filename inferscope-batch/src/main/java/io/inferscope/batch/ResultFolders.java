package io.inferscope.batch;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Folders of results: deleted and replaced as a whole. A folder with files that InferScope did not write is never
 * deleted.
 */
final class ResultFolders {
    private ResultFolders() {}

    /** Deletes a folder with all it holds; links are deleted, not followed. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Throws if a folder holds a file that is not a result of a tracer. */
    static void checkOurs(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS) || Files.isRegularFile(folder.resolve(Status.FILE))) {
            return;
        }
        if (Files.isDirectory(folder)) {
            try (Stream<Path> content = Files.list(folder)) {
                if (content.findAny().isEmpty()) {
                    return;
                }
            }
        }
        throw new FileSystemException(
                folder.toString(),
                null,
                "it holds files that are not results of a tracer; move it, or name another --output-dir");
    }

    /**
     * Replaces {@code folder} by {@code made}. What was at {@code folder} is first moved to {@code old}, in the same
     * parent folder, and then deleted.
     */
    static void replace(Path folder, Path made, Path old) throws IOException {
        delete(old);
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(folder, old);
        }
        Files.move(made, folder);
        delete(old);
    }
}
