package io.inferscope.formats.common;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.JsonText;
import io.inferscope.timeline.importer.TraceSource;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipException;

/** Reads a JSON document to its end or to the damage, which is counted. Only data that the walk keeps needs memory. */
public final class TolerantJson {
    private static final int MAX_TEXT_CHARS = 16 << 20;

    /** Most members of an object of scalars, more than any profiler writes. */
    private static final int MAX_MEMBERS = 256;

    private static final JsonFactory FACTORY =
            JsonText.factory(MAX_TEXT_CHARS, MAX_TEXT_CHARS).build();

    private TolerantJson() {}

    /** Receives a document. */
    public interface Walk {
        /** Discards everything received: the document is read again from its start, with invalid text repaired. */
        void restart();

        /** Reads the document; the parser is before its first token. */
        void document(JsonParser parser) throws IOException;
    }

    /**
     * Reads a document.
     *
     * @throws ImportException if the whole content is refused
     */
    public static void read(TraceSource source, ImportStats.Builder stats, Walk walk)
            throws IOException, ImportException {
        try {
            readOnce(source, stats, walk, false);
        } catch (CharConversionException badText) {
            walk.restart();
            stats.count(Reason.BAD_TEXT, -1, "");
            readOnce(source, stats, walk, true);
        }
    }

    private static void readOnce(TraceSource source, ImportStats.Builder stats, Walk walk, boolean repairText)
            throws IOException, ImportException {
        try (TraceSource.CountingStream in = source.open();
                JsonParser parser =
                        repairText ? FACTORY.createParser(JsonText.repairing(in)) : FACTORY.createParser(in)) {
            try {
                walk.document(parser);
            } catch (JsonEOFException | EOFException e) {
                stats.count(Reason.TRUNCATED, in.count(), "");
            } catch (ZipException e) {
                stats.count(Reason.MALFORMED, in.count(), "damaged gzip stream: " + e.getMessage());
            } catch (StreamConstraintsException e) {
                throw new ImportException(
                        source.file().toString(),
                        "nesting deeper than " + JsonText.MAX_NESTING + " or a text longer than "
                                + (MAX_TEXT_CHARS >> 20) + " MiB",
                        "this is not a file that a profiler writes",
                        e);
            } catch (JsonParseException e) {
                damage(e, stats, in);
            } finally {
                stats.bytes(in.count());
            }
        }
    }

    private static void damage(JsonParseException e, ImportStats.Builder stats, TraceSource.CountingStream in)
            throws IOException {
        if (e.getOriginalMessage().startsWith("Invalid UTF-8")) {
            throw new CharConversionException(e.getOriginalMessage());
        }
        if (e.getOriginalMessage().startsWith("Unexpected end-of-input")) {
            stats.count(Reason.TRUNCATED, in.count(), "");
            return;
        }
        long at = Math.max(e.getLocation().getByteOffset(), e.getLocation().getCharOffset());
        stats.count(Reason.MALFORMED, at, e.getOriginalMessage());
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (EOFException | ZipException cut) {
            // As far as it can be read.
        }
        stats.lost(in.count() - at);
    }

    /** Receives the members of an object. */
    public interface Members {
        /** Reads a value to its end; the parser is at its first token. */
        void member(String name, JsonToken value) throws IOException;
    }

    /** Receives the elements of an array. */
    public interface Elements {
        /** Reads an element to its end; the parser is at its first token. */
        void element(JsonToken value) throws IOException;
    }

    /** Passes the members of the object at which the parser is; skips any other value. */
    public static void members(JsonParser parser, Members members) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            members.member(name, parser.nextToken());
        }
    }

    /** Passes the elements of the array at which the parser is; skips any other value. */
    public static void elements(JsonParser parser, Elements elements) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return;
        }
        for (JsonToken at = parser.nextToken(); at != JsonToken.END_ARRAY && at != null; at = parser.nextToken()) {
            elements.element(at);
        }
    }

    /** Returns the first members of an object that are scalars, as {@link #text} has them; none of any other value. */
    public static Map<String, String> scalars(JsonParser parser) throws IOException {
        Map<String, String> scalars = new HashMap<>();
        members(parser, (name, value) -> {
            boolean kept = !value.isStructStart() && scalars.size() < MAX_MEMBERS;
            String text = text(parser);
            if (kept) {
                scalars.put(name, text);
            }
        });
        return scalars;
    }

    /** Returns a scalar as text, empty for null; other values are skipped and give the empty text. */
    public static String text(JsonParser parser) throws IOException {
        if (parser.currentToken().isStructStart()) {
            parser.skipChildren();
            return "";
        }
        return parser.currentToken() == JsonToken.VALUE_NULL ? "" : parser.getText();
    }

    /** Returns a number as an int, {@code otherwise} if it is not a number or does not fit. */
    public static int integer(JsonParser parser, int otherwise) throws IOException {
        return integer(text(parser), otherwise);
    }

    /** Returns a text as an int, {@code otherwise} if it is not a number or does not fit. */
    public static int integer(String text, int otherwise) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notAnInteger) {
            return otherwise;
        }
    }
}
