package io.inferscope.formats.legacy;

import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Traces of the earlier InferScope, written in Python: its schema 1.0, in all three forms that it accepted. Mapping:
 * docs/formats.md.
 */
public final class InferScopePythonImporter extends Importer {
    private static final Set<String> STAMPS = Set.of("timestamp_us", "timestamp_start_us", "global_ts_us");
    private static final Pattern TYPE = Pattern.compile(
            "\"type\"\\s*:\\s*\"(cpu_call|cpu_return|cpu_syscall|gpu_kernel|h2d_copy|d2h_copy|memory_event|scope(_enter|_exit)?|instant)\"");

    public InferScopePythonImporter() {
        super("inferscope-python", "JSON of the earlier InferScope in Python");
    }

    @Override
    public boolean recognises(TraceHead head) {
        Set<String> names = head.memberNames();
        if (names.contains("traceEvents")) {
            return false;
        }
        boolean list = names.contains("type") && !Collections.disjoint(names, STAMPS);
        boolean object = (names.contains("events") || names.contains("timeline"))
                && (TYPE.matcher(head.text()).find() || names.contains("trace_metadata"));
        return list || object || isReport(names);
    }

    private static boolean isReport(Set<String> names) {
        return names.contains("analysis_version") || names.containsAll(Set.of("report_type", "analysis"));
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        if (isReport(TraceHead.of(source).memberNames())) {
            throw new ImportException(
                    source.file().toString(),
                    "is a report of the earlier InferScope, not a trace",
                    "analyse the trace that the report was made from");
        }
        InferScopePythonEvents events = new InferScopePythonEvents(builder);
        TolerantJson.read(source, builder.stats(), events);
        events.finish();
        source.requireRows(builder, "it holds no event with a time", "record again: inferscope run -- COMMAND");
    }
}
