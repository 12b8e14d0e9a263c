package io.inferscope.scope.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import java.nio.ByteBuffer;

/** Writes records into a block. Texts that are new to the file are written before the record that refers to them. */
final class RecordEncoder {
    /** Upper limit of the size of a record with all its texts. */
    static final int MAX_RECORD_BYTES = 4 * (StoredTexts.MAX_BYTES + 24) + 128;

    private final RecordOutput out;
    private final StoredTexts texts;
    private final DeviceEncoder devices;

    /**
     * Creates an encoder that appends to {@code block}. Before each record the block must have {@link
     * #MAX_RECORD_BYTES} free.
     */
    RecordEncoder(ByteBuffer block) {
        out = new RecordOutput(block);
        texts = new StoredTexts(out);
        devices = new DeviceEncoder(out, texts);
    }

    void encode(SpoolRecord entry) {
        if (entry instanceof SpoolRecord.Span span) {
            span(span);
        } else if (entry instanceof DeviceRecord device) {
            devices.encode(device);
        } else if (entry instanceof SpoolRecord.ThreadState state) {
            threadState(state);
        } else if (entry instanceof SpoolRecord.Mark mark) {
            mark(mark);
        } else if (entry instanceof SpoolRecord.Counter counter) {
            int name = texts.id(counter.name());
            out.record(COUNTER, 0, COUNTER_BYTES)
                    .i64(COUNTER_TIME_NS, counter.timeNs())
                    .i64(COUNTER_VALUE, Double.doubleToRawLongBits(counter.value()))
                    .i32(COUNTER_NAME, name)
                    .i32(COUNTER_PID, counter.pid());
        } else if (entry instanceof SpoolRecord.ThreadName thread) {
            int name = texts.id(thread.name());
            out.record(THREAD, 0, THREAD_BYTES)
                    .i32(THREAD_TID, thread.tid())
                    .i32(THREAD_NAME, name)
                    .i32(THREAD_PID, thread.pid());
        } else if (entry instanceof SpoolRecord.Clock clock) {
            int domain = texts.id(clock.domain());
            out.record(CLOCK, 0, CLOCK_BYTES)
                    .i64(CLOCK_MONOTONIC_NS, clock.monotonicNs())
                    .i64(CLOCK_REALTIME_NS, clock.realtimeNs())
                    .i64(CLOCK_DOMAIN_TIME, clock.domainTime())
                    .i32(CLOCK_DOMAIN, domain)
                    .i32(CLOCK_UNCERTAINTY_NS, clock.uncertaintyNs());
        } else {
            aboutTheRun(entry);
        }
    }

    private void aboutTheRun(SpoolRecord entry) {
        if (entry instanceof SpoolRecord.ProcessLife process) {
            process(process);
        } else if (entry instanceof SpoolRecord.Coverage coverage) {
            int source = texts.id(coverage.source());
            int why = texts.id(coverage.why());
            out.record(COVERAGE, 0, COVERAGE_BYTES)
                    .i32(COVERAGE_SOURCE, source)
                    .i32(COVERAGE_WHY, why)
                    .i64(COVERAGE_RECORDED, coverage.recorded())
                    .i64(COVERAGE_MISSING, coverage.missing())
                    .i32(COVERAGE_PID, coverage.pid())
                    .u16(COVERAGE_STATUS, coverage.status());
        } else if (entry instanceof SpoolRecord.Overhead overhead) {
            int recorder = texts.id(overhead.recorder());
            out.record(OVERHEAD, 0, OVERHEAD_BYTES)
                    .i64(OVERHEAD_CPU_NS, overhead.cpuNs())
                    .i64(OVERHEAD_HELD_UP_NS, overhead.heldUpNs())
                    .i32(OVERHEAD_RECORDER, recorder)
                    .i32(OVERHEAD_PID, overhead.pid())
                    .i64(OVERHEAD_EVENTS, overhead.events());
        } else if (entry instanceof SpoolRecord.Pace pace) {
            out.record(PACE, 0, PACE_BYTES)
                    .i64(PACE_START_NS, pace.startNs())
                    .i64(PACE_END_NS, pace.endNs())
                    .i64(PACE_LAUNCHES, pace.twice() ? 1 : 0)
                    .u16(PACE_DETAIL, pace.detail());
        } else {
            stacksAndNotes(entry);
        }
    }

