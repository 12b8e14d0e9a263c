package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.importer.TrailingBytesException;
import io.inferscope.timeline.traceevent.DocumentScanner.Next;
import io.inferscope.timeline.traceevent.EventScanner.End;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Reads by scanning bytes, at close to the machine's speed. Input that it cannot scan (damage, extreme nesting,
 * elements of more than {@link ByteWindow#MAX_BYTES}) is read by Jackson from the last whole element on; Jackson
 * reports what is wrong and where. Tests require that both readers agree on every document.
 *
 * <pre>
 *   .gz     inflating thread -> window -> scanning thread -> batch -> sink
 *   plain   file -> window -> scan -> batches \\
 *           file -> window -> scan -> batches -> sink       (each scanner takes every other segment)
 * </pre>
 */
final class ScanningTraceEventReader implements TraceEventReader {
    private final int firstWindowBytes;
    private final int segmentBytes;
    private final int threads;
    private final ConcurrentMap<String, String> texts = new ConcurrentHashMap<>();

    /** Makes a reader whose windows, and the copies that reading makes of them, stay in a core's second-level cache. */
    ScanningTraceEventReader() {
        this(1 << 18, 4 << 20, Math.min(4, Runtime.getRuntime().availableProcessors()));
    }

    /** Makes a reader with small windows and segments, for tests of their borders. */
    ScanningTraceEventReader(int firstWindowBytes, int segmentBytes, int threads) {
        this.firstWindowBytes = firstWindowBytes;
        this.segmentBytes = segmentBytes;
        this.threads = threads;
    }

    @Override
    public void read(TraceSource source, Sink sink, ImportStats.Builder stats) throws IOException, ImportException {
        try (InputStream in = source.openAhead()) {
            ByteWindow window = new ByteWindow(firstWindowBytes);
            window.reset(in, 0);
            DocumentScanner document = new DocumentScanner(window, sink, stats);
            EventScanner events = new EventScanner(window, texts);
            EventBatch batch = new EventBatch();
            TraceEvent event = new TraceEvent();
            Next next = document.start();
            while (next == Next.EVENTS) {
                events.start(document.position(), true);
                End end = parallel(source, events, event, sink, stats);
                while (end == End.FULL && (threads < 2 || isShort(events))) {
                    end = events.scan(batch, Long.MAX_VALUE);
                    batch.deliver(event, sink, stats);
                }
                if (end == End.FULL) {
                    end = rest(events, batch, event, sink, stats);
                }
                if (end == End.ODD) {
                    slowly(
                            source,
                            document.placeInEvents(events.isBeforeFirst()),
                            window,
                            events.position(),
                            sink,
                            stats);
                    return;
                }
                next = document.afterEvents(events.position());
            }
            if (next == Next.ODD) {
                slowly(source, document.place(), window, document.position(), sink, stats);
                return;
            }
            long end = window.baseBytes() + window.limit();
            if (document.trailingBytes() >= 0) {
                while (window.more(window.limit())) {
                    end = window.baseBytes() + window.limit();
                }
                stats.lost(end - document.trailingBytes());
            }
            stats.bytes(end);
            if (window.damage() != null) {
                count(window.damage(), end, stats);
            }
        }
    }

    /** Counts the damage that ended the content after {@code end} bytes. */
    static void count(IOException damage, long end, ImportStats.Builder stats) {
        if (damage instanceof EOFException) {
            stats.count(Reason.TRUNCATED, end, "");
        } else if (damage instanceof TrailingBytesException) {
            stats.count(Reason.TRAILING_DATA, end, String.valueOf(damage.getMessage()));
        } else {
            stats.count(Reason.MALFORMED, end, "damaged gzip stream: " + damage.getMessage());
        }
    }

    /**
     * Scans the event list of a large plain file with several threads. Returns {@link End#FULL} if the caller must
     * continue with the list.
     */
    private End parallel(
            TraceSource source, EventScanner events, TraceEvent event, Sink sink, ImportStats.Builder stats)
            throws IOException {
        long from = events.window().baseBytes() + events.position();
        if (threads < 2 || !source.isPlain() || source.sizeBytes() - from < 2L * segmentBytes) {
            return End.FULL;
        }
        try (SegmentedScan scan = new SegmentedScan(source, threads, segmentBytes, firstWindowBytes, texts)) {
            return scan.run(events, event, sink, stats);
        }
    }

    /** Whether so little was scanned that another thread may not pay off. */
    private boolean isShort(EventScanner events) {
        return events.window().baseBytes() + events.position() < segmentBytes;
    }

    /** Scans the rest of a list in another thread while this one delivers what was scanned before. */
    private End rest(EventScanner events, EventBatch first, TraceEvent event, Sink sink, ImportStats.Builder stats)
            throws IOException {
        End end;
        EventBatch batch = first;
        EventBatch other = new EventBatch();
        try (ScanThreads scans = new ScanThreads(1)) {
            end = events.scan(batch, Long.MAX_VALUE);
            while (end == End.FULL) {
                EventBatch next = other;
                ScanThreads.Scan<End> scan = scans.submit(() -> events.scan(next, Long.MAX_VALUE));
                batch.deliver(event, sink, stats);
                end = scan.await();
                other = batch;
                batch = next;
            }
            batch.deliver(event, sink, stats);
        }
        return end;
    }

    private static void slowly(
            TraceSource source, DocumentPlace place, ByteWindow window, int from, Sink sink, ImportStats.Builder stats)
            throws IOException, ImportException {
        if (place == DocumentPlace.START) {
            sink.restart();
            new JacksonTraceEventReader().read(source, sink, stats);
        } else {
            JacksonTraceEventReader.resume(source, place, window.baseBytes() + from, window.rest(from), sink, stats);
        }
    }
}
