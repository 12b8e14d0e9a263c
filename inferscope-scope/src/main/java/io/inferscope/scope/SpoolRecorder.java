package io.inferscope.scope;

import io.inferscope.scope.spool.Clocks;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Joins a run: records into its spool directory. */
final class SpoolRecorder implements Recorder {
    private static final int START_TIME = 19; // Field 22 of stat, counted from the state letter on.
    private static final int TICKS_PER_SECOND = 100; // USER_HZ (asm-generic/param.h)

    private final SpoolWriter writer;

    SpoolRecorder(SpoolWriter writer) {
        this.writer = writer;
        writer.write(thisProcess());
    }

    @Override
    public void span(
            ScopeThread thread, long startNs, long endNs, String name, Activity activity, int depth, long value) {
        announce(thread);
        writer.write(new SpoolRecord.Span(
                startNs, endNs, thread.tid, name, activity.ordinal(), depth, "", value, "", 0, true));
    }

    @Override
    public void mark(ScopeThread thread, long timeNs, String name, String metadata) {
        announce(thread);
        writer.write(new SpoolRecord.Mark(timeNs, thread.tid, name, metadata, 0));
    }

    @Override
    public void close() {
        writer.write(Clocks.read());
        writer.write(new SpoolRecord.Coverage("scope", "", writer.written(), writer.dropped(), writer.pid(), 0));
        writer.close();
    }

    private void announce(ScopeThread thread) {
        if (thread.announcedTo != this) {
            thread.announcedTo = this;
            writer.write(new SpoolRecord.ThreadName(thread.tid, thread.name, writer.pid()));
        }
    }

    private SpoolRecord.ProcessLife thisProcess() {
        ProcessHandle self = ProcessHandle.current();
        int parent = (int) self.parent().map(ProcessHandle::pid).orElse(0L).longValue();
        String runtime = "JVM " + Runtime.version().feature();
        return new SpoolRecord.ProcessLife(
                System.nanoTime() - ageNs(), writer.pid(), parent, runtime, programName(), 0, 0, "boot");
    }

    /**
     * Returns the age of this process in ns, rounded down: uptime minus starttime (proc(5)), both in steps of 10 ms.
     * {@link ProcessHandle.Info#startInstant} is off by up to a second, because the kernel gives the boot time in whole
     * seconds.
     */
    private static long ageNs() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            String uptime = Files.readString(Path.of("/proc/uptime"), StandardCharsets.US_ASCII);
            double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
            long ageTicks = Math.round(seconds * TICKS_PER_SECOND) - Long.parseLong(fields[START_TIME]) - 2;
            return Math.max(0, ageTicks) * (1_000_000_000L / TICKS_PER_SECOND);
        } catch (IOException | RuntimeException noProc) {
            return 0;
        }
    }

    /**
     * Returns the simple name of the main class or the base name of the jar, without arguments; {@code java} when
     * unknown.
     */
    static String programName() {
        String command = System.getProperty("sun.java.command", "java").strip();
        int end = command.indexOf(' ');
        String first = end < 0 ? command : command.substring(0, end);
        String base = first.substring(first.lastIndexOf('/') + 1);
        String name = base.endsWith(".jar") ? base : base.substring(base.lastIndexOf('.') + 1);
        return name.isEmpty() ? "java" : name;
    }
}
