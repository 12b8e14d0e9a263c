package io.inferscope.timeline.files;

import io.inferscope.timeline.text.ShellText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes files that appear whole or not at all.
 *
 * <p>The content goes to a new file in a folder of its own beside the target, and is renamed when it is complete. A new
 * file is readable by its owner alone; one that is replaced keeps its permissions. A link is followed, and its target
 * replaced, only when it belongs to this user or to root: in a folder that several users write to, a link of another
 * user could point anywhere. A file that is not regular (a device, a pipe, standard output) is written to and never
 * replaced.
 */
public final class WholeFile {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** For making a file that its owner alone can read. */
    public static final FileAttribute<?> PRIVATE_FILE = PosixFilePermissions.asFileAttribute(OWNER_ONLY);

    /** For making a folder that its owner alone can enter. */
    public static final FileAttribute<?> PRIVATE_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * Permissions of a new folder that other users may read but not change, independent of the umask: a user who can
     * write to a folder can replace its files.
     */
    public static final FileAttribute<?> OWN_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));

    /** The process's own open files. Opening a regular file behind them by name would overwrite it from its start. */
    private static final Map<String, FileDescriptor> STANDARD_STREAMS = Map.of(
            "/dev/stdout", FileDescriptor.out,
            "/dev/fd/1", FileDescriptor.out,
            "/proc/self/fd/1", FileDescriptor.out,
            "/dev/stderr", FileDescriptor.err,
            "/dev/fd/2", FileDescriptor.err,
            "/proc/self/fd/2", FileDescriptor.err);

    private static final String ROOT = "root";

    /** The file in a folder of its own. */
    private static final String FILE = "file";

    private WholeFile() {}

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes everything; the stream is closed by the caller. */
        void writeTo(OutputStream out) throws IOException;
    }

    @FunctionalInterface
    public interface Maker {
        /** Makes the file, which does not exist yet. */
        void make(Path file) throws IOException;
    }

    /**
     * Writes a file. Folders are made.
     *
     * @throws IOException when it cannot be written, or {@link #place} refuses it; what was there before is then
     *     unchanged
     */
    public static void write(Path file, Content content) throws IOException {
        if (isStream(file)) {
            try (OutputStream out = openStream(file)) {
                content.writeTo(out);
            }
            return;
        }
        make(file, unfinished -> {
            try (OutputStream out = Files.newOutputStream(unfinished)) {
                content.writeTo(out);
            }
        });
    }

    /**
     * Like {@link #write}, for a maker that opens the file by its name. If the target is not a regular file, the result
     * is copied to it.
     */
    public static void make(Path file, Maker maker) throws IOException {
        if (isStream(file)) {
            Path own = ownFolder(Path.of(System.getProperty("java.io.tmpdir")));
            Path copied = own.resolve(FILE);
            try (OutputStream out = openStream(file)) {
                maker.make(copied);
                Files.copy(copied, out);
            } finally {
                Files.deleteIfExists(copied);
                Files.deleteIfExists(own);
            }
            return;
        }
        Path target = place(file);
        Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent(), "a file lies in a folder");
        Files.createDirectories(folder);
        Path own = ownFolder(folder);
        Path unfinished = own.resolve(FILE);
        try {
            maker.make(unfinished);
            Files.setPosixFilePermissions(
                    unfinished,
                    Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)
                            ? Files.getPosixFilePermissions(target)
                            : OWNER_ONLY);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw e.getClass() == IOException.class ? named(file, e) : e;
        } finally {
            Files.deleteIfExists(unfinished);
            Files.deleteIfExists(own);
        }
    }

    /**
     * Makes a folder beside a file to write that only this user can enter. Its name is random, and it is new: no link
     * planted there is followed.
     *
     * @return the folder, which the caller deletes
     */
    public static Path ownFolder(Path folder) throws IOException {
        while (true) {
            String random = Long.toHexString(ThreadLocalRandom.current().nextLong());
            Path own = folder.resolve(".inferscope-" + random + ".unfinished");
            // Registered as soon as the folder exists, for a signal that ends the JVM during the work. The last one
            // named is deleted first.
            own.toFile().deleteOnExit();
            own.resolve(FILE).toFile().deleteOnExit();
            try {
                return Files.createDirectory(own, PRIVATE_FOLDER);
            } catch (FileAlreadyExistsException taken) {
                // The name exists: try another one.
            }
        }
    }

    /** Returns whether the path is written to instead of being replaced: a device, a pipe, a standard stream. */
    public static boolean isStream(Path file) {
        return STANDARD_STREAMS.containsKey(file.toString())
                || (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file));
    }

    private static OutputStream openStream(Path file) throws IOException {
        FileDescriptor standard = STANDARD_STREAMS.get(file.toString());
        if (standard != null) {
            // Closing this would close standard output itself.
            FileOutputStream out = new FileOutputStream(standard);
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    out.write(value);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    out.write(bytes, offset, length);
                }
            };
        }
        Path target = place(file);
        checkOwner(target, target);
        return Files.newOutputStream(target, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Returns the file that a name leads to: itself, or behind links the last target, which need not exist.
     *
     * @throws FileSystemException when it is a link that neither this user nor root owns, or links lead in a circle
     */
    public static Path place(Path file) throws IOException {
        Path target = file;
        for (int links = 0; Files.isSymbolicLink(target); links++) {
            if (links == 40) { // The limit of Linux: path_resolution(7).
                throw new FileSystemException(file.toString(), null, "its links lead in a circle; name another file");
            }
            checkOwner(file, target);
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }

    /**
     * Throws if a folder, or a link that leads to it, belongs to another user, who could replace the files written to it.
     *
     * @throws FileSystemException when neither this user nor root owns it
     */
    public static void checkOwner(Path folder) throws IOException {
        UserPrincipal owner = Files.getOwner(place(folder));
        if (isForeign(owner)) {
            throw new FileSystemException(
                    folder.toString(),
                    null,
                    "it belongs to user " + owner.getName() + ", who could replace what is written to it");
        }
    }

    /**
     * Throws like {@link #checkOwner}, and if the folder's permissions let other users replace files.
     *
     * @throws FileSystemException when they could
     */
    public static void checkPrivate(Path folder) throws IOException {
        checkOwner(folder);
        if (isOpenToOthers(folder)) {
            throw new FileSystemException(
                    folder.toString(),
                    null,
                    "other users can write to it, and could replace what is written to it;"
                            + " make it yours alone: chmod go-w " + ShellText.quoted(folder.toString()));
        }
    }

    /** Returns whether other users can write to a file. A group named like its owner is private: umask 002 is usual then. */
    public static boolean isOpenToOthers(Path path) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
        Set<PosixFilePermission> granted = attributes.permissions();
        boolean ownGroup =
                attributes.group().getName().equals(attributes.owner().getName());
        return granted.contains(PosixFilePermission.OTHERS_WRITE)
                || (granted.contains(PosixFilePermission.GROUP_WRITE) && !ownGroup);
    }

    private static boolean isForeign(UserPrincipal owner) throws IOException {
        return !owner.getName().equals(ROOT) && !owner.equals(thisUser());
    }

    private static void checkOwner(Path file, Path found) throws IOException {
        UserPrincipal owner = Files.getOwner(found, LinkOption.NOFOLLOW_LINKS);
        if (isForeign(owner)) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "it is a link, a pipe or a device of user " + owner.getName()
                            + ", which could lead anywhere; name another file");
        }
    }

    /** A process's entry in /proc belongs to its effective user. */
    private static UserPrincipal thisUser() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }

    /** Adds the file's name to an exception that lacks it, such as for a full disk. */
    private static IOException named(Path file, IOException e) {
        FileSystemException named = new FileSystemException(file.toString(), null, e.getMessage());
        named.initCause(e);
        return named;
    }
}
