package io.inferscope.formats.nsys;

import io.inferscope.formats.common.StackSamples;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks of threads that ran on a CPU ({@code nsys profile --sample}). Nsight Systems samples a thread about every
 * millisecond while it runs, and not while it waits, so a sample stands for the time up to the thread's next one, and for
 * no more than {@link #LONGEST_NS}.
 */
final class NsysSamples {
    private static final long USUAL_NS = 1_000_000;
    private static final long LONGEST_NS = 2 * USUAL_NS;

    private final NsysTables tables;
    private final TimelineBuilder builder;

    /** By id of a sample: its stack in the timeline's tree, and the name of its innermost frame. */
    private final Map<Long, Stack> stacks = new HashMap<>();

    private final List<Integer> frames = new ArrayList<>();
    private long sample = SqliteRow.ABSENT;

    /** By thread: the last sample. */
    private final Map<Long, Taken> last = new HashMap<>();

    private record Stack(int id, int frame) {}

    private record Taken(long startNs, Stack stack) {}

    NsysSamples(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
    }

    void read() {
        tables.scan("SAMPLING_CALLCHAINS", this::frame, "id", "symbol", "module");
        endStack();
        tables.scan("COMPOSITE_EVENTS", this::sample, "id", "@start", "globalTid");
        last.forEach((thread, taken) -> add(thread, taken, taken.startNs + USUAL_NS));
    }

    /** Takes a frame. The frames of a sample follow each other, the innermost first. */
    private void frame(SqliteRow row) throws SQLException {
        long id = row.number(0);
        if (id != sample) {
            endStack();
            sample = id;
        }
        String module = tables.texts().text(row.number(2));
        String library = module.substring(Math.max(module.lastIndexOf('/'), module.lastIndexOf('\\')) + 1);
        frames.add(builder.name(tables.texts().text(row.number(1)) + (library.isEmpty() ? "" : " [" + library + ']')));
    }

    private void endStack() {
        int stack = -1;
        for (int i = frames.size() - 1; i >= 0; i--) {
            stack = builder.stack(stack, frames.get(i));
        }
        if (stack >= 0) {
            stacks.put(sample, new Stack(stack, frames.get(0)));
        }
        frames.clear();
    }

    private void sample(SqliteRow row) throws SQLException {
        Stack stack = stacks.get(row.number(0));
        long startNs = row.number(1);
        long thread = row.number(2);
        Taken before = last.get(thread);
        if (stack == null || (before != null && startNs <= before.startNs)) {
            builder.stats().count(Reason.NOT_USED, -1, "COMPOSITE_EVENTS");
            return;
        }
        if (before != null) {
            add(thread, before, Math.min(startNs, before.startNs + LONGEST_NS));
        }
        last.put(thread, new Taken(startNs, stack));
    }

    private void add(long thread, Taken taken, long endNs) {
        StackSamples.add(
                builder, tables.threadTrack(thread), taken.startNs, endNs, taken.stack.id, taken.stack.frame, 1);
    }
}
