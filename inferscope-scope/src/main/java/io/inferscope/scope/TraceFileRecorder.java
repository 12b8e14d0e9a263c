package io.inferscope.scope;

import io.inferscope.scope.spool.Clocks;
import io.inferscope.scope.spool.SpoolRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Writes a Chrome Trace Event JSON file with Kineto's categories, event by event: after {@code kill -9} the truncated
 * file can still be opened. A daemon thread empties the buffer every 200 ms.
 */
final class TraceFileRecorder implements Recorder {
    private static final int FLUSH_CHARS = 64 * 1024;
    private static final long FLUSH_INTERVAL_MS = 200;

    private final int pid;
    private final long baseNs;
    private final StringBuilder buffer = new StringBuilder();
    private final RandomAccessFile file;
    private boolean opened = true;
    private boolean finished;
    private boolean firstEvent = true;

    TraceFileRecorder(Path path, int pid) throws IOException {
        this.pid = pid;
        SpoolRecord.Clock now = Clocks.read();
        baseNs = now.monotonicNs();
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        file = new RandomAccessFile(path.toFile(), "rw");
        file.setLength(0);
        buffer.append("{\"schemaVersion\":1,\"baseTimeNanoseconds\":")
                .append(now.realtimeNs())
                .append(",\"traceEvents\":[");
        event("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + pid + ",\"tid\":0,\"args\":{\"name\":"
                + Json.text(SpoolRecorder.programName()) + "}}");
        Thread flusher = new Thread(this::flushRegularly, "inferscope-trace");
        flusher.setDaemon(true);
        flusher.start();
    }

    @Override
    public void span(
            ScopeThread thread, long startNs, long endNs, String name, Activity activity, int depth, long value) {
        announce(thread);
        String args = "{\"inferscope_activity\":" + activity.ordinal() + ",\"inferscope_user_scope\":1"
                + (value == 0 ? "" : ",\"value\":" + value) + "}";
        event("{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":" + Json.text(name) + place(thread, startNs)
                + ",\"dur\":" + micros(endNs - startNs) + ",\"args\":" + args + "}");
    }

    @Override
    public void mark(ScopeThread thread, long timeNs, String name, String metadata) {
        announce(thread);
        event("{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"user_annotation\",\"name\":" + Json.text(name)
                + place(thread, timeNs) + ",\"args\":" + (metadata.isEmpty() ? "{}" : metadata) + "}");
    }

    @Override
    public synchronized void close() {
        if (!finished) {
            buffer.append("\n]}\n");
            empty();
            finished = true;
        }
    }

    private void announce(ScopeThread thread) {
        if (thread.announcedTo != this) {
            thread.announcedTo = this;
            event("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + pid + ",\"tid\":" + thread.tid
                    + ",\"args\":{\"name\":" + Json.text(thread.name) + "}}");
        }
    }

    private String place(ScopeThread thread, long timeNs) {
        return ",\"pid\":" + pid + ",\"tid\":" + thread.tid + ",\"ts\":" + micros(timeNs - baseNs);
    }

    /** Returns nanoseconds as microseconds with three decimal places, without rounding. */
    static String micros(long ns) {
        long size = Math.abs(ns);
        return (ns < 0 ? "-" : "") + size / 1000 + "." + String.format(Locale.ROOT, "%03d", size % 1000);
    }

    private synchronized void event(String json) {
        if (finished || !opened) {
            return;
        }
        buffer.append(firstEvent ? "\n" : ",\n").append(json);
        firstEvent = false;
        if (buffer.length() >= FLUSH_CHARS) {
            empty();
        }
    }

    private void empty() {
        if (!opened) {
            buffer.setLength(0);
            return;
        }
        try {
            file.write(buffer.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException diskFull) {
            opened = false;
        }
        buffer.setLength(0);
    }

    private synchronized void flushRegularly() {
        try {
            while (!finished) {
                wait(FLUSH_INTERVAL_MS);
                if (!finished) {
                    empty();
                }
            }
        } catch (InterruptedException stopped) {
            empty();
        }
    }
}
