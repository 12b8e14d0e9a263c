package io.inferscope.formats.export;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The samples of one thread, one after the other without gap or overlap. */
final class SpeedscopeWeights {
    private static final int NO_STACK = -1;

    private final List<Integer> stacks = new ArrayList<>();
    private final List<Long> weightsNs = new ArrayList<>();
    private long startNs;
    private long endNs;

    void add(Timeline timeline, int row, long originNs) {
        long rowStartNs = timeline.startNs(row) - originNs;
        long rowEndNs = timeline.endNs(row) - originNs;
        if (stacks.isEmpty()) {
            startNs = rowStartNs;
            endNs = rowStartNs;
        }
        if (rowStartNs > endNs) {
            stacks.add(NO_STACK);
            weightsNs.add(rowStartNs - endNs);
            endNs = rowStartNs;
        }
        stacks.add((int) timeline.attribute(row, Attribute.STACK));
        weightsNs.add(Math.max(0, rowEndNs - endNs));
        endNs = Math.max(endNs, rowEndNs);
    }

    long startNs() {
        return startNs;
    }

    long endNs() {
        return endNs;
    }

    void write(Timeline timeline, SpeedscopeFrameTable frames, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("samples");
        for (int stack : stacks) {
            json.writeStartArray();
            if (stack != NO_STACK) {
                for (String frame : timeline.stacks().frames(stack)) {
                    json.writeNumber(frames.of(frame));
                }
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("weights");
        for (long weightNs : weightsNs) {
            json.writeNumber(weightNs);
        }
        json.writeEndArray();
    }
}
