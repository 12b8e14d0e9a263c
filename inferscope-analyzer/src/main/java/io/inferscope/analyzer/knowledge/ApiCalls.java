package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;

/** What a call of a device's runtime or driver does, by its name: the table {@code calls.tsv}. */
public final class ApiCalls {
    private static final List<Knowledge.Meaning<LedgerClass>> CALLS = Knowledge.classes("calls.tsv");

    private ApiCalls() {}

    /** Returns whether a call makes a stream wait for an event. */
    public static boolean isStreamWait(String name) {
        return name.contains("StreamWaitEvent");
    }

    /** Returns whether the call submits work to a device. */
    public static boolean isLaunch(String name) {
        return LaunchCalls.contains(name);
    }

    /** Returns whether the call waits for a device. */
    public static boolean isSynchronising(String name) {
        return Knowledge.whole(CALLS, name) == LedgerClass.FRAMEWORK_SYNC_RETURN;
    }

    /** Takes a call, and when all calls of its thread before it have ended, in ns. */
    public interface Following {
        void take(int call, long calledNs);
    }

    /** Passes on the calls of a thread but the first. */
    public static void forEachAfterAnother(Timeline timeline, int track, Following to) {
        long calledNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            RowKind kind = timeline.kind(row);
            if (kind == RowKind.RUNTIME_CALL || kind == RowKind.DRIVER_CALL || kind == RowKind.GRAPH_LAUNCH) {
                if (calledNs != Long.MIN_VALUE) {
                    to.take(row, calledNs);
                }
                calledNs = Math.max(calledNs, timeline.endNs(row));
            }
        }
    }

    /** Returns whether the call loads code for a device. */
    public static boolean loadsCode(String name) {
        return NameRole.LOADS_CODE.in(name);
    }

    /** Returns whether the call unloads code for a device. */
    public static boolean unloadsCode(String name) {
        return NameRole.UNLOADS_CODE.in(name);
    }

    /** Returns whether the call allocates or frees memory of a device, or host memory that a device can read. */
    public static boolean isAllocation(String name) {
        return Knowledge.whole(CALLS, name) == LedgerClass.FRAMEWORK_ALLOCATION;
    }

    /**
     * A query that takes this long creates the context, as the first call into the driver. Other queries take
     * microseconds.
     */
    private static final long FIRST_CALL_NS = 10_000_000;

    /**
     * Returns whether a call may create the context, as the first call into the driver, although its name is not that
     * of a load.
     */
    public static boolean makesContext(String name) {
        return NameRole.LIKE_CUDA.in(name) && classify(name) != LedgerClass.FRAMEWORK_COMPILE_LOAD;
    }

    public static LedgerClass classify(String name) {
        LedgerClass known = Knowledge.whole(CALLS, name);
        if (isLaunch(name) && known != LedgerClass.FRAMEWORK_SYNC_RETURN) {
            return LedgerClass.FRAMEWORK_LAUNCH;
        }
        return known == null ? LedgerClass.FRAMEWORK_DISPATCH : known;
    }

    /**
     * Returns the class of a call that took {@code durationNs}, given the class of its name. Before the first use of a
     * device, a memory call may create the context: {@code cudaFree(0)} is the usual way to do so.
     */
    public static LedgerClass lasting(LedgerClass ofName, long durationNs, boolean beforeUse) {
        boolean first =
                ofName == LedgerClass.FRAMEWORK_DISPATCH || (ofName == LedgerClass.FRAMEWORK_ALLOCATION && beforeUse);
        return first && durationNs >= FIRST_CALL_NS ? LedgerClass.FRAMEWORK_COMPILE_LOAD : ofName;
    }

    /** Returns the innermost operator around a launch call, -1 for none. */
    public static int operatorOf(Timeline timeline, int launch) {
        return launch < 0 ? -1 : timeline.enclosing(launch, RowKind.OPERATOR);
    }
}
