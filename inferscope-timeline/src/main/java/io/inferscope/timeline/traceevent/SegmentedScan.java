package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.EventScanner.End;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;

/**
 * Scans an event list with several threads. The file is divided into segments of equal length; a scanner starts each
 * segment at the first position that looks like an event, and ends at the first element that begins in the next
 * segment.
 *
 * <pre>
 *   segments   |--------------|--------------|--------------|
 *   scanner 1  [e][e][e][e][e ]                [e][e][e][e]
 *   scanner 2                  [e][e][e][e ][e]
 *                             ^ guessed by 2, reached by 1: if they differ, segment 2 is scanned again from where 1 ended
 * </pre>
 *
 * <p>A wrong guess, as inside a text that looks like events, costs only time. The number of segments in flight is
 * bounded, so memory is about the size of a segment per thread.
 */
final class SegmentedScan implements Closeable {
    private final TraceSource source;
    private final int threads;
    private final int segmentBytes;
    private final ConcurrentMap<String, String> texts;
    private final Queue<EventScanner> scanners = new ConcurrentLinkedQueue<>();
    private final Queue<EventBatch> spare = new ConcurrentLinkedQueue<>();
    private final ScanThreads scans;

    /** One scanned segment. Numbers are byte offsets in the document; {@code next} is where the next element begins. */
    private record Segment(long start, List<EventBatch> batches, End end, long behind, boolean empty, long next) {}

    SegmentedScan(
            TraceSource source, int threads, int segmentBytes, int windowBytes, ConcurrentMap<String, String> texts) {
        this.texts = texts;
        this.source = source;
        this.threads = threads;
        this.segmentBytes = segmentBytes;
        for (int i = 0; i < threads; i++) {
            scanners.add(new EventScanner(new ByteWindow(windowBytes), texts));
        }
        scans = new ScanThreads(threads);
    }

    /** Scans the list at the position of {@code events}, which then is after the scanned part. */
    End run(EventScanner events, TraceEvent event, TraceEventReader.Sink sink, ImportStats.Builder stats)
            throws IOException {
        long from = events.window().baseBytes() + events.position();
        long size = source.sizeBytes();
        int count = (int) ((size - from + segmentBytes - 1) / segmentBytes);
        Deque<ScanThreads.Scan<Segment>> ahead = new ArrayDeque<>();
        int submitted = 0;
        long behind = from;
        long next = from;
        boolean first = true;
        End end = End.REACHED;
        for (int i = 0; i < count && end == End.REACHED; i++) {
            for (; submitted < count && submitted <= i + threads; submitted++) {
                long start = from + (long) submitted * segmentBytes;
                long until = submitted + 1 == count ? Long.MAX_VALUE : start + segmentBytes;
                boolean exact = submitted == 0;
                ahead.add(scans.submit(() -> segment(start, exact, until)));
            }
            long until = i + 1 == count ? Long.MAX_VALUE : from + (long) (i + 1) * segmentBytes;
            Segment segment = ahead.remove().await();
            if (next >= until) {
                continue;
            }
            if (segment.start != next || (segment.empty && segment.end != End.REACHED)) {
                segment = again(behind, first, until);
            }
            for (EventBatch batch : segment.batches) {
                batch.deliver(event, sink, stats);
                spare.add(batch);
            }
            first &= segment.empty;
            behind = segment.empty && segment.end != End.CLOSED ? behind : segment.behind;
            next = segment.next;
            end = segment.end;
        }
        events.window().reset(source.openAt(behind), behind);
        events.window().more(0);
        events.start(0, first);
        return end;
    }

    /** Scans from a position that is known to be the begin of an element. */
    private Segment again(long from, boolean first, long until) throws IOException {
        EventScanner scanner = new EventScanner(new ByteWindow(), texts);
        try (InputStream in = source.openAt(from)) {
            scanner.window().reset(in, from);
            scanner.window().more(0);
            scanner.start(0, first);
            return scan(scanner, from, until);
        }
    }

    private Segment segment(long start, boolean exact, long until) throws IOException {
        EventScanner scanner = scanners.remove();
        try (InputStream in = source.openAt(start)) {
            ByteWindow window = scanner.window();
            window.reset(in, start);
            window.more(0);
            int guess = exact ? 0 : EventStartFinder.first(window.bytes(), window.limit());
            if (guess < 0) {
                return new Segment(-1, List.of(), End.ODD, start, true, start);
            }
            scanner.start(guess, true);
            return scan(scanner, start + guess, until);
        } finally {
            scanners.add(scanner);
        }
    }

    private Segment scan(EventScanner scanner, long start, long until) throws IOException {
        List<EventBatch> batches = new ArrayList<>();
        boolean wasFirst = scanner.isBeforeFirst();
        End end = End.FULL;
        while (end == End.FULL) {
            EventBatch batch = spare.poll();
            batch = batch == null ? new EventBatch() : batch;
            end = scanner.scan(batch, until);
            batches.add(batch);
        }
        long behind = scanner.window().baseBytes() + scanner.position();
        boolean empty = wasFirst ? scanner.isBeforeFirst() : behind == start;
        return new Segment(start, batches, end, behind, empty, end == End.REACHED ? scanner.nextOffset() : behind);
    }

    @Override
    public void close() {
        scans.close();
    }
}
