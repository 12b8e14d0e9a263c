package io.inferscope.scope.spool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Lays records out as docs/spool-format.md says, texts that are new to the file before the record that uses them. */
final class RecordEncoder {
    /** Texts longer than this are cut: a record has to fit a block. */
    static final int MAX_TEXT_BYTES = 8 * 1024;

    /** More than any record together with all texts it names. */
    static final int MAX_RECORD_BYTES = 4 * (MAX_TEXT_BYTES + 24) + 128;

    /** Texts remembered; one that comes later is stored again each time, so memory stays bounded. */
    private static final int MAX_REMEMBERED = 1 << 16;

    private final Map<String, Integer> ids = new HashMap<>();
    private ByteBuffer out = ByteBuffer.allocate(MAX_RECORD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private int nextId = 1;

    /** Appends {@code entry} to {@code target}, which has room for {@link #MAX_RECORD_BYTES}. */
    void encode(SpoolRecord entry, ByteBuffer target) {
        out = target;
        if (entry instanceof SpoolRecord.Span span) {
            span(span);
        } else if (entry instanceof SpoolRecord.ThreadState state) {
            threadState(state);
        } else if (entry instanceof SpoolRecord.Mark mark) {
            mark(mark);
        } else if (entry instanceof SpoolRecord.Counter counter) {
            int name = string(counter.name());
            begin(SpoolFormat.COUNTER, 0, 32);
            out.putLong(counter.timeNs())
                    .putDouble(counter.value())
                    .putInt(name)
                    .putInt(counter.pid());
        } else if (entry instanceof SpoolRecord.ThreadName thread) {
            int name = string(thread.name());
            begin(SpoolFormat.THREAD, 0, 32);
            out.putInt(thread.tid())
                    .putInt(name)
                    .putLong(0)
                    .putInt(thread.pid())
                    .putInt(0);
        } else if (entry instanceof SpoolRecord.Clock clock) {
            int domain = string(clock.domain());
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
            int source = string(coverage.source());
            int why = string(coverage.why());
            begin(SpoolFormat.COVERAGE, 0, 40);
            out.putInt(source).putInt(why).putLong(coverage.recorded()).putLong(coverage.missing());
            out.putInt(coverage.pid()).putShort((short) coverage.status()).putShort((short) 0);
        } else if (entry instanceof SpoolRecord.Overhead overhead) {
            int recorder = string(overhead.recorder());
            begin(SpoolFormat.OVERHEAD, 0, 40);
            out.putLong(overhead.cpuNs()).putLong(overhead.heldUpNs()).putInt(recorder);
            out.putInt(overhead.pid()).putLong(overhead.events());
        }
    }

    private void process(SpoolRecord.ProcessLife process) {
        int runtime = string(process.runtime());
        int program = string(process.program());
        int seen = string(process.seen());
        begin(SpoolFormat.PROCESS, 0, 48);
        out.putLong(process.startNs()).putInt(process.pid()).putInt(process.parentPid());
        out.putInt(runtime).putInt(program).putLong(process.endNs()).putInt(process.exitCode());
        out.putInt(seen);
    }

    private void span(SpoolRecord.Span span) {
        int name = string(span.name());
        int where = string(span.where());
        int detail = string(span.detail());
        begin(SpoolFormat.SPAN, span.user() ? SpoolFormat.FLAG_USER : 0, 56);
        out.putLong(span.startNs()).putLong(span.endNs()).putInt(span.tid()).putInt(name);
        out.putShort((short) span.activity()).putShort((short) Math.min(span.depth(), 0xffff));
        out.putInt(where).putLong(span.value()).putInt(detail).putInt(span.pid());
    }

    private void mark(SpoolRecord.Mark mark) {
        int name = string(mark.name());
        int metadata = string(mark.metadata());
        begin(SpoolFormat.MARK, 0, 32);
        out.putLong(mark.timeNs())
                .putInt(mark.tid())
                .putInt(name)
                .putInt(metadata)
                .putInt(mark.pid());
    }

    private void threadState(SpoolRecord.ThreadState state) {
        int detail = string(state.detail());
        begin(SpoolFormat.THREAD_STATE, 0, 72);
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
    }

    private void begin(int type, int flags, int length) {
        out.putShort((short) type).putShort((short) flags).putInt(length);
    }

    /** Returns the id of a text, storing it first when the file does not have it yet. */
    private int string(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        Integer known = ids.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        if (length > MAX_TEXT_BYTES) {
            length = MAX_TEXT_BYTES;
            while ((bytes[length] & 0xc0) == 0x80) { // Never in the middle of a character.
                length--;
            }
        }
        int id = nextId++;
        begin(SpoolFormat.STRING, 0, SpoolFormat.align(16 + length));
        out.putInt(id).putInt(length).put(bytes, 0, length);
        while (out.position() % 8 != 0) {
            out.put((byte) 0);
        }
        if (ids.size() < MAX_REMEMBERED) {
            ids.put(text, id);
        }
        return id;
    }
}
