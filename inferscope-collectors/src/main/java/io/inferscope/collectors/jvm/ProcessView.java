package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What {@code /proc} tells of a process that may be a JVM. Everything that cannot be read is empty. */
final class ProcessView {
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

    /** Returns whether a file is, inside the process' mount namespace, the one that it is outside. */
    boolean sees(Path file) {
        try {
            return Files.isSameFile(Path.of(folder + "/root" + file.toAbsolutePath()), file);
        } catch (IOException | RuntimeException elsewhere) {
            return false;
        }
    }

    /** Returns whether a file whose name begins so is mapped. */
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