    private void stacksAndNotes(SpoolRecord entry) {
        if (entry instanceof SpoolRecord.Frame frame) {
            int function = texts.id(frame.function());
            int file = texts.id(frame.file());
            out.record(FRAME, 0, FRAME_BYTES)
                    .i32(FRAME_ID, frame.id())
                    .i32(FRAME_FUNCTION, function)
                    .i32(FRAME_FILE, file)
                    .i32(FRAME_LINE, frame.line())
                    .u16(FRAME_LANGUAGE, frame.language());
        } else if (entry instanceof SpoolRecord.Stack stack) {
            out.record(STACK, 0, STACK_BYTES)
                    .i32(STACK_ID, stack.id())
                    .i32(STACK_CALLER_ID, stack.callerId())
                    .i32(STACK_FRAME_ID, stack.frameId());
        } else if (entry instanceof SpoolRecord.StackSample sample) {
            out.record(STACK_SAMPLE, 0, STACK_SAMPLE_BYTES)
                    .i64(STACK_SAMPLE_START_NS, sample.startNs())
                    .i64(STACK_SAMPLE_END_NS, sample.endNs())
                    .i32(STACK_SAMPLE_TID, sample.tid())
                    .i32(STACK_SAMPLE_PID, sample.pid())
                    .i32(STACK_SAMPLE_STACK_ID, sample.stackId())
                    .i32(STACK_SAMPLE_SAMPLES, sample.samples())
                    .u16(STACK_SAMPLE_GIL, sample.gil())
                    .i32(STACK_SAMPLE_GIL_HOLDER_TID, sample.gilHolderTid())
                    .i64(STACK_SAMPLE_LOOKED_NS, sample.lookedNs())
                    .i64(STACK_SAMPLE_READ_NS, sample.readNs())
                    .u16(STACK_SAMPLE_COLUMN, sample.column())
                    .u16(STACK_SAMPLE_END_COLUMN, sample.endColumn());
        } else if (entry instanceof SpoolRecord.Note note) {
            int key = texts.id(note.key());
            int value = texts.id(note.value());
            out.record(NOTE, 0, NOTE_BYTES)
                    .i32(NOTE_KEY, key)
                    .i32(NOTE_VALUE, value)
                    .i32(NOTE_PID, note.pid());
        }
    }

    private void process(SpoolRecord.ProcessLife process) {
        int runtime = texts.id(process.runtime());
        int program = texts.id(process.program());
        int seen = texts.id(process.seen());
        out.record(PROCESS, 0, PROCESS_BYTES)
                .i64(PROCESS_START_NS, process.startNs())
                .i32(PROCESS_PID, process.pid())
                .i32(PROCESS_PARENT_PID, process.parentPid())
                .i32(PROCESS_RUNTIME, runtime)
                .i32(PROCESS_PROGRAM, program)
                .i64(PROCESS_END_NS, process.endNs())
                .i32(PROCESS_EXIT_CODE, process.exitCode())
                .i32(PROCESS_SEEN, seen);
    }

    private void span(SpoolRecord.Span span) {
        int name = texts.id(span.name());
        int where = texts.id(span.where());
        int detail = texts.id(span.detail());
        out.record(SPAN, span.user() ? SPAN_FLAG_USER : 0, SPAN_BYTES)
                .i64(SPAN_START_NS, span.startNs())
                .i64(SPAN_END_NS, span.endNs())
                .i32(SPAN_TID, span.tid())
                .i32(SPAN_NAME, name)
                .u16(SPAN_ACTIVITY, span.activity())
                .u16(SPAN_DEPTH, Math.min(span.depth(), 0xffff))
                .i32(SPAN_WHERE, where)
                .i64(SPAN_VALUE, span.value())
                .i32(SPAN_DETAIL, detail)
                .i32(SPAN_PID, span.pid());
    }

    private void mark(SpoolRecord.Mark mark) {
        int name = texts.id(mark.name());
        int metadata = texts.id(mark.metadata());
        out.record(MARK, 0, MARK_BYTES)
                .i64(MARK_TIME_NS, mark.timeNs())
                .i32(MARK_TID, mark.tid())
                .i32(MARK_NAME, name)
                .i32(MARK_METADATA, metadata)
                .i32(MARK_PID, mark.pid());
    }

    private void threadState(SpoolRecord.ThreadState state) {
        int detail = texts.id(state.detail());
        out.record(THREAD_STATE, 0, THREAD_STATE_BYTES)
                .i64(THREAD_STATE_START_NS, state.startNs())
                .i64(THREAD_STATE_END_NS, state.endNs())
                .i64(THREAD_STATE_ON_CPU_NS, state.onCpuNs())
                .i64(THREAD_STATE_RUNNABLE_NS, state.runnableNs())
                .i32(THREAD_STATE_TID, state.tid())
                .i32(THREAD_STATE_PID, state.pid())
                .u16(THREAD_STATE_REASON, state.reason())
                .i32(THREAD_STATE_MAJOR_FAULTS, state.majorFaults())
                .i32(THREAD_STATE_MINOR_FAULTS, state.minorFaults())
                .i32(THREAD_STATE_VOLUNTARY_SWITCHES, state.voluntarySwitches())
                .i32(THREAD_STATE_INVOLUNTARY_SWITCHES, state.involuntarySwitches())
                .i32(THREAD_STATE_DETAIL, detail)
                .i64(THREAD_STATE_FUTEX_ADDRESS, state.futexAddress())
                .i32(THREAD_STATE_HOLDER_TID, state.holderTid());
    }
}
