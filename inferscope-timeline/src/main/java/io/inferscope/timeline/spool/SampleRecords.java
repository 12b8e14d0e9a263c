package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns the stacks and samples of one spool into rows. Frames and stacks are stored before the records that name them,
 * but for the inner frames of some stacks, which the recorder stores again when it knows those.
 */
final class SampleRecords {
    private static final Frame.Language[] LANGUAGES = Frame.Language.values();

    private final SpoolFields fields;
    private final TimelineBuilder builder;
    private final Map<Integer, Integer> frameNames = new HashMap<>();
    private final Map<Integer, Integer> stacks = new HashMap<>();

    /** Stacks whose inner frames come later, if the recorder lived to store them. */
    private final Set<Integer> unfinished = new HashSet<>();

    private final List<Sample> samplesOfThem = new ArrayList<>();

    private record Sample(
            int track,
            long startNs,
            long endNs,
            int stack,
            long samples,
            long gil,
            long holder,
            long lookedNs,
            long readNs,
            long columns) {}

    SampleRecords(SpoolFields fields) {
        this.fields = fields;
        this.builder = fields.run().builder();
    }

    void frame(SpoolRecordView view) {
        int language = view.u16(FRAME_LANGUAGE);
        Frame frame = Frame.of(
                language < LANGUAGES.length ? LANGUAGES[language] : Frame.Language.OTHER,
                fields.text(view, FRAME_FUNCTION),
                fields.text(view, FRAME_FILE),
                view.i32(FRAME_LINE));
        frameNames.put(view.i32(FRAME_ID), builder.frame(frame));
    }

    void stack(SpoolRecordView view) {
        int id = view.i32(STACK_ID);
        int caller = view.i32(STACK_CALLER_ID);
        Integer callerStack = caller == 0 ? Integer.valueOf(-1) : stacks.get(caller);
        int frameId = view.i32(STACK_FRAME_ID);
        if (frameId == 0 && callerStack != null) {
            unfinished.add(id);
            stacks.put(id, callerStack);
            return;
        }
        Integer frame = frameNames.get(frameId);
        if (callerStack == null || frame == null) {
            stacks.remove(id);
            fields.count(Reason.UNKNOWN_FRAME, view, "stack " + id);
        } else {
            stacks.put(id, builder.stack(callerStack, frame));
        }
    }

    /** Adds a row, unless the thread runs no code of the language. */
    void sample(SpoolRecordView view) {
        long startNs = view.i64(STACK_SAMPLE_START_NS);
        long endNs = view.i64(STACK_SAMPLE_END_NS);
        int pid = fields.pid(view, STACK_SAMPLE_PID);
        if (!fields.isPlausible(view, startNs) || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        fields.seen(pid, endNs);
        int id = view.i32(STACK_SAMPLE_STACK_ID);
        Integer stack = stacks.get(id);
        if (stack == null) {
            if (id != 0) {
                fields.count(Reason.UNKNOWN_FRAME, view, "sample of stack " + id);
            }
            return;
        }
        int column = view.u16(STACK_SAMPLE_COLUMN);
        Sample sample = new Sample(
                fields.run().thread(pid, view.i32(STACK_SAMPLE_TID)),
                startNs,
                endNs,
                id,
                view.u32(STACK_SAMPLE_SAMPLES),
                view.u16(STACK_SAMPLE_GIL),
                view.u32(STACK_SAMPLE_GIL_HOLDER_TID),
                view.i64(STACK_SAMPLE_LOOKED_NS),
                view.i64(STACK_SAMPLE_READ_NS),
                (long) column << 16 | (column == 0 ? 0 : view.u16(STACK_SAMPLE_END_COLUMN)));
        if (unfinished.contains(id)) {
            samplesOfThem.add(sample);
        } else {
            add(sample, stack);
        }
    }

    /** Adds the samples whose stacks have all their frames now. */
    void finish() {
        for (Sample sample : samplesOfThem) {
            int stack = stacks.getOrDefault(sample.stack, -1);
            if (stack >= 0) {
                add(sample, stack);
            }
        }
    }

    private void add(Sample sample, int stack) {
        int row = builder.row(
                RowKind.STACK_SAMPLE, sample.track, sample.startNs, sample.endNs, builder.frameNameId(stack));
        builder.attribute(row, Attribute.STACK, stack);
        set(row, Attribute.SAMPLES, sample.samples, 1);
        set(row, Attribute.GIL, sample.gil, 0);
        set(row, Attribute.OTHER_THREAD, sample.holder, 0);
        setInstant(row, Attribute.LOOKED_NS, sample.lookedNs, sample.startNs);
        setInstant(row, Attribute.FRAMES_READ_NS, sample.readNs, sample.startNs);
        set(row, Attribute.COLUMNS, sample.columns, 0);
    }

    private void setInstant(int row, Attribute attribute, long instantNs, long startNs) {
        if (instantNs != 0) {
            builder.attribute(row, attribute, instantNs - startNs);
        }
    }

    private void set(int row, Attribute attribute, long value, long usual) {
        if (value != usual) {
            builder.attribute(row, attribute, value);
        }
    }
}
