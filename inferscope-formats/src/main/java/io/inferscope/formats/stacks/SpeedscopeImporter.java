package io.inferscope.formats.stacks;

import io.inferscope.formats.common.StackSamples;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.util.List;

/**
 * Speedscope's own JSON, sampled and evented profiles: what py-spy, rbspy and many converters write. The document is
 * read twice, because py-spy writes the names of the frames after the samples that use them. Mapping: docs/formats.md.
 *
 * <p>Source of the format: speedscope's file-format-spec.ts.
 */
public final class SpeedscopeImporter extends Importer {
    public SpeedscopeImporter() {
        super("speedscope", "speedscope JSON (py-spy record --format speedscope)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        boolean members = head.memberNames().containsAll(List.of("profiles", "shared"));
        return head.isJson() && (members || head.contains("speedscope.app/file-format-schema"));
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        SpeedscopeFrames frames = new SpeedscopeFrames();
        TolerantJson.read(source, new ImportStats.Builder(), frames);
        if (frames.measuresBytes()) {
            throw new ImportException(
                    source.file().toString(),
                    "its profiles measure bytes, not time",
                    "record CPU or wall time, for instance with py-spy record --format speedscope");
        }
        if (frames.names().isEmpty()) {
            throw new ImportException(
                    source.file().toString(),
                    "it has no names of stack frames, so its samples show nothing",
                    "the names may stand at its end: copy or record the whole file");
        }
        SpeedscopeProfiles profiles = new SpeedscopeProfiles(builder, frames);
        TolerantJson.read(source, builder.stats(), profiles);
        source.requireRows(builder, "usable sample", "", "record for longer, or copy the file as a whole");
        facts(builder, frames);
        builder.coverage(profiles.coverage());
    }

    /**
     * Adds properties. py-spy leaves out idle time and places the remaining samples of each thread together from zero.
     */
    private static void facts(TimelineBuilder builder, SpeedscopeFrames frames) {
        if (frames.exporter().startsWith("py-spy") || frames.countsSamples()) {
            builder.property(StackSamples.AXIS, StackSamples.PACKED);
        }
        if (frames.countsSamples()) {
            builder.property(StackSamples.ASSUMED_PERIOD, Long.toString(StackSamples.ASSUMED_PERIOD_NS));
        }
        builder.clockDomain(new ClockDomain("speedscope", 0, -1));
    }
}
