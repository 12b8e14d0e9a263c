package io.inferscope.formats.rocm;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a document: one entry per process, each with tables of names and with records.
 *
 * <p>Records name kernels, agents and operations by number. rocprofv3 writes the tables before the records. If tables
 * come later, the records are skipped in the first reading and read in a second one. Only the tables are kept in
 * memory.
 */
final class RocprofDocument implements TolerantJson.Walk {
    private final TimelineBuilder builder;
    private final List<RocprofNames> names = new ArrayList<>();
    private RocprofRows rows;
    private boolean secondTime;
    private boolean recordsLeft;

    RocprofDocument(TimelineBuilder builder) {
        this.builder = builder;
        this.rows = new RocprofRows(builder);
    }

    @Override
    public void restart() {
        if (!secondTime) {
            builder.clear();
            names.clear();
            rows = new RocprofRows(builder);
            recordsLeft = false;
        }
    }

    /** Returns whether records were skipped because of missing names; if so, the next reading reads them. */
    boolean readAgain() {
        secondTime = true;
        return recordsLeft;
    }

    void finish() {
        rows.finish();
    }

    @Override
    public void document(JsonParser parser) throws IOException {
        parser.nextToken();
        forEachMember(parser, member -> {
            if (member.equals("rocprofiler-sdk-tool")) {
                processes(parser);
            } else {
                parser.skipChildren();
            }
        });
    }

    /** Receives a member; the parser is at its value and is left at its last token. */
    interface Member {
        void take(String name) throws IOException;
    }

    /** Receives an element; the parser is at its first token and is left at its last one. */
    interface Element {
        void take() throws IOException;
    }

    /** Passes the members of an object; none if the parser is not at an object. */
    static void forEachMember(JsonParser parser, Member member) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            member.take(name);
        }
    }

    /** Passes the elements of an array; none if the parser is not at an array. */
    static void forEachElement(JsonParser parser, Element element) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
            element.take();
        }
    }

    private void processes(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            process(parser, 0);
            return;
        }
        int[] index = {0};
        forEachElement(parser, () -> process(parser, index[0]++));
    }

    private void process(JsonParser parser, int index) throws IOException {
        while (names.size() <= index) {
            names.add(new RocprofNames());
        }
        RocprofNames known = names.get(index);
        forEachMember(parser, member -> {
            if (member.equals("buffer_records")) {
                records(parser, known);
            } else if (secondTime || !known.take(parser, member)) {
                parser.skipChildren();
            }
        });
        known.end();
    }

    private void records(JsonParser parser, RocprofNames known) throws IOException {
        boolean now = secondTime ? known.recordsLeft() : known.isComplete();
        if (!now) {
            known.leaveRecords(!secondTime);
            recordsLeft |= !secondTime;
            parser.skipChildren();
            return;
        }
        RocprofRecord record = new RocprofRecord();
        forEachMember(
                parser,
                section -> forEachElement(parser, () -> {
                    if (parser.currentToken() != JsonToken.START_OBJECT) {
                        builder.stats()
                                .count(
                                        Reason.NOT_AN_EVENT,
                                        parser.currentLocation().getByteOffset(),
                                        section);
                        parser.skipChildren();
                        return;
                    }
                    record.read(parser);
                    rows.add(section, record, known);
                }));
    }
}
