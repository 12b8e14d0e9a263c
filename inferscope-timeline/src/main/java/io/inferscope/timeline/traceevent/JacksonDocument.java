package io.inferscope.timeline.traceevent;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.TraceSource;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** One pass over one document. */
final class JacksonDocument {
    /** Of an array or object that becomes a text. */
    static final int MAX_NESTED_CHARS = 16 << 20;
    /** Longest id; longer ones are not 64-bit numbers and are ignored. */
    private static final int MAX_ID_CHARS = 20;

    /**
     * Jackson's message about a number that ends with one of these characters, whether or not the document ends there.
     */
    private static final Pattern HALF_NUMBER = Pattern.compile("Unexpected character \\('[-+.eE]' .*", Pattern.DOTALL);

    private final JsonParser parser;
    private final TraceEventReader.Sink sink;
    private final ImportStats.Builder stats;
    private final TraceEvent event = new TraceEvent();
    private final TraceSource.CountingStream in;
    private final long baseBytes;
    private final PropertyLimit limit;
    private boolean handedOver;

    /** The id of the current event. Only asynchronous events need it, but their phase may come after the id. */
    private @Nullable String asyncId;

    JacksonDocument(
            JsonParser parser,
            TraceSource.CountingStream in,
            long baseBytes,
            TraceEventReader.Sink sink,
            ImportStats.Builder stats) {
        this.parser = parser;
        this.in = in;
        this.baseBytes = baseBytes;
        this.sink = sink;
        this.stats = stats;
        this.limit = new PropertyLimit(stats);
    }

    ImportStats.Builder stats() {
        return stats;
    }

    /** Returns whether any event or property was handed over. */
    boolean handedOver() {
        return handedOver;
    }

    /** Returns the parser's position in the document, as exactly as it is known. */
    long offset() {
        return offset(parser.currentLocation());
    }

    /**
     * Returns whether the document continues although the parser reports its end, as it does for a name that ends in an
     * incomplete UTF-8 character.
     */
    boolean hasMore() throws IOException {
        try {
            return parser.releaseBuffered(OutputStream.nullOutputStream()) > 0 || in.read() >= 0;
        } catch (EOFException | ZipException damaged) {
            return false;
        }
    }

    /** Returns whether the parser reports an incomplete number and the document ends there. */
    boolean endsInNumber(com.fasterxml.jackson.core.JsonParseException e) throws IOException {
        return HALF_NUMBER.matcher(e.getOriginalMessage()).matches() && !hasMore();
    }

    /** Returns how many bytes of the document were read, which may be more than the parser has parsed. */
    long bytesRead() {
        return baseBytes + in.count();
    }

    long offset(JsonLocation location) {
        return baseBytes + Math.max(location.getByteOffset(), location.getCharOffset());
    }

    void read(DocumentPlace place) throws IOException {
        for (int i = 0; i < place.tokens(); i++) {
            parser.nextToken();
        }
        switch (place) {
            case START -> {
                JsonToken first = parser.nextToken();
                if (first == JsonToken.START_ARRAY) {
                    events();
                } else if (first == JsonToken.START_OBJECT) {
                    members();
                }
            }
            case LIST, IN_LIST -> events();
            case EVENTS, IN_EVENTS -> {
                events();
                members();
            }
            case IN_MEMBERS -> members();
        }
        long end = offset();
        if (trailing()) {
            stats.count(Reason.TRAILING_DATA, end, "");
        }
    }

    private void members() throws IOException {
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
                stats.count(Reason.NOT_AN_EVENT, offset(parser.currentTokenLocation()), "");
                parser.skipChildren();
            }
            token = parser.nextToken();
        }
    }

    private void event() throws IOException {
        stats.event();
        event.reset(offset(parser.currentTokenLocation()));
        int seen = 0;
        int duplicates = 0;
        String duplicate = "";
        asyncId = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            int field = field(key, value);
            if ((seen & field) != 0) {
                duplicates++;
                duplicate = duplicates == 1 ? key : duplicate;
            }
            seen |= field;
        }
        if (asyncId != null && TraceEvent.isIdRead(event.phase, event.category)) {
            event.put(Arg.ASYNC_ID, asyncId);
        }
        stats.count(Reason.DUPLICATE_KEY, duplicates, event.offsetBytes, duplicate);
        handedOver = true;
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
                event.pid = text(value);
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
            case "id", "id2" -> {
                asyncId = value.isStructStart() ? compact(value) : parser.getText();
                return 0;
            }
            case "sf" -> {
                event.put(Arg.STACK_FRAME, text(value));
                return 0;
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
            java.math.BigInteger big =
                    parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? parser.getBigIntegerValue() : null;
            event.put(arg, big == null ? parser.getLongValue() : big.longValue());
        } else if (value == JsonToken.VALUE_STRING) {
            try {
                event.put(arg, Long.parseLong(parser.getText()));
            } catch (NumberFormatException notANumber) {
                // An id that is not a number is ignored.
            }
        } else {
            parser.skipChildren();
        }
    }

    private String compact(JsonToken start) throws IOException {
        StringBuilder text = new StringBuilder();
        int depth = 0;
        boolean comma = false;
        for (JsonToken token = start; token != null; token = parser.nextToken()) {
            boolean closes = token.isStructEnd();
            if (comma && !closes) {
                text.append(',');
            }
            text.append(parser.getText());
            if (token == JsonToken.FIELD_NAME) {
                text.append(':');
            }
            comma = token != JsonToken.FIELD_NAME && !token.isStructStart();
            if (text.length() > MAX_NESTED_CHARS) {
                throw new StreamConstraintsException("Nested argument too long");
            }
            depth += token.isStructStart() ? 1 : closes ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        return text.toString();
    }

    private String text(JsonToken value) throws IOException {
        if (value.isStructStart()) {
            parser.skipChildren();
            return "";
        }
        return value == JsonToken.VALUE_NULL ? "" : parser.getText();
    }

    private long nanos(JsonToken value) throws IOException {
        if (value.isStructStart()) {
            parser.skipChildren();
            return FixedPoint.INVALID;
        }
        if (!value.isNumeric() && value != JsonToken.VALUE_STRING) {
            return FixedPoint.INVALID;
        }
        return FixedPoint.nanosFromMicros(parser.getText());
    }

    /** Flattens everything outside the event list into paths, up to a fixed number of them. */
    private void property(String path, JsonToken value) throws IOException {
        if (!limit.allows(path)) {
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
            limit.took(path);
            String text = text(value);
            handedOver = true;
            sink.property(path, text);
        }
    }
}
