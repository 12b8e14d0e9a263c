package io.inferscope.scope.spool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Lays records out as docs/spool-format.md says, texts that are new to the file before the record that uses them. */
final class RecordEncoder {
    /** More than any record together with all texts it names. */
    static final int MAX_RECORD_BYTES = 4 * (StoredTexts.MAX_BYTES + 24) + 128;

    private final StoredTexts texts = new StoredTexts();
    private final DeviceEncoder devices = new DeviceEncoder(texts);
    private ByteBuffer out = ByteBuffer.allocate(MAX_RECORD_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** Appends {@code entry} to {@code target}, which has room for {@link #MAX_RECORD_BYTES}. */
    void encode(SpoolRecord entry, ByteBuffer target) {
        out = target;
        if (entry instanceof SpoolRecord.Span span) {
            span(span);
        } else if (entry instanceof DeviceRecord device) {
            devices.encode(device, out);
        } else if (entry instanceof SpoolRecord.ThreadState state) {
            threadState(state);
        } else if (entry instanceof SpoolRecord.Mark mark) {
            mark(mark);
        } else if (entry instanceof SpoolRecord.Counter counter) {
            int name = texts.id(counter.name(), out);
            begin(SpoolFormat.COUNTER, 0, 32);
            out.putLong(counter.timeNs())
                    .putDouble(counter.value())
                    .putInt(name)
                    .putInt(counter.pid());
        } else if (entry instanceof SpoolRecord.ThreadName thread) {
            int name = texts.id(thread.name(), out);
            begin(SpoolFormat.THREAD, 0, 32);
            out.putInt(thread.tid())
                    .putInt(name)
                    .putLong(0)
                    .putInt(thread.pid())
                    .putInt(0);
        } else if (entry instanceof SpoolRecord.Clock clock) {
            int domain = texts.id(clock.domain(), out);
            begin(SpoolFormat.CLOCK, 0, 40);
            out.putLong(clock.monotonicNs()).putLong(clock.realtimeNs()).putLong(clock.domainTime());
            out.putInt(domain).putInt(clock.uncertaintyNs());
        } else {
            aboutTheRun(entry);
        }
    }

    private void aboutTheRun(SpoolRecord entry) {
        if (entry instanceof SpoolRecord.ProcessLife process) {
            process(process);
        } else if (entry instanceof SpoolRecord.Coverage coverage) {
            int source = texts.id(coverage.source(), out);
            int why = texts.id(coverage.why(), out);
            begin(SpoolFormat.COVERAGE, 0, 40);
            out.putInt(source).putInt(why).putLong(coverage.recorded()).putLong(coverage.missing());
            out.putInt(coverage.pid()).putShort((short) coverage.status()).putShort((short) 0);
        } else if (entry instanceof SpoolRecord.Overhead overhead) {
            int recorder = texts.id(overhead.recorder(), out);
            begin(SpoolFormat.OVERHEAD, 0, 40);
            out.putLong(overhead.cpuNs()).putLong(overhead.heldUpNs()).putInt(recorder);
            out.putInt(overhead.pid()).putLong(overhead.events());
        } else {
            stacksAndHandOvers(entry);
        }
    }

    private void stacksAndHandOvers(SpoolRecord entry) {
        if (entry instanceof SpoolRecord.Frame frame) {
            int function = texts.id(frame.function(), out);
            int file = texts.id(frame.file(), out);
            begin(SpoolFormat.FRAME, 0, 32);
            out.putInt(frame.id()).putInt(function).putInt(file).putInt(frame.line());
            out.putShort((short) frame.language()).putShort((short) 0).putInt(0);
        } else if (entry instanceof SpoolRecord.Stack stack) {
            begin(SpoolFormat.STACK, 0, 24);
            out.putInt(stack.id())
                    .putInt(stack.callerId())
                    .putInt(stack.frameId())
                    .putInt(0);
        } else if (entry instanceof SpoolRecord.StackSample sample) {
            begin(SpoolFormat.STACK_SAMPLE, 0, 48);
            out.putLong(sample.startNs())
                    .putLong(sample.endNs())
                    .putInt(sample.tid())
                    .putInt(sample.pid());
            out.putInt(sample.stackId())
                    .putInt(sample.samples())
                    .putShort((short) sample.gil())
                    .putShort((short) 0);
            out.putInt(sample.gilHolderTid());
        } else if (entry instanceof SpoolRecord.HandOver handOver) {
            handOver(handOver);
        } else if (entry instanceof SpoolRecord.Request request) {
            request(request);
        } else if (entry instanceof SpoolRecord.Note note) {
            int key = texts.id(note.key(), out);
            int value = texts.id(note.value(), out);
            begin(SpoolFormat.NOTE, 0, 24);
            out.putInt(key).putInt(value).putInt(note.pid()).putInt(0);
        }
    }

    private void handOver(SpoolRecord.HandOver handOver) {
        int name = texts.id(handOver.name(), out);
        int where = texts.id(handOver.where(), out);
        begin(SpoolFormat.HAND_OVER, 0, 64);
        out.putLong(handOver.timeNs()).putLong(handOver.waitStartNs()).putLong(handOver.key());
        out.putInt(handOver.number()).putInt(0).putInt(handOver.tid()).putInt(handOver.pid());
        out.putShort((short) handOver.direction()).putShort((short) handOver.means());
        out.putInt(name).putInt(where).putInt(0);
    }

    private void request(SpoolRecord.Request request) {
        int id = texts.id(request.id(), out);
        int name = texts.id(request.name(), out);
        int detail = texts.id(request.detail(), out);
        begin(SpoolFormat.REQUEST, 0, 56);
        out.putLong(request.arrivalNs()).putLong(request.endNs()).putLong(request.firstAnswerNs());
        out.putInt(request.tid()).putInt(request.pid()).putInt(id).putInt(name);
        out.putInt(request.items()).putInt(detail);
    }

    private void process(SpoolRecord.ProcessLife process) {
        int runtime = texts.id(process.runtime(), out);
        int program = texts.id(process.program(), out);
        int seen = texts.id(process.seen(), out);
        begin(SpoolFormat.PROCESS, 0, 48);
        out.putLong(process.startNs()).putInt(process.pid()).putInt(process.parentPid());
        out.putInt(runtime).putInt(program).putLong(process.endNs()).putInt(process.exitCode());
        out.putInt(seen);
    }

    private void span(SpoolRecord.Span span) {
        int name = texts.id(span.name(), out);
        int where = texts.id(span.where(), out);
        int detail = texts.id(span.detail(), out);
        begin(SpoolFormat.SPAN, span.user() ? SpoolFormat.FLAG_USER : 0, 56);
        out.putLong(span.startNs()).putLong(span.endNs()).putInt(span.tid()).putInt(name);
        out.putShort((short) span.activity()).putShort((short) Math.min(span.depth(), 0xffff));
        out.putInt(where).putLong(span.value()).putInt(detail).putInt(span.pid());
    }

    private void mark(SpoolRecord.Mark mark) {
        int name = texts.id(mark.name(), out);
        int metadata = texts.id(mark.metadata(), out);
        begin(SpoolFormat.MARK, 0, 32);
        out.putLong(mark.timeNs())
                .putInt(mark.tid())
                .putInt(name)
                .putInt(metadata)
                .putInt(mark.pid());
    }

    private void threadState(SpoolRecord.ThreadState state) {
        int detail = texts.id(state.detail(), out);
        begin(SpoolFormat.THREAD_STATE, 0, 88);
        out.putLong(state.startNs())
                .putLong(state.endNs())
                .putLong(state.onCpuNs())
                .putLong(state.runnableNs());
        out.putInt(state.tid())
                .putInt(state.pid())
                .putShort((short) state.reason())
                .putShort((short) 0);
        out.putInt(state.majorFaults()).putInt(state.minorFaults());
        out.putInt(state.voluntarySwitches())
                .putInt(state.involuntarySwitches())
                .putInt(detail);
        out.putLong(state.futexAddress()).putInt(state.holderTid()).putInt(0);
    }

    private void begin(int type, int flags, int length) {
        out.putShort((short) type).putShort((short) flags).putInt(length);
    }
}
