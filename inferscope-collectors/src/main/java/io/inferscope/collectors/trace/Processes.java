package io.inferscope.collectors.trace;

import io.inferscope.collectors.os.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes of a tracer, wherever they moved: each inherits a variable whose value is the pair's folder. That finds those that
 * left the process group, and those whose starter is long dead.
 */
final class Processes {
    /** The variable. */
    static final String MARK = "INFERSCOPE_TRACE_PAIR";

    private static final int SIGKILL = 9;

    /** Within these a killed process is gone, unless the kernel holds it for a device: then nothing helps. */
    private static final int MOST_ROUNDS = 200;

    private static final long ROUND_MS = 20;
    private static final long PAGE_BYTES = 4096;
    private static final Path PROC = Path.of("/proc");

    private Processes() {}

    /** Sends SIGKILL to all processes with a mark; returns how many there were. */
    static int kill(String mark) {
        List<Integer> found = of(mark);
        found.forEach(pid -> Signals.send(pid, SIGKILL));
        return found.size();
    }

    /** Ends all processes with a mark, those included that they start meanwhile, and waits until they are gone. */
    static void end(String mark) {
        try {
            for (int round = 0; round < MOST_ROUNDS && kill(mark) > 0; round++) {
                Thread.sleep(ROUND_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the ids of all processes with a mark. */
    static List<Integer> of(String mark) {
        byte[] entry = ("\0" + MARK + "=" + mark + "\0").getBytes(StandardCharsets.UTF_8);
        String wanted = new String(entry, StandardCharsets.ISO_8859_1);
        List<Integer> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (("\0" + text(process.resolve("environ"))).contains(wanted)) {
                    found.add(Integer.parseInt(String.valueOf(process.getFileName())));
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException unreadable) {
            // What the group and the pipe reach is ended all the same.
        }
        return found;
    }

    /** Returns how much memory processes have in use that they share with nobody, in bytes: resident less shared (proc(5), statm). */
    static long memoryBytes(List<Integer> pids) {
        long pages = 0;
        for (int pid : pids) {
            String[] fields =
                    text(PROC.resolve(Integer.toString(pid)).resolve("statm")).split(" ", -1);
            if (fields.length > 2) {
                pages += Math.max(0, Long.parseLong(fields[1]) - Long.parseLong(fields[2]));
            }
        }
        return pages * PAGE_BYTES;
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
