package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The view in {@code /proc} of a process that may be a JVM. Unreadable parts are empty. */
final class ProcessView {
    private static final long MAX_NAMED_BYTES = 1 << 20;

    private final int pid;
    private final Path folder;

    ProcessView(int pid) {
        this.pid = pid;
        folder = Path.of("/proc/" + pid);
    }

    int pid() {
        return pid;
    }

    /** Returns the file as text, byte for byte. */
    String text(String file) {
        try {
            return Files.readString(folder.resolve(file), StandardCharsets.ISO_8859_1);
        } catch (IOException | RuntimeException gone) {
            return "";
        }
    }

    /** Returns the texts of a file in which each ends with a zero byte. */
    List<String> words(String file) {
        String text = text(file);
        return text.isEmpty() ? List.of() : List.of(text.split("\0", -1));
    }

    /**
     * Returns the text of a file by its name in the process' own file system; empty if it cannot be read or is not a
     * small regular file.
     */
    Optional<String> namedFile(String name) {
        try {
            Path file = folder.resolve(name.startsWith("/") ? "root" + name : "cwd/" + name);
            return Files.isRegularFile(file) && Files.size(file) <= MAX_NAMED_BYTES
                    ? Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1))
                    : Optional.empty();
        } catch (IOException | RuntimeException unreadable) {
            return Optional.empty();
        }
    }

    /** Returns a field of {@code status} (proc(5)), empty when it is missing. */
    String status(String field) {
        return text("status")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    boolean isAlive() {
        String state = status("State");
        return !state.isEmpty() && !state.startsWith("Z") && !state.startsWith("X");
    }

    /** Returns the process' id in its own pid namespace. */
    String innerPid() {
        String ids = status("NSpid");
        return ids.isEmpty() ? Integer.toString(pid) : ids.substring(ids.lastIndexOf('\t') + 1);
    }

    /** Returns the effective user id, empty when it is not known. */
    String user() {
        String[] ids = status("Uid").split("\\s+", -1);
        return ids.length > 1 ? ids[1] : "";
    }

    /** Returns the folder for temporary files as the process itself sees it. */
    Path temporaryFolder() {
        return folder.resolve("root/tmp");
    }

    /** Returns whether a path names the same file inside and outside of the process' mount namespace. */
    boolean sees(Path file) {
        try {
            return Files.isSameFile(Path.of(folder + "/root" + file.toAbsolutePath()), file);
        } catch (IOException | RuntimeException elsewhere) {
            return false;
        }
    }

    /** Returns whether a file whose name begins with {@code fileName} is mapped. */
    boolean maps(String fileName) {
        return text("maps").contains("/" + fileName);
    }

    /** Returns whether a thread has this name, as the kernel cuts it after 15 bytes. */
    boolean hasThread(String name) {
        try (Stream<Path> tasks = Files.list(folder.resolve("task"))) {
            return tasks.anyMatch(
                    task -> text("task/" + task.getFileName() + "/comm").strip().equals(name));
        } catch (IOException | RuntimeException gone) {
            return false;
        }
    }
}
