package io.inferscope.timeline.traceevent;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
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

    private final TraceEventReader.Sink sink;
    private final ImportStats.Builder stats;
    private final TraceEvent event = new TraceEvent();
    private final RereadStream in;
    private final PropertyLimit limit;
    private JsonParser parser;
    private long baseBytes;
    private boolean handedOver;
    private boolean counted;
    private boolean closed;
    private DocumentPlace place = DocumentPlace.START;

    /** Where the last whole element or member of the document ends. */
    private long wholeBytes;

    /** The id of the current event. Only asynchronous events need it, but their phase may come after the id. */
    private @Nullable String asyncId;

    JacksonDocument(JsonParser parser, RereadStream in, TraceEventReader.Sink sink, ImportStats.Builder stats) {
        this.parser = parser;
        this.in = in;
        this.sink = sink;
        this.stats = stats;
        this.limit = new PropertyLimit(stats);
    }

    /** Continues with a parser whose first byte is byte {@code offset} of the document. */
    void over(JsonParser next, long offset) {
        parser = next;
        baseBytes = offset;
    }

    /** Continues with the event in which reading stopped, which is counted already. */
    void again() {
        counted = place != DocumentPlace.START && place != DocumentPlace.IN_MEMBERS;
    }

    /** Returns where reading may resume after damage: what it was in, and where the last whole part of that ends. */
    DocumentPlace place() {
        return place;
    }

    long wholeBytes() {
        return wholeBytes;
    }

    private void whole(DocumentPlace in, long offset) {
        place = in;
        wholeBytes = offset;
        this.in.mark(offset);
    }

    /** Returns whether any event or property was handed over. */
    boolean handedOver() {
        return handedOver;
    }

    /** Returns the parser's position in the document, as exactly as it is known. */
    long offset() {
        return offset(parser.currentLocation());
    }

    /** Returns whether the document was read to its end. */
    boolean isClosed() {
        return closed;
    }

    /**
     * Returns whether the document continues although the parser reports its end, as it does for a name that ends in an
     * incomplete UTF-8 character.
     */
    boolean hasMore() throws IOException {
        try {
            return parser.releaseBuffered(OutputStream.nullOutputStream()) > 0 || in.hasMore();
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
        return in.bytesRead();
    }

    long offset(JsonLocation location) {
        return baseBytes + Math.max(location.getByteOffset(), location.getCharOffset());
    }

    /** Reads to the end. Returns whether other bytes follow it. */
    boolean read(DocumentPlace from) throws IOException {
        for (int i = 0; i < from.tokens(); i++) {
            parser.nextToken();
        }
        whole(from, baseBytes + from.before().length());
        switch (from) {
            case START -> {
                JsonToken first = parser.nextToken();
                if (first == JsonToken.START_ARRAY) {
                    whole(DocumentPlace.LIST, offset());
                    events(DocumentPlace.IN_LIST);
                } else if (first == JsonToken.START_OBJECT) {
                    members();
                }
            }
            case LIST, IN_LIST -> events(DocumentPlace.IN_LIST);
            case EVENTS, IN_EVENTS -> {
                events(DocumentPlace.IN_EVENTS);
                members();
            }
            case IN_MEMBERS -> members();
        }
        wholeBytes = offset();
        closed = true;
        return trailing();
    }

    private void members() throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (key.equals("traceEvents") && value == JsonToken.START_ARRAY) {
                whole(DocumentPlace.EVENTS, offset());
                events(DocumentPlace.IN_EVENTS);
            } else {
                property(key, value);
                whole(DocumentPlace.IN_MEMBERS, offset());
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

    private void events(DocumentPlace in) throws IOException {
        JsonToken token = parser.nextToken();
        while (token != JsonToken.END_ARRAY && token != null) {
            if (token == JsonToken.START_OBJECT) {
                event();
            } else {
                stats.event();
                stats.count(Reason.NOT_AN_EVENT, offset(parser.currentTokenLocation()), "");
                parser.skipChildren();
            }
            whole(in, offset());
            token = parser.nextToken();
        }
        whole(in == DocumentPlace.IN_LIST ? in : DocumentPlace.IN_MEMBERS, offset());
    }

    private void event() throws IOException {
        if (!counted) {
            stats.event();
        }
        counted = false;
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
                if (event.phase == 'C') {
                    sample(parser.currentName(), value);
                }
                parser.skipChildren();
            } else if (arg.isText()) {
                event.put(arg, value.isStructStart() ? compact(value) : text(value));
            } else {
                integer(arg, value);
            }
        }
    }

    /** Reads a value of a counter event that is not read by name. */
    private void sample(String name, JsonToken value) throws IOException {
        boolean number = value.isNumeric()
                || (value == JsonToken.VALUE_STRING
                        && FixedPoint.nanosFromMicros(parser.getText()) != FixedPoint.INVALID);
        if (number && (!event.has(Arg.VALUE) || event.has(Arg.SERIES))) {
            if (!event.has(Arg.VALUE)) {
                event.put(Arg.VALUE, parser.getText());
            }
            event.put(Arg.SERIES, name);
            event.put(Arg.SERIES, parser.getText());
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
