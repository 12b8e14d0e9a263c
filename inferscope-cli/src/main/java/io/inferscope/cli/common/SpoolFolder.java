package io.inferscope.cli.common;

import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The folder that a run makes for its recorders. A process that can write to its parent folder, such as the observed
 * program, can replace it by a link or another folder during the run: a replaced folder is neither read nor emptied.
 */
public final class SpoolFolder {
    private final Path path;
    private final Object key;

    private SpoolFolder(Path path, Object key) {
        this.path = path;
        this.key = key;
    }

    /**
     * Makes the folder, which this user alone can enter.
     *
     * @throws java.nio.file.FileAlreadyExistsException when something is there
     */
    static SpoolFolder make(Path path) throws IOException {
        Files.createDirectory(path, WholeFile.PRIVATE_FOLDER);
        return new SpoolFolder(
                path, key(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)));
    }

    public Path path() {
        return path;
    }

    /**
     * Throws if it was replaced by another file or folder.
     *
     * @throws FileSystemException if it was replaced or deleted
     */
    public void check() throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!now.isDirectory() || !key(now).equals(key)) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "the spool folder was replaced while the program ran, and the new one is not touched;"
                            + " record to a folder that nobody else writes to, with --trace");
        }
    }

    /** Deletes the folder and the recorders' files in it, as far as possible. Links are deleted, never followed. */
    public void delete() {
        Path parent = Objects.requireNonNull(path.getParent(), "a spool folder has an absolute path");
        try (DirectoryStream<Path> above = Files.newDirectoryStream(parent)) {
            if (above instanceof SecureDirectoryStream<Path> secure) {
                delete(secure);
            }
        } catch (IOException | UncheckedIOException | DirectoryIteratorException left) {
            // Files that are left do no harm.
        }
    }

    private void delete(SecureDirectoryStream<Path> above) throws IOException {
        Path name = path.getFileName();
        try (SecureDirectoryStream<Path> inside = above.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            BasicFileAttributeView opened = inside.getFileAttributeView(BasicFileAttributeView.class);
            if (!key(opened.readAttributes()).equals(key)) {
                return;
            }
            empty(inside);
        }
        above.deleteDirectory(name);
    }

    /** Empties a folder through its open handle instead of its path, so that it cannot be exchanged for another one. */
    private static void empty(SecureDirectoryStream<Path> folder) throws IOException {
        List<Path> names = new ArrayList<>();
        for (Path entry : folder) {
            names.add(entry.getFileName());
        }
        for (Path name : names) {
            BasicFileAttributeView view =
                    folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            if (view.readAttributes().isDirectory()) {
                try (SecureDirectoryStream<Path> inside = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    empty(inside);
                }
                folder.deleteDirectory(name);
            } else {
                folder.deleteFile(name);
            }
        }
    }

    private static Object key(BasicFileAttributes attributes) {
        return Objects.requireNonNull(attributes.fileKey(), "file systems of Linux number their files");
    }
}
