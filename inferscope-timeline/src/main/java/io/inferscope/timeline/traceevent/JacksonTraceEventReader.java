package io.inferscope.timeline.traceevent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.JsonText;
import io.inferscope.timeline.importer.TraceSource;
import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Reads with Jackson's streaming parser, which stays the oracle for any faster reader. */
final class JacksonTraceEventReader implements TraceEventReader {
    private static final int MAX_TEXT_CHARS = 64 << 20;
    private static final int MAX_NAME_CHARS = 1 << 20;

    private static final Pattern PLACE =
            Pattern.compile(" \\((start marker at|for \\w+ starting at) .*", Pattern.DOTALL);

    private static final JsonFactory FACTORY = JsonText.factory(MAX_TEXT_CHARS, MAX_NAME_CHARS)
            .configure(StreamReadFeature.AUTO_CLOSE_SOURCE, false)
            .build();

    @Override
    public void read(TraceSource source, Sink sink, ImportStats.Builder stats) throws IOException, ImportException {
        try (InputStream in = source.open()) {
            new Rest(source, new RereadStream(in, 0), sink, stats).read(DocumentPlace.START);
        } catch (CharConversionException badText) {
            sink.restart();
            stats.count(Reason.BAD_TEXT, -1, "");
            try (TraceSource.CountingStream in = source.open()) {
                new Rest(source, repaired(in, 0), sink, stats).read(DocumentPlace.START);
            }
        }
    }

    /**
     * Reads the rest of a document, which {@code rest} delivers from byte {@code offset} on. If invalid text is found,
     * the rest is read again with repair, provided that nothing was passed on before; otherwise the whole document is
     * read again.
     */
    static void resume(
            TraceSource source,
            DocumentPlace place,
            long offset,
            InputStream rest,
            Sink sink,
            ImportStats.Builder stats)
            throws IOException, ImportException {
        ImportStats.Builder counted = stats.sameSource();
        Rest document = new Rest(source, new RereadStream(rest, offset), sink, counted);
        try {
            document.read(place);
        } catch (CharConversionException badText) {
            if (document.handedOver()) {
                sink.restart();
                new JacksonTraceEventReader().read(source, sink, stats);
            } else {
                stats.count(Reason.BAD_TEXT, offset, "");
                try (InputStream again = source.open()) {
                    again.skipNBytes(offset);
                    TraceSource.CountingStream counting = new TraceSource.CountingStream(again);
                    new Rest(source, repaired(counting, offset), sink, stats).read(place);
                }
            }
            return;
        }
        stats.addAll(counted.build());
    }

    private static RereadStream repaired(TraceSource.CountingStream in, long offset) {
        return new RereadStream(JsonText.repaired(in), offset, in);
    }

    /** The rest of a document. Behind damage, reading resumes at the next event. */
    private static final class Rest {
        /** Places of damage after which reading ends: a document that has more was not written by a profiler. */
        private static final int MAX_DAMAGES = 10_000;

        /** Numbers that are none cost no event while the events around them are read again at most as often. */
        private static final int MAX_REREAD = 64;

        private final TraceSource source;
        private final RereadStream in;
        private final ImportStats.Builder stats;
        private final JacksonDocument document;
        private JsonParser parser;
        private long from;
        private int damages;
        private long rereadBytes;

        Rest(TraceSource source, RereadStream in, Sink sink, ImportStats.Builder stats) throws IOException {
            this.source = source;
            this.in = in;
            this.stats = stats;
            this.from = in.position();
            this.parser = FACTORY.createParser(new byte[0]);
            this.document = new JacksonDocument(parser, this.in, sink, stats);
        }

        boolean handedOver() {
            return document.handedOver();
        }

        void read(DocumentPlace begin) throws IOException, ImportException {
            DocumentPlace place = begin;
            try {
                while (place != null) {
                    String before = place.before();
                    InputStream text = new ByteArrayInputStream(before.getBytes(StandardCharsets.US_ASCII));
                    parser = FACTORY.createParser(new SequenceInputStream(text, in));
                    document.over(parser, from - before.length());
                    place = readFrom(place);
                }
            } catch (EOFException | ZipException e) {
                ScanningTraceEventReader.count(e, document.bytesRead(), stats);
                if (!(e instanceof EOFException) && !document.isClosed()) {
                    stats.count(Reason.TRUNCATED, document.bytesRead(), "");
                }
            } finally {
                parser.close();
                stats.bytes(document.bytesRead());
            }
        }

