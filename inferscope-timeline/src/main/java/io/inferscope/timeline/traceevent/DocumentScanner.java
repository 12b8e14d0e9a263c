package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.traceevent.JsonCursor.Stop;
import io.inferscope.timeline.traceevent.TextTable.Form;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Scans a document around its event list: members become properties, flattened into paths. */
final class DocumentScanner {
    /** What comes next in the document. */
    enum Next {
        /** The event list; the position is after its opening bracket. */
        EVENTS,
        /** Nothing. */
        END,
        /** Something that cannot be scanned. */
        ODD
    }

    /** What the next document begins with, if it holds events alone. */
    private static final Pattern NEXT_LIST = Pattern.compile(
            "\\s*\\n\\s*\\{\\s*(?:\"displayTimeUnit\"\\s*:\\s*\"\\w*\"\\s*,\\s*)?\"traceEvents\"\\s*:\\s*\\[");

    private static final int NEXT_BYTES = 128;

    private final ByteWindow window;
    private final TraceEventReader.Sink sink;
    private final ImportStats.Builder stats;
    private final JsonCursor cursor = new JsonCursor();
    private int at;
    private boolean isList;
    private boolean firstMember = true;
    private boolean badText;
    private long trailingBytes = -1;
    private final PropertyLimit limit;

    DocumentScanner(ByteWindow window, TraceEventReader.Sink sink, ImportStats.Builder stats) {
        this.window = window;
        this.sink = sink;
        this.stats = stats;
        this.limit = new PropertyLimit(stats);
    }

    /** Returns where the document ends and other bytes follow, -1 if none do. */
    long trailingBytes() {
        return trailingBytes;
    }

    /** Returns the position in the window where scanning continues. */
    int position() {
        return at;
    }

    /** Returns where the slow path begins if scanning fails before or between members. */
    DocumentPlace place() {
        return firstMember ? DocumentPlace.START : DocumentPlace.IN_MEMBERS;
    }

    /** Returns where the slow path begins if scanning fails in the event list. */
    DocumentPlace placeInEvents(boolean beforeFirst) {
        if (isList) {
            return beforeFirst ? DocumentPlace.LIST : DocumentPlace.IN_LIST;
        }
        return beforeFirst ? DocumentPlace.EVENTS : DocumentPlace.IN_EVENTS;
    }

    /** Starts at the document's beginning. */
    Next start() throws IOException {
        window.more(0);
        byte[] bytes = window.bytes();
        at = bytes[0] == (byte) 0xef && bytes[1] == (byte) 0xbb && bytes[2] == (byte) 0xbf ? 3 : 0;
        return scan(this::opening);
    }

    /** Continues after the event list, which ended at {@code window.bytes[position]}. */
    Next afterEvents(int position) throws IOException {
        at = position;
        firstMember = false;
        return isList ? end() : scan(this::members);
    }

    private interface Step {
        Next take();
    }

    /** Takes a step; repeats it from {@link #at} whenever the window ends inside it. */
    private Next scan(Step step) throws IOException {
        while (true) {
            cursor.reset(window, at);
            try {
                Next next = step.take();
                return next == Next.END ? end() : next;
            } catch (Stop stop) {
                boolean atEnd = cursor.position() + ByteWindow.PADDING > window.limit();
                if (!atEnd || !window.more(at)) {
                    at = atEnd ? 0 : at;
                    return Next.ODD;
                }
                at = 0;
            }
        }
    }

    private Next opening() {
        if (!firstMember) {
            return members(); // The window ended inside a later one.
        }
        byte b = cursor.peek();
        if (b == '[') {
            cursor.pass();
            isList = true;
            at = cursor.position();
            return Next.EVENTS;
        }
        if (b != '{') {
            throw cursor.stop();
        }
        return members();
    }

    private Next members() {
        while (firstMember ? cursor.open('}') : cursor.next('}')) {
            String key = key();
            if (key.equals("traceEvents") && cursor.peek() == '[') {
                cursor.pass();
                at = cursor.position();
                return Next.EVENTS;
            }
            int from = cursor.position();
            cursor.skip(); // Ensures that the whole value is in the window, so that no property is reported twice.
            cursor.stopAtEnd();
            noteBadText();
            cursor.reset(window, from);
            property(key);
            at = cursor.position();
            firstMember = false;
        }
        at = cursor.position();
        return Next.END;
    }

    private void noteBadText() {
        if (cursor.sawBadText() && !badText) {
            badText = true;
            stats.count(Reason.BAD_TEXT, window.baseBytes() + at, "");
        }
    }

    private String key() {
        if (cursor.peek() != '"') {
            throw cursor.stop();
        }
        int from = cursor.position() + 1;
        int end = cursor.text();
        cursor.expect(':');
        return text(from, end, Form.QUOTED);
    }

    private String text(int from, int end, Form form) {
        return RawText.of(cursor.bytes(), from, end, form);
    }

    private void property(String path) {
        byte b = cursor.peek();
        int from = cursor.position();
        if (!limit.allows(path)) {
            cursor.skip();
        } else if (b == '{') {
            for (boolean more = cursor.open('}'); more; more = cursor.next('}')) {
                property(path + '.' + key());
            }
        } else if (b == '[') {
            boolean more = cursor.open(']');
            for (int i = 0; more; i++) {
                property(path + '[' + i + ']');
                more = cursor.next(']');
            }
        } else {
            limit.took(path);
            cursor.skip();
            sink.property(
                    path,
                    b == '"'
                            ? text(from + 1, cursor.position() - 1, Form.QUOTED)
                            : text(from, cursor.position(), Form.BARE));
        }
    }

    /**
     * Checks whether anything except white space follows the document. Triton's Proton writes a document for each stream,
     * one a line, of nothing but events: they are one list.
     */
    private Next end() throws IOException {
        long end = window.baseBytes() + at;
        cursor.reset(window, at);
        cursor.peek();
        while (cursor.position() >= window.limit()) {
            if (!window.more(window.limit())) {
                return Next.END;
            }
            cursor.reset(window, 0);
            cursor.peek();
        }
        window.more(at);
        at = 0;
        String next = new String(window.bytes(), 0, Math.min(window.limit(), NEXT_BYTES), StandardCharsets.ISO_8859_1);
        Matcher list = NEXT_LIST.matcher(next);
        if (!isList && list.lookingAt()) {
            at = list.end();
            return Next.EVENTS;
        }
        stats.count(Reason.TRAILING_DATA, end, "");
        trailingBytes = end;
        return Next.END;
    }
}
