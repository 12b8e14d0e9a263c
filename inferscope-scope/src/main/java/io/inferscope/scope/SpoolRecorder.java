package io.inferscope.scope;

import io.inferscope.scope.spool.Clocks;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.time.Instant;

/** Joins a run: records into its spool directory. */
final class SpoolRecorder implements Recorder {
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
        SpoolRecord.Clock now = Clocks.read();
        long ageNs = self.info()
                .startInstant()
                .map(start -> Math.max(0, now.realtimeNs() - unixNs(start)))
                .orElse(0L);
        String runtime = "JVM " + Runtime.version().feature();
        return new SpoolRecord.ProcessLife(
                now.monotonicNs() - ageNs, writer.pid(), parent, runtime, programName(), 0, 0, "boot");
    }

    private static long unixNs(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    /** Returns the simple name of the main class or the base name of the jar, without arguments; {@code java} when unknown. */
    static String programName() {
        String command = System.getProperty("sun.java.command", "java").strip();
        int end = command.indexOf(' ');
        String first = end < 0 ? command : command.substring(0, end);
        String base = first.substring(first.lastIndexOf('/') + 1);
        String name = base.endsWith(".jar") ? base : base.substring(base.lastIndexOf('.') + 1);
        return name.isEmpty() ? "java" : name;
    }
}