        /** Reads to the end or to damage. Returns where to go on, null for nowhere. */
        private @Nullable DocumentPlace readFrom(DocumentPlace place) throws IOException, ImportException {
            try {
                if (document.read(place)) {
                    return damages > 0 ? passed(document.wholeBytes(), Reason.TRAILING_DATA, "") : trailing();
                }
            } catch (JsonEOFException e) {
                if (document.hasMore()) {
                    throw new CharConversionException("a member's name ends in half a character");
                }
                cut();
            } catch (StreamConstraintsException e) {
                throw new ImportException(
                        source.file().toString(),
                        "refused at byte " + document.offset() + ": " + limit(e.getOriginalMessage()),
                        "this is not a trace that a profiler writes",
                        e);
            } catch (com.fasterxml.jackson.core.JsonParseException e) {
                if (isBadUtf8(e)) {
                    throw new CharConversionException(e.getOriginalMessage());
                }
                long at = Math.max(document.offset(), document.offset(e.getLocation()));
                if (e.getOriginalMessage().startsWith("Unexpected end-of-input") || document.endsInNumber(e)) {
                    cut();
                } else {
                    return damaged(at, withoutPlace(e.getOriginalMessage()));
                }
            }
            return null;
        }

        /** Counts the cut, unless a list ends with the line of a whole event: the format lets writers leave it open. */
        private void cut() throws IOException {
            if (document.place() != DocumentPlace.IN_LIST || !in.back() || !in.endsWithLine()) {
                stats.count(Reason.TRUNCATED, document.bytesRead(), "");
            }
        }

        private @Nullable DocumentPlace trailing() throws IOException {
            stats.count(Reason.TRAILING_DATA, document.wholeBytes(), "");
            stats.lost(in.drain() - document.wholeBytes());
            return null;
        }

        private @Nullable DocumentPlace damaged(long at, String message) throws IOException {
            rereadBytes += at - document.wholeBytes();
            if (rereadBytes < MAX_REREAD * at && in.back() && in.replaceNonFinite(at)) {
                from = document.wholeBytes();
                document.again();
                return document.place();
            }
            damages++;
            return passed(at, Reason.MALFORMED, message);
        }

        /** Passes over what cannot be read. */
        private @Nullable DocumentPlace passed(long at, Reason reason, String message) throws IOException {
            stats.count(reason, at, message);
            DocumentPlace place = document.place();
            if (!in.back()) {
                in.to(at);
            }
            from = damages < MAX_DAMAGES ? in.nextEvent(at) : -1;
            stats.lost((from < 0 ? in.drain() : from) - document.wholeBytes());
            return from < 0
                    ? null
                    : place == DocumentPlace.LIST || place == DocumentPlace.IN_LIST
                            ? DocumentPlace.LIST
                            : DocumentPlace.EVENTS;
        }
    }

    private static String limit(String message) {
        if (message.contains("nesting depth")) {
            return "nesting deeper than " + JsonText.MAX_NESTING;
        }
        if (message.startsWith("Nested")) {
            return "an array or object of more than " + (JacksonDocument.MAX_NESTED_CHARS >> 20)
                    + " MiB in an argument";
        }
        return message.startsWith("String")
                ? "a text longer than " + (MAX_TEXT_CHARS >> 20) + " MiB"
                : "a number or a member's name longer than " + (MAX_NAME_CHARS >> 20) + " MiB";
    }

    /** Removes line and column from messages: they mean little in a document without line breaks. */
    private static String withoutPlace(String message) {
        return PLACE.matcher(message).replaceFirst("");
    }

    private static boolean isBadUtf8(com.fasterxml.jackson.core.JsonParseException e) {
        return e.getOriginalMessage().startsWith("Invalid UTF-8");
    }
}
