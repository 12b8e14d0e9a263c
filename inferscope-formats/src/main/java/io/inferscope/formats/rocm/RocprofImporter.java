package io.inferscope.formats.rocm;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * rocprofv3's JSON ({@code --output-format json}). Mapping of records: docs/formats.md.
 *
 * <p>The member names are those that rocprofiler-sdk writes (source/lib/output/generateJSON.cpp and the serialisation
 * of its records).
 */
public final class RocprofImporter extends Importer {
    public RocprofImporter() {
        super("rocprofv3", "rocprofv3 JSON (_results.json)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        return head.memberNames().contains("rocprofiler-sdk-tool");
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        RocprofDocument document = new RocprofDocument(builder);
        TolerantJson.read(source, builder.stats(), document);
        if (document.readAgain()) {
            // Damage and bytes were counted in the first reading.
            TolerantJson.read(source, new ImportStats.Builder(), document);
        }
        document.finish();
        source.requireRows(
                builder, "its records are empty", "record with rocprofv3 --runtime-trace --output-format json");
        builder.clockDomain(new ClockDomain("rocprofv3", 0, -1));
    }

    /**
     * Reads a document: one entry per process, each with tables of names and with records.
     *
     * <p>Records name kernels, agents and operations by number. rocprofv3 writes the tables before the records. If tables
     * come later, the records are skipped in the first reading and read in a second one. Only the tables are kept in
     * memory.
     */
    private static final class RocprofDocument implements TolerantJson.Walk {
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
            TolerantJson.members(parser, (member, value) -> {
                if (member.equals("rocprofiler-sdk-tool")) {
                    processes(parser);
                } else {
                    parser.skipChildren();
                }
            });
        }

        private void processes(JsonParser parser) throws IOException {
            if (parser.currentToken() == JsonToken.START_OBJECT) {
                process(parser, 0);
                return;
            }
            int[] index = {0};
            TolerantJson.elements(parser, value -> process(parser, index[0]++));
        }

        private void process(JsonParser parser, int index) throws IOException {
            while (names.size() <= index) {
                names.add(new RocprofNames());
            }
            RocprofNames known = names.get(index);
            TolerantJson.members(parser, (member, value) -> {
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
            TolerantJson.members(
                    parser,
                    (section, array) -> TolerantJson.elements(parser, value -> {
                        if (value != JsonToken.START_OBJECT) {
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
}
