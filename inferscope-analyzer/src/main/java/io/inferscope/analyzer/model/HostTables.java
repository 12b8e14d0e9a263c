package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.ERROR_NS;
import static io.inferscope.analyzer.model.ColumnKind.FLAG;
import static io.inferscope.analyzer.model.ColumnKind.ID;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.VALUE;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;

import org.jspecify.annotations.Nullable;

/** Rows about what a run recorded besides activity: the time of the judged host thread by place, requests, and the machine. */
public final class HostTables {
    private HostTables() {}

    public static final TableId<PlaceFigures> HOST_TIME = new TableId<>("hostTime", PlaceFigures.class);

    /** Time of the host thread with one cause at one place. */
    public record PlaceFigures(
            String thread,
            boolean followed,
            LedgerClass cause,
            ThreadState state,
            String activity,
            String where,
            long ns,
            long pieces,
            boolean estimated,
            long boundNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("thread", NAME, "", thread)
                    .doc("the thread at work: the judged one, or, with `followed`, the one that it waited for");
            to.add("followed", FLAG, "", followed).doc("whether it is another thread than the judged one");
            to.add("cause", CLASS, "Cause", cause).doc("the class of the ledger");
            to.shown(NAME, "Thread", thread);
            to.add("state", ID, "State", state).doc("the judged thread's state meanwhile");
            to.add("activity", NAME_OR_NONE, "Activity", activity).doc("innermost scope, operator, function or call");
            to.add("where", NAME_OR_NONE, "Where", where)
                    .doc("`file:line function` of the innermost line of the program's own code");
            to.add("ns", NS, "Time", ns).doc("the time");
            to.add("pieces", COUNT, "", pieces).doc("how many pieces of time it is put together from");
            to.basis(estimated, boundNs);
        }
    }

    public static final TableId<HolderFigures> WAITED_FOR = new TableId<>("waitedFor", HolderFigures.class);

    /** Threads that worked while the host thread waited. */
    public record HolderFigures(LedgerClass cause, String thread, String where, long ns, HolderEvidence known)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("cause", CLASS, "Waited for", cause).doc("what the judged thread waited for");
            to.add("thread", NAME, "Thread", thread)
                    .doc("process and thread that held the lock or the GIL, or had the CPU");
            to.add("where", NAME_OR_NONE, "Where", where).doc("what that ran: `file:line function`");
            to.add("ns", NS, "Time", ns).doc("for how long");
            to.add("known", ID, "Known by", known).doc("`recorded`, or `at work meanwhile` for the best guess");
        }
    }

    public static final TableId<RequestFigures> REQUESTS = new TableId<>("requests", RequestFigures.class);

    public record RequestFigures(
            String name,
            String process,
            long count,
            long medianNs,
            long p95Ns,
            long p99Ns,
            long maxNs,
            @Nullable Long medianFirstNs,
            @Nullable Long p95FirstNs,
            long items,
            @Nullable Long waitedNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Request", name).doc("method and route, or the engine");
            to.add("process", NAME, "Process", process).doc("the process that answered");
            to.add("count", COUNT, "Count", count).doc("requests of this name");
            to.add("medianNs", NS, "Median", medianNs).doc("median time from arrival to the end of the answer");
            to.add("p95Ns", NS, "p95", p95Ns).doc("95th percentile of that");
            to.add("p99Ns", NS, "p99", p99Ns).doc("99th percentile of that");
            to.add("maxNs", NS, "Longest", maxNs).doc("the longest such time");
            to.add("medianFirstNs", NS_OR_NONE, "First, median", medianFirstNs)
                    .doc("median time to the first byte or token");
            to.add("p95FirstNs", NS_OR_NONE, "First, p95", p95FirstNs).doc("95th percentile of that");
            to.add("items", COUNT, "", items).doc("tokens or chunks of all answers; 0 where not recorded");
            to.shown(COUNT, "Tokens or chunks", items == 0 ? "" : items);
            to.add("waitedNs", NS_OR_NONE, "Before the handler", waitedNs)
                    .doc("the time from arrival to the call of what answers, summed; null where not recorded");
        }
    }

    public static final TableId<CounterFigures> MACHINE = new TableId<>("machine", CounterFigures.class);

    /** A counter of the machine or of a process. */
    public record CounterFigures(
            String process,
            String name,
            long samples,
            double first,
            double last,
            double least,
            double most,
            double growth)
            implements Row {
        /** Returns the name without labels. */
        public String plainName() {
            int labels = name.indexOf('{');
            return labels < 0 ? name : name.substring(0, labels);
        }

        @Override
        public void columns(Columns to) {
            to.add("process", NAME_OR_NONE, "", process).doc("the process; null for the machine's counters");
            to.add("name", WORDS, "", name).doc("the counter; its unit ends its name");
            to.add("samples", COUNT, "", samples).doc("how often it was read");
            to.add("first", VALUE, "", first).doc("its first value");
            to.add("last", VALUE, "", last).doc("its last value");
            to.add("least", VALUE, "", least).doc("its smallest value");
            to.add("most", VALUE, "", most).doc("its largest value");
            to.add("growth", VALUE, "", growth)
                    .doc("by how much it grew, where it only counts up; a counter that starts anew goes on from there");
        }
    }

    public static final TableId<NativeModuleFigures> NATIVE_MODULES =
            new TableId<>("nativeModules", NativeModuleFigures.class);

    /** Stack samples taken in one library or executable of one process. */
    public record NativeModuleFigures(
            String process, String module, long samples, long selfNs, long boundNs, String path, String buildId)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("process", NAME, "Process", process).doc("the process");
            to.add("module", NAME, "Library", module)
                    .doc("file name of the library or executable; `kernel`; `jit` for code generated in the process");
            to.add("samples", COUNT, "Samples", samples)
                    .doc("samples whose innermost function is in it, without waits");
            to.add("selfNs", NS, "Self", selfNs).doc("the time they stand for");
            to.add("boundNs", ERROR_NS, "Off by at most", boundNs).doc("how far that may be off, either way");
            to.add("path", NAME_OR_NONE, "Path", path)
                    .doc(
                            "its path in the file system of the process, all paths if several files have the name; null if not recorded");
            to.add("buildId", NAME_OR_NONE, "Build id", buildId)
                    .doc(
                            "the build id that its linker wrote, in the order of the paths; null if it has none, or not recorded");
        }
    }
}
