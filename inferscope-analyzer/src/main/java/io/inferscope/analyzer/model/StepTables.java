package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.BASIS;
import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.ID;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.POINT;
import static io.inferscope.analyzer.model.ColumnKind.RATIO;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;
import static io.inferscope.analyzer.model.ColumnKind.WORDS_OR_NONE;

import io.inferscope.analyzer.model.Report.Stretch;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows about phases and steps: start-up, the recurring steps, and the time of one step by cause. docs/steps.md describes
 * how they are found.
 */
public final class StepTables {
    private StepTables() {}

    public static final TableId<PhaseFigures> PHASES = new TableId<>("phases", PhaseFigures.class);

    /** A phase of the window. */
    public record PhaseFigures(PhaseKind kind, Stretch stretch, String evidence, Ledger ledger) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("phase", ID, "Phase", kind).doc("`before`, `load`, `compile`, `warm-up`, `steady-state` or `after`");
            to.shown(POINT, "From", stretch.startNs());
            to.shown(NS, "Time", stretch.durationNs());
            to.stretch(stretch);
            to.add("evidence", WORDS, "Known by", evidence).doc("what it is known by");
            boolean empty = ledger.entries().isEmpty();
            to.shown(CLASS, "Most of it", empty ? "" : ledger.entries().get(0).ledgerClass());
            to.shown(
                    RATIO,
                    "Share",
                    empty ? "" : ledger.share(ledger.entries().get(0).ns()));
            to.classes(ledger);
        }
    }

    public static final TableId<StepFigures> STEPS = new TableId<>("steps", StepFigures.class);

    /** Steps of one kind: those of the steady state if there is one, otherwise all. */
    public record StepFigures(
            String name,
            String kind,
            String source,
            String phase,
            long count,
            long medianNs,
            long p95Ns,
            long maxNs,
            @Nullable Long medianBusyNs,
            @Nullable Long medianIdleNs,
            List<StepCause> causes)
            implements Row {
        /** Returns the name with the kind, {@code forward LlamaForCausalLM, decode}. */
        public String label() {
            return kind.isEmpty() ? name : name + ", " + kind;
        }

        /** Keeps the causes as they are. */
        public StepFigures {
            causes = List.copyOf(causes);
        }

        /** Returns its idle time in ns, 0 without devices. */
        public long recordedIdleNs() {
            return Objects.requireNonNullElse(medianIdleNs, 0L);
        }

        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Step", name).doc("what recurs");
            to.add("kind", WORDS_OR_NONE, "Kind", kind)
                    .doc("`prefill`, `decode` or `mixed`; null where no evidence tells");
            to.add("source", WORDS, "Known by", source).doc("what they are known by");
            to.add("phase", WORDS_OR_NONE, "", phase).doc("the phase they lie in; null without a steady state");
            to.add("count", COUNT, "Count", count).doc("steps of the steady state, or all without one");
            to.add("medianNs", NS, "Median", medianNs).doc("median length");
            to.add("p95Ns", NS, "p95", p95Ns).doc("95th percentile of that");
            to.add("maxNs", NS, "Longest", maxNs).doc("length of the longest step");
            to.add("medianBusyNs", NS_OR_NONE, "GPU busy, median", medianBusyNs)
                    .doc("median time of a step in which the headline device was busy");
            to.add("medianIdleNs", NS_OR_NONE, "GPU idle, median", medianIdleNs)
                    .doc("median time of a step in which it was idle");
            to.rows("causes", StepCause.class, causes)
                    .doc("what that idle time was spent on, or, without devices, the step itself; largest first");
        }
    }

    /** One cause of a step's idle time, or of its length. */
    public record StepCause(
            LedgerClass cause,
            long medianNs,
            long totalNs,
            String thread,
            String activity,
            String where,
            long placeNs,
            boolean estimated)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("cause", CLASS, "", cause).doc("the class of the ledger");
            to.add("medianNs", NS, "", medianNs).doc("median per step");
            to.add("totalNs", NS, "", totalNs).doc("over all steps");
            to.add("thread", NAME_OR_NONE, "", thread).doc("the thread with most of it");
            to.add("activity", NAME_OR_NONE, "", activity)
                    .doc("innermost scope, operator, function or call of most of it");
            to.add("where", NAME_OR_NONE, "", where).doc("`file:line function` of most of it");
            to.add("placeNs", NS, "", placeNs).doc("the part of the total at that place");
            to.add("basis", BASIS, "", estimated).doc("`measured` or `estimated`");
        }
    }

    public static final TableId<OperatorIdle> IDLE_OPERATORS = new TableId<>("idleOperators", OperatorIdle.class);

    /** Idle time of the headline device under one operator. */
    public record OperatorIdle(String name, LedgerClass cause, long ns) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Operator", name).doc("the innermost framework operator around what was waited for");
            to.add("cause", CLASS, "Most of it", cause).doc("the class of the ledger with most of it");
            to.add("ns", NS, "Idle", ns).doc("the idle time in the window");
        }
    }

    public static final TableId<GapFigures> LARGEST_GAPS = new TableId<>("largestGaps", GapFigures.class);

    /** One idle gap of the headline device. */
    public record GapFigures(
            Stretch stretch, LedgerPart phase, LedgerClass cause, String thread, String activity, String where)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.shown(POINT, "From", stretch.startNs());
            to.shown(NS, "Idle", stretch.durationNs());
            to.stretch(stretch);
            to.add("phase", ID, "Part", phase).doc("`head`, `span` or `tail`");
            to.add("cause", CLASS, "Cause", cause).doc("the class of the ledger of most of it");
            to.add("thread", NAME_OR_NONE, "", thread).doc("the thread that was waited for");
            to.add("activity", NAME_OR_NONE, "Activity", activity)
                    .doc("innermost scope, operator, function or call of most of it");
            to.add("where", NAME_OR_NONE, "Line", where).doc("`file:line` of most of it");
            to.shown(NAME, "Thread", thread);
        }
    }
}
