package io.inferscope.collectors.symbols;

import io.inferscope.timeline.files.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The source lines of one file's code, by its debugging information (DWARF). {@code addr2line} of binutils reads it,
 * many addresses at once, in a process with the lowest priority. The answers come later, on another thread.
 */
public final class SourceLines {
    private static final int MAX_ADDRESSES = 1 << 16;
    private static final int MOST_AT_ONCE = 1000;

    /** Deepest nesting of inlined functions. Of deeper ones, the outermost are kept: they are the program's own. */
    private static final int MAX_INLINED = 32;

    private static final int MAX_OUTPUT_BYTES = 16 << 20;

    /** {@code addr2line} reads much of a file at the first address. */
    private static final long MAX_FILE_BYTES = 1L << 30;

    private static final long LIMIT_SECONDS = 10;

    /** Pause after each batch, in multiples of the batch's time: a tenth of a CPU at most. */
    private static final int PAUSE = 10;

    private final Path file;
    private final Executor reader;
    private final Map<Long, List<Line>> known = new ConcurrentHashMap<>();
    private final Set<Long> wanted = new HashSet<>();
    private boolean asking;
    private boolean refused;
    private long nextNs = Long.MIN_VALUE;

    /**
     * A line.
     *
     * @param function the function inlined here; the outermost line has its function's name, which the symbol table may
     *     spell differently
     * @param file path of the source file, as the compiler was given it
     * @param line from 1
     */
    public record Line(String function, String file, int line) {}

    /** An address whose lines can be asked for. */
    public interface Place {
        /**
         * Returns the lines of the address: the innermost inlined function's first. Empty if there are none; null while
         * they are being read. {@code hurry}: whether to read them without a pause.
         */
        @Nullable
        List<Line> lines(boolean hurry);
    }

    SourceLines(Path file, Executor reader) {
        this.file = file;
        this.reader = reader;
    }

    /** {@code linked}: the address that the file is linked at. */
    @Nullable
    List<Line> at(long linked, boolean hurry) {
        List<Line> lines = known.get(linked);
        return lines == null ? ask(linked, hurry) : lines;
    }

    private synchronized @Nullable List<Line> ask(long linked, boolean hurry) {
        if (refused || known.size() + wanted.size() >= MAX_ADDRESSES) {
            return known.getOrDefault(linked, List.of());
        }
        wanted.add(linked);
        if (!asking && (hurry || System.nanoTime() >= nextNs)) {
            asking = true;
            reader.execute(this::answer);
        }
        return null;
    }

    private synchronized List<Long> batch() {
        List<Long> batch = new ArrayList<>();
        for (Iterator<Long> all = wanted.iterator(); all.hasNext() && batch.size() < MOST_AT_ONCE; ) {
            batch.add(all.next());
        }
        return batch;
    }

    private void answer() {
        long startNs = System.nanoTime();
        List<Long> batch = batch();
        Map<Long, List<Line>> answers = null;
        try {
            answers = read(batch);
        } catch (IOException | RuntimeException notThere) {
            // No lines, then.
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            refused = answers == null;
            for (long linked : batch) {
                known.put(linked, answers == null ? List.of() : answers.getOrDefault(linked, List.of()));
                wanted.remove(linked);
            }
            long endNs = System.nanoTime();
            nextNs = endNs + PAUSE * (endNs - startNs);
            asking = false;
        }
    }

    /** Returns the lines by address; null if addr2line failed, is not installed, or took too long. */
    private @Nullable Map<Long, List<Line>> read(List<Long> addresses) throws IOException, InterruptedException {
        if (!isTrusted(file) || Files.size(file) > MAX_FILE_BYTES) {
            return null;
        }
        Path nice = Programs.find("nice").orElse(null);
        Path addr2line = Programs.find("addr2line").orElse(null);
        if (nice == null || addr2line == null) {
            return null;
        }
        List<String> words = new ArrayList<>(List.of(nice.toString(), "-n", "19", addr2line.toString()));
        words.addAll(List.of("-a", "-f", "-i", "-e", file.toString()));
        addresses.forEach(address -> words.add(Long.toHexString(address)));
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().remove("DEBUGINFOD_URLS"); // Nothing is fetched from a server.
        Process process = builder.start();
        CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        process.getOutputStream().close();
        String output;
        try (InputStream in = process.getInputStream()) {
            output = new String(in.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
        }
        return process.waitFor() == 0 ? parse(output) : null;
    }

    /**
     * Returns whether a file belongs to root or to InferScope's own user. Another user's file may be made to harm who
     * reads its debugging information.
     */
    private static boolean isTrusted(Path file) throws IOException {
        Object owner = Files.getAttribute(file, "unix:uid");
        return owner.equals(0) || owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /**
     * Parses the output of {@code addr2line -a -f -i}: for each address a line {@code 0x...}, then a function and
     * {@code file:line} for each inlined function, innermost first.
     */
    static Map<Long, List<Line>> parse(String output) {
        Map<Long, List<Line>> answers = new ConcurrentHashMap<>();
        List<Line> lines = new ArrayList<>();
        Iterator<String> texts = output.lines().iterator();
        while (texts.hasNext()) {
            String text = texts.next();
            if (text.startsWith("0x")) {
                lines = new ArrayList<>();
                answers.put(Long.parseUnsignedLong(text.substring(2), 16), lines);
            } else if (texts.hasNext()) {
                Line line = line(text, texts.next());
                if (line != null) {
                    lines.add(line);
                }
                if (lines.size() > MAX_INLINED) {
                    lines.remove(0);
                }
            }
        }
        return answers;
    }

    private static @Nullable Line line(String function, String place) {
        int remark = place.indexOf(" (discriminator");
        String where = remark < 0 ? place : place.substring(0, remark);
        int colon = where.lastIndexOf(':');
        String number = where.substring(colon + 1);
        if (colon <= 0 || where.startsWith("??") || !number.matches("[1-9]\\d{0,8}")) {
            return null;
        }
        String file = Path.of(where.substring(0, colon)).normalize().toString();
        return new Line(Demangler.name(function), file, Integer.parseInt(number));
    }
}
