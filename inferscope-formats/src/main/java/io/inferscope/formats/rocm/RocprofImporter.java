package io.inferscope.formats.rocm;

import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;

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
}
