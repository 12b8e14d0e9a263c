package io.inferscope.collectors.doctor;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.inferscope.collectors.symbols.ElfFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The doctor's view of a machine: its files below a root, the environment, and {@link SystemCallProbes}. Paths are
 * absolute, as on the machine; links are followed below the root. Unreadable files count as empty.
 *
 * @param root its root folder: {@code /}, or that of a recorded machine
 * @param environment the variables in force
 * @param trials the system calls to try
 */
public record Machine(Path root, Map<String, String> environment, SystemCallProbes trials) {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_LINKS = 40; // path_resolution(7)

    public Machine {
        environment = Map.copyOf(environment);
    }

    /** Returns a variable, empty when it is not set. */
    String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    /** Returns whether a variable is set, perhaps to the empty text. */
    boolean isSet(String name) {
        return environment.containsKey(name);
    }

    /** Returns the beginning of a file, one character a byte, up to 1 MiB. */
    String text(String path) {
        Path file = below(path);
        if (!Files.isRegularFile(file) && !path.startsWith("/proc/")) {
            return "";
        }
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_BYTES), ISO_8859_1);
        } catch (IOException | RuntimeException unreadable) {
            return "";
        }
    }

    /** Returns those of some names that a shared library exports; none where it cannot be read. */
    Set<String> exported(String library, Set<String> names) {
        try {
            ElfFile file = ElfFile.read(below(library), names, "");
            return names.stream().filter(name -> file.symbol(name) != 0).collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException | RuntimeException unreadable) {
            return Set.of();
        }
    }

    /** Returns whether the system's loader starts a program; true where that is not known. */
    boolean isLoaded(String program) {
        try {
            return ElfFile.read(below(program), Set.of(), ".interp").section() != 0;
        } catch (IOException | RuntimeException unreadable) {
            return true;
        }
    }

    /** Returns the names in a folder, sorted. */
    List<String> list(String path) {
        try (Stream<Path> files = Files.list(below(path))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException | RuntimeException unreadable) {
            return List.of();
        }
    }

    boolean exists(String path) {
        return Files.exists(below(path));
    }

    boolean isFolder(String path) {
        return Files.isDirectory(below(path));
    }

    /** Returns whether a file can be executed by this user. */
    boolean isProgram(String path) {
        Path file = below(path);
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    /** Returns whether this user may open a device file for reading and writing. */
    boolean isOpen(String path) {
        Path file = below(path);
        return Files.isReadable(file) && Files.isWritable(file);
    }

    boolean isWritable(String path) {
        return Files.isWritable(below(path));
    }

    /** Returns the bytes that this user can still write into the file system of a folder, -1 when that is unknown. */
    long usableBytes(String folder) {
        try {
            return Files.getFileStore(below(folder)).getUsableSpace();
        } catch (IOException | RuntimeException unknown) {
            return -1;
        }
    }

    /** Returns where a path leads when all links are followed, the path itself when it leads nowhere. */
    String real(String path) {
        String at = Path.of(path).normalize().toString();
        for (int links = 0; links < MAX_LINKS; links++) {
            String next = followFirstLink(at);
            if (next.equals(at)) {
                return at;
            }
            at = next;
        }
        return path;
    }

    /** Replaces the first link in a path by what it names. */
    private String followFirstLink(String path) {
        Path done = Path.of("/");
        Path whole = Path.of(path);
        for (int i = 0; i < whole.getNameCount(); i++) {
            Path at = done.resolve(whole.getName(i));
            Path file = onDisk(at.toString());
            if (Files.isSymbolicLink(file)) {
                Path target = target(file, done);
                Path rest = i + 1 < whole.getNameCount() ? whole.subpath(i + 1, whole.getNameCount()) : Path.of("");
                return target.resolve(rest).normalize().toString();
            }
            done = at;
        }
        return path;
    }

    private static Path target(Path link, Path folder) {
        try {
            return folder.resolve(Files.readSymbolicLink(link));
        } catch (IOException unreadable) {
            return folder;
        }
    }

    /** Returns the path below the root. If the root is /, the file system itself follows links. */
    private Path below(String path) {
        return root.getNameCount() == 0 ? Path.of(path) : onDisk(real(path));
    }

    private Path onDisk(String path) {
        try {
            return root.resolve(path.substring(1));
        } catch (InvalidPathException impossible) {
            return root.resolve("\uFFFD");
        }
    }
}
