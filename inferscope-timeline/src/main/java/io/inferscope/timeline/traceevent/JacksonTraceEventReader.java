package io.inferscope.timeline.traceevent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipException;

/** Reads with Jackson's streaming parser, which stays the oracle for any faster reader. */
final class JacksonTraceEventReader implements TraceEventReader {
    private static final int MAX_NESTING = 200;
    private static final int MAX_TEXT_CHARS = 64 << 20;
    private static final int MAX_PROPERTIES = 10_000;
    /** Longer ids are no 64-bit numbers, signed or not, and identify nothing here. */
    private static final int MAX_ID_CHARS = 20;

    private static final int MAX_LONG_DIGITS = 18;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxStringLength(MAX_TEXT_CHARS)
                    .maxNameLength(MAX_TEXT_CHARS)
                    .maxNumberLength(MAX_TEXT_CHARS)
                    .build())
            .configure(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS, true)
            .configure(JsonReadFeature.ALLOW_TRAILING_COMMA, true)
            .configure(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS, true)
            .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false)
            .build();

    @Override
    public void read(TraceSource source, Sink sink, ImportStats.Builder stats) throws IOException, ImportException {
        try {
            readOnce(source, sink, stats, false);
        } catch (CharConversionException badText) {
            sink.restart();
            stats.count(Reason.BAD_TEXT, -1, "");
            readOnce(source, sink, stats, true);
        }
    }

    private static void readOnce(TraceSource source, Sink sink, ImportStats.Builder stats, boolean repairText)
            throws IOException, ImportException {
        try (TraceSource.CountingStream in = source.open();
                JsonParser parser = repairText ? FACTORY.createParser(repairing(in)) : FACTORY.createParser(in)) {
            Document document = new Document(parser, sink, stats);
            try {
                document.read();
            } catch (JsonEOFException | EOFException e) {
                stats.count(Reason.TRUNCATED, in.count(), "");
            } catch (ZipException e) {
                stats.count(Reason.MALFORMED, in.count(), "damaged gzip stream: " + e.getMessage());
            } catch (StreamConstraintsException e) {
                throw new ImportException(
                        source.file().toString(),
                        "refused at byte " + document.offset() + ": nesting deeper than " + MAX_NESTING
                                + " or a text longer than " + (MAX_TEXT_CHARS >> 20) + " MiB",
                        "this is not a trace that a profiler writes",
                        e);
            } catch (com.fasterxml.jackson.core.JsonParseException e) {
                if (isBadUtf8(e)) {
                    throw new CharConversionException(e.getOriginalMessage());
                }
                if (e.getOriginalMessage().startsWith("Unexpected end-of-input")) {
                    stats.count(Reason.TRUNCATED, in.count(), "");
                    return;
                }
                stats.count(
                        Reason.MALFORMED,
                        Math.max(document.offset(), e.getLocation().getByteOffset()),
                        e.getOriginalMessage());
            } finally {
                stats.bytes(in.count());
            }
        }
    }

    private static boolean isBadUtf8(com.fasterxml.jackson.core.JsonParseException e) {
        return e.getOriginalMessage().startsWith("Invalid UTF-8");
    }

    private static InputStreamReader repairing(TraceSource.CountingStream in) {
        return new InputStreamReader(
                in,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .onUnmappableCharacter(CodingErrorAction.REPLACE));
    }

    /** One pass over one document. */
    private static final class Document {
        private final JsonParser parser;
        private final Sink sink;
        private final ImportStats.Builder stats;
        private final TraceEvent event = new TraceEvent();
        private int properties;
        private String lastPid = "";
        private long lastPidNumber = Long.MIN_VALUE;

        Document(JsonParser parser, Sink sink, ImportStats.Builder stats) {
            this.parser = parser;
            this.sink = sink;
            this.stats = stats;
        }

        long offset() {
            return parser.currentLocation().getByteOffset();
        }

        void read() throws IOException {
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_ARRAY) {
                events();
            } else if (first == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String key = parser.currentName();
                    JsonToken value = parser.nextToken();
                    if (key.equals("traceEvents") && value == JsonToken.START_ARRAY) {
                        events();
                    } else {
                        property(key, value);
                    }
                }
            }
            long end = offset();
            if (trailing()) {
                stats.count(Reason.TRAILING_DATA, end, "");
            }
        }

        private boolean trailing() throws IOException {
            try {
                return parser.nextToken() != null;
            } catch (com.fasterxml.jackson.core.JsonParseException notJson) {
                return true;
            }
        }

        private void events() throws IOException {
            JsonToken token = parser.nextToken();
            while (token != JsonToken.END_ARRAY && token != null) {
                if (token == JsonToken.START_OBJECT) {
                    event();
                } else {
                    stats.event();
                    stats.count(Reason.NOT_AN_EVENT, offset(), "");
                    parser.skipChildren();
                }
                token = parser.nextToken();
            }
        }

        private void event() throws IOException {
            stats.event();
            event.reset(parser.currentTokenLocation().getByteOffset());
            int seen = 0;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                JsonToken value = parser.nextToken();
                int field = field(key, value);
                if ((seen & field) != 0) {
                    stats.count(Reason.DUPLICATE_KEY, event.offsetBytes, key);
                }
                seen |= field;
            }
            sink.event(event);
        }

        /** Reads one member and returns its bit, 0 for a member that is not read. */
        private int field(String key, JsonToken value) throws IOException {
            switch (key) {
                case "ph" -> {
                    String text = text(value);
                    event.phase = text.isEmpty() ? 0 : text.charAt(0);
                    return 1;
                }
                case "cat" -> {
                    event.category = text(value);
                    return 2;
                }
                case "name" -> {
                    event.name = text(value);
                    return 4;
                }
                case "pid" -> {
                    event.pid = id(value);
                    return 8;
                }
                case "tid" -> {
                    event.tid = text(value);
                    return 16;
                }
                case "ts" -> {
                    event.tsNs = nanos(value);
                    return 32;
                }
                case "dur" -> {
                    event.hasDuration = true;
                    event.durationNs = nanos(value);
                    return 64;
                }
                case "args" -> {
                    if (value == JsonToken.START_OBJECT) {
                        args();
                    } else {
                        parser.skipChildren();
                    }
                    return 128;
                }
                default -> {
                    parser.skipChildren();
                    return 0;
                }
            }
        }

        private void args() throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                Arg arg = Arg.of(parser.currentName());
                JsonToken value = parser.nextToken();
                if (arg == null) {
                    boolean counterSample = event.phase == 'C' && value.isNumeric() && !event.has(Arg.VALUE);
                    if (counterSample) {
                        event.put(Arg.VALUE, parser.getText());
                    }
                    parser.skipChildren();
                } else if (arg.isText()) {
                    event.put(arg, value.isStructStart() ? compact(value) : text(value));
                } else {
                    integer(arg, value);
                }
            }
        }

        private void integer(Arg arg, JsonToken value) throws IOException {
            if (value == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= MAX_ID_CHARS) {
                java.math.BigInteger big = parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? parser.getBigIntegerValue()
                        : null;
                event.put(arg, big == null ? parser.getLongValue() : big.longValue());
            } else if (value == JsonToken.VALUE_STRING) {
                try {
                    event.put(arg, Long.parseLong(parser.getText()));
                } catch (NumberFormatException notANumber) {
                    // An id that is no number identifies nothing here.
                }
            } else {
                parser.skipChildren();
            }
        }

        private String compact(JsonToken start) throws IOException {
            StringBuilder text = new StringBuilder();
            int depth = 0;
            JsonToken token = start;
            while (true) {
                boolean closes = token.isStructEnd();
                char last = text.isEmpty() ? '[' : text.charAt(text.length() - 1);
                if (!closes && last != '[' && last != '{' && last != ':') {
                    text.append(',');
                }
                text.append(parser.getText());
                if (token == JsonToken.FIELD_NAME) {
                    text.append(':');
                }
                depth += token.isStructStart() ? 1 : closes ? -1 : 0;
                if (depth == 0) {
                    return text.toString();
                }
                token = parser.nextToken();
                if (token == null) {
                    return text.toString();
                }
            }
        }

        private String text(JsonToken value) throws IOException {
            if (value.isStructStart()) {
                parser.skipChildren();
                return "";
            }
            return value == JsonToken.VALUE_NULL ? "" : parser.getText();
        }

        private String id(JsonToken value) throws IOException {
            if (value != JsonToken.VALUE_NUMBER_INT || parser.getTextLength() > MAX_LONG_DIGITS) {
                return text(value);
            }
            long number = parser.getLongValue();
            if (number != lastPidNumber) {
                lastPid = parser.getText();
                lastPidNumber = number;
            }
            return lastPid;
        }

        private long nanos(JsonToken value) throws IOException {
            if (value.isStructStart()) {
                parser.skipChildren();
                return FixedPoint.INVALID;
            }
            if (!value.isNumeric() && value != JsonToken.VALUE_STRING) {
                return FixedPoint.INVALID;
            }
            return FixedPoint.nanosFromMicros(
                    parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
        }

        /** Flattens everything outside the event list into paths, up to a fixed number of them. */
        private void property(String path, JsonToken value) throws IOException {
            if (properties >= MAX_PROPERTIES) {
                parser.skipChildren();
            } else if (value == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String key = parser.currentName();
                    property(path + '.' + key, parser.nextToken());
                }
            } else if (value == JsonToken.START_ARRAY) {
                JsonToken element = parser.nextToken();
                for (int i = 0; element != JsonToken.END_ARRAY && element != null; i++) {
                    property(path + '[' + i + ']', element);
                    element = parser.nextToken();
                }
            } else {
                properties++;
                sink.property(path, text(value));
            }
        }
    }
}
