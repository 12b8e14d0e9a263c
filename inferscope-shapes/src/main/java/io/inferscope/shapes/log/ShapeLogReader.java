package io.inferscope.shapes.log;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.RowParser.NoRow;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;

/**
 * Reads a shape log of any size, JSON lines or gzip of them, in bounded memory. A line that is not a row is counted,
 * with its place, and left out. An instance reads one log.
 */
public final class ShapeLogReader {
    private final TraceSource source;
    private final ShapeLogSink sink;
    private final ShapeLogStats.Builder stats = new ShapeLogStats.Builder();
    private final BodyCache cache = new BodyCache();
    private final RowHead head = new RowHead();
    private final RowParser parser = new RowParser();
    private final CurrentRow row = new CurrentRow();
    private int body;

    private ShapeLogReader(TraceSource source, ShapeLogSink sink) {
        this.source = source;
        this.sink = sink;
    }

    /** The row being read. Its outputs are {@code [outputsFrom, outputsTo)} of the line. */
    private static final class CurrentRow implements ShapeLogSink.Row {
        private byte[] line = new byte[0];
        private long callId;
        private long forwardPass;
        private long operationCount;
        private long count;
        private long outputElements;
        private int outputsFrom;
        private int outputsTo;

        @Override
        public long callId() {
            return callId;
        }

        @Override
        public long forwardPass() {
            return forwardPass;
        }

        @Override
        public long operationCount() {
            return operationCount;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long outputElements() {
            return outputElements;
        }

        @Override
        public String outputsText() {
            return outputsFrom == outputsTo
                    ? "null"
                    : new String(line, outputsFrom, outputsTo - outputsFrom, StandardCharsets.UTF_8);
        }
    }

    /**
     * Reads a log to its end, or until {@link ShapeLogSink#row} returns false.
     *
     * @throws ImportException when the log cannot be opened, or holds lines but no row
     */
    public static ShapeLogStats read(TraceSource source, ShapeLogSink sink) throws ImportException {
        String file = source.file().toString();
        if (Files.isDirectory(source.file())) {
            throw new ImportException(
                    file,
                    "a folder",
                    "name the .jsonl file; for a killed process, `inferscope shapes recover` makes it from a .jsonl.log folder");
        }
        try {
            return new ShapeLogReader(source, sink).read();
        } catch (NoSuchFileException e) {
            throw new ImportException(file, "no such file", "check the path", e);
        } catch (AccessDeniedException e) {
            throw new ImportException(file, "permission denied", "make the file readable", e);
        } catch (IOException e) {
            throw new ImportException(file, "cannot be read: " + e.getMessage(), "check the file", e);
        }
    }

    private ShapeLogStats read() throws IOException, ImportException {
        try (InputStream in = source.openAhead()) {
            LogLines lines = new LogLines(in);
            long rows = 0;
            boolean more = true;
            while (more && lines.next()) {
                if (row(lines)) {
                    rows++;
                    more = sink.row(body, row);
                }
            }
            ShapeLogStats read = stats.build(lines.bytesRead(), lines.number(), lines.damage());
            if (rows == 0 && read.malformedLines() > 0) {
                throw new ImportException(
                        source.file().toString(),
                        "no row of a shape log in it; "
                                + read.malformed().get(0).text(),
                        "name the .jsonl file that a shape recorder wrote");
            }
            return read;
        }
    }

    /** Fills {@link #row} and {@link #body}. Returns false when the line is not a row. */
    private boolean row(LogLines lines) {
        int from = begin(lines);
        int to = end(lines, from);
        if (lines.isTooLong()) {
            stats.malformed(
                    lines.number(), lines.offsetBytes(), "longer than " + (LogLines.MAX_LINE_BYTES >> 20) + " MiB");
            return false;
        }
        if (from == to) {
            stats.blank();
            return false;
        }
        byte[] line = lines.bytes();
        boolean regular = head.scan(line, from, to);
        int entry = regular ? cache.find(line, head, to) : -1;
        if (entry < 0) {
            return parsed(lines, from, to, regular);
        }
        body = cache.body(entry);
        fill(line, head.numbers());
        row.outputsFrom = head.tail() + cache.outputsFrom(entry);
        row.outputsTo = head.tail() + cache.outputsTo(entry);
        row.outputElements = cache.outputElements(entry);
        return true;
    }

    private boolean parsed(LogLines lines, int from, int to, boolean regular) {
        byte[] line = lines.bytes();
        ShapeBody said;
        try {
            said = parser.parse(line, from, to);
        } catch (NoRow e) {
            stats.malformed(lines.number(), lines.offsetBytes(), e.problem());
            return false;
        }
        body = sink.body(said);
        row.outputElements = said instanceof ShapeBody.Call call ? ShapeTensor.elements(call.outputs()) : 0;
        fill(line, parser.numbers());
        row.count = parser.count();
        int tail = head.tail();
        boolean noOutputs = parser.outputsFrom() == parser.outputsTo();
        row.outputsFrom = noOutputs ? tail : from + parser.outputsFrom();
        row.outputsTo = noOutputs ? tail : from + parser.outputsTo();
        // A row's own number inside the tail would be compared with other rows as if it were part of the repeated text.
        if (regular && from + parser.lastNumberAt() < tail && row.outputsFrom >= tail) {
            cache.add(line, head, to, body, row.outputsFrom - tail, row.outputsTo - tail, row.outputElements);
        }
        return true;
    }

    private void fill(byte[] line, RowNumbers numbers) {
        row.line = line;
        row.callId = numbers.callId;
        row.forwardPass = numbers.forwardPass;
        row.operationCount = numbers.operationCount;
        row.count = 1;
    }

    /** White space and a byte order mark are no content. */
    private static int begin(LogLines lines) {
        byte[] bytes = lines.bytes();
        int from = lines.from();
        boolean mark = lines.number() == 1
                && lines.to() - from >= 3
                && bytes[from] == (byte) 0xef
                && bytes[from + 1] == (byte) 0xbb
                && bytes[from + 2] == (byte) 0xbf;
        from += mark ? 3 : 0;
        while (from < lines.to() && isSpace(bytes[from])) {
            from++;
        }
        return from;
    }

    private static int end(LogLines lines, int from) {
        int to = lines.to();
        while (to > from && isSpace(lines.bytes()[to - 1])) {
            to--;
        }
        return to;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
