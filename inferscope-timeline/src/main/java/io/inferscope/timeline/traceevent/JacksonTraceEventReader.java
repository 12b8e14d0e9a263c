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
        try (TraceSource.CountingStream in = source.open();
                JsonParser parser = FACTORY.createParser(in)) {
            read(source, new JacksonDocument(parser, in, 0, sink, stats), DocumentPlace.START);
        } catch (EOFException | ZipException atOnce) {
            // Thrown while the parser detected the encoding from the first four bytes.
            ScanningTraceEventReader.count(atOnce, 0, stats);
        } catch (CharConversionException badText) {
            sink.restart();
            stats.count(Reason.BAD_TEXT, -1, "");
            try (TraceSource.CountingStream in = source.open();
                    JsonParser parser = FACTORY.createParser(JsonText.repairing(in))) {
                read(source, new JacksonDocument(parser, in, 0, sink, stats), DocumentPlace.START);
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
        boolean[] handedOver = new boolean[1];
        try (TraceSource.CountingStream in = behind(place, rest);
                JsonParser parser = FACTORY.createParser(in)) {
            JacksonDocument document =
                    new JacksonDocument(parser, in, offset - place.before().length(), sink, counted);
            try {
                read(source, document, place);
            } finally {
                handedOver[0] = document.handedOver();
            }
        } catch (EOFException | ZipException atOnce) {
            ScanningTraceEventReader.count(atOnce, offset, counted);
        } catch (CharConversionException badText) {
            if (handedOver[0]) {
                sink.restart();
                new JacksonTraceEventReader().read(source, sink, stats);
            } else {
                stats.count(Reason.BAD_TEXT, offset, "");
                resumeRepaired(source, place, offset, sink, stats);
            }
            return;
        }
        stats.addAll(counted.build());
    }

    private static void resumeRepaired(
            TraceSource source, DocumentPlace place, long offset, Sink sink, ImportStats.Builder stats)
            throws IOException, ImportException {
        try (InputStream rest = source.open()) {
            rest.skipNBytes(offset);
            TraceSource.CountingStream in = behind(place, rest);
            try (JsonParser parser = FACTORY.createParser(JsonText.repairing(in))) {
                read(
                        source,
                        new JacksonDocument(parser, in, offset - place.before().length(), sink, stats),
                        place);
            }
        }
    }

    private static TraceSource.CountingStream behind(DocumentPlace place, InputStream rest) {
        InputStream before = new ByteArrayInputStream(place.before().getBytes(StandardCharsets.US_ASCII));
        return new TraceSource.CountingStream(new SequenceInputStream(before, rest));
    }

    private static void read(TraceSource source, JacksonDocument document, DocumentPlace place)
            throws IOException, ImportException {
        ImportStats.Builder stats = document.stats();
        try {
            document.read(place);
        } catch (JsonEOFException e) {
            if (document.hasMore()) {
                throw new CharConversionException("a member's name ends in half a character");
            }
            stats.count(Reason.TRUNCATED, document.bytesRead(), "");
        } catch (EOFException | ZipException e) {
            ScanningTraceEventReader.count(e, document.bytesRead(), stats);
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
                stats.count(Reason.TRUNCATED, document.bytesRead(), "");
            } else {
                stats.count(Reason.MALFORMED, at, withoutPlace(e.getOriginalMessage()));
            }
        } finally {
            stats.bytes(document.bytesRead());
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
