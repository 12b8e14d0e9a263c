package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Optional;

/**
 * Says which class the time belongs to in which a row is the innermost one on its thread.
 *
 * <p>A row's own meaning counts first (an API call by its name, a range by its recorder's word or its name); a row that is only
 * <em>how</em> something is done (an operator, a helper function) belongs to <em>what</em> is done around it when that is tokenization,
 * preprocessing, serialisation, loading or the profiler.
 */
public final class ActivityClassifier {
    private static final LedgerClass[] CLASSES = LedgerClass.values();

    private final Timeline timeline;
    private final boolean deviceWork;
    private final byte[] classes;
    private final ByName<Optional<LedgerClass>> domains;
    private final ByName<Boolean> framework;
    private final SampledStacks stacks;
    private final Places places;

    ActivityClassifier(Timeline timeline, boolean deviceWork) {
        this.timeline = timeline;
        this.deviceWork = deviceWork;
        this.classes = new byte[timeline.rowCount()];
        this.domains = new ByName<>(id -> Optional.ofNullable(NamePatterns.domain(timeline.text(id))));
        this.framework = new ByName<>(id -> NamePatterns.isFramework(timeline.text(id)));
        this.stacks = new SampledStacks(timeline.stacks(), deviceWork);
        this.places = new Places(timeline, stacks);
    }

    /** Returns the class of a host row. */
    LedgerClass classify(int row) {
        if (classes[row] == 0) {
            classes[row] = (byte) (compute(row).ordinal() + 1);
        }
        return CLASSES[classes[row] - 1];
    }

    /** Returns the class of a host row whose thread is known to be on a CPU: a sample that saw it wait is mistaken. */
    LedgerClass classifyRunning(int row) {
        boolean sampled = timeline.kind(row) == RowKind.STACK_SAMPLE && stack(row) >= 0;
        return sampled ? stacks.classifyRunning(stack(row)) : classify(row);
    }

    private int stack(int row) {
        return (int) Math.max(-1, timeline.attribute(row, Attribute.STACK));
    }

    boolean pythonStacksWithoutNativeFrames() {
        return stacks.hasPythonFrames() && !stacks.hasNativeFrames();
    }

    /** Returns what one sample of a stack sample row stands for, at least 1 ns. */
    long sampleNs(int row) {
        return Math.max(1, timeline.durationNs(row) / Math.max(1, timeline.attribute(row, Attribute.SAMPLES)));
    }

    private LedgerClass compute(int row) {
        RowKind kind = timeline.kind(row);
        return switch (kind) {
            case RUNTIME_CALL, DRIVER_CALL, GRAPH_LAUNCH ->
                ApiCalls.classify(timeline.name(row), timeline.durationNs(row));
            case GC -> LedgerClass.WAIT_GC;
            case OPERATOR -> operator(row);
            case PYTHON_FUNCTION -> pythonFunction(row);
            case ANNOTATION -> annotation(row);
            case STACK_SAMPLE -> stack(row) < 0 ? LedgerClass.UNATTRIBUTED : stacks.classify(stack(row));
            default -> LedgerClass.UNATTRIBUTED;
        };
    }

    private LedgerClass operator(int row) {
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        if (!deviceWork) {
            return LedgerClass.CPU_MODEL_COMPUTE;
        }
        String name = timeline.name(row);
        boolean allocates = name.startsWith("aten::empty") || name.equals("aten::resize_") || name.equals("[memory]");
        return allocates ? LedgerClass.FRAMEWORK_ALLOCATION : LedgerClass.FRAMEWORK_DISPATCH;
    }

    private LedgerClass pythonFunction(int row) {
        Optional<LedgerClass> own = domain(row);
        if (own.isPresent()) {
            return own.get();
        }
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        String name = timeline.name(row);
        if (framework.get(timeline.nameId(row))) {
            return LedgerClass.FRAMEWORK_PYTHON;
        }
        boolean builtIn = name.startsWith("<built-in") && around == LedgerClass.FRAMEWORK_PYTHON;
        return builtIn ? LedgerClass.FRAMEWORK_PYTHON : LedgerClass.CPU_PYTHON;
    }

    private LedgerClass annotation(int row) {
        LedgerClass said = said(Activity.of(timeline.attribute(row, Attribute.ACTIVITY)));
        if (said != LedgerClass.UNATTRIBUTED) {
            return said;
        }
        Optional<LedgerClass> own = domain(row);
        if (own.isPresent()) {
            return own.get();
        }
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        if (NamePatterns.isCollective(timeline.name(row))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.WAIT_UNKNOWN;
        }
        if (NamePatterns.isModel(timeline.name(row))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
        }
        return around == LedgerClass.CPU_MODEL_COMPUTE ? around : LedgerClass.CPU_PYTHON;
    }

    /** The table of docs/spool-format.md. */
    private LedgerClass said(Activity activity) {
        return switch (activity) {
            case UNSPECIFIED -> LedgerClass.UNATTRIBUTED;
            case TOKENIZATION -> LedgerClass.CPU_TOKENIZATION;
            case PREPROCESSING, DATA_LOADING -> LedgerClass.CPU_PREPROCESSING;
            case SERIALIZATION -> LedgerClass.CPU_SERIALIZATION;
            case MODEL -> deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
            case COPY -> LedgerClass.FRAMEWORK_DISPATCH;
            case SYNCHRONISATION -> LedgerClass.FRAMEWORK_SYNC_RETURN;
            case LOAD -> LedgerClass.FRAMEWORK_COMPILE_LOAD;
            case INTERPRETER -> LedgerClass.CPU_PYTHON;
            case GARBAGE_COLLECTION -> LedgerClass.WAIT_GC;
            case PROFILER -> LedgerClass.PROFILER;
        };
    }

    private LedgerClass around(int row) {
        int parent = timeline.parent(row);
        return parent < 0 || !timeline.kind(parent).isHostActivity() ? LedgerClass.UNATTRIBUTED : classify(parent);
    }

    private static boolean isDomain(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case CPU_TOKENIZATION, CPU_PREPROCESSING, CPU_SERIALIZATION, FRAMEWORK_COMPILE_LOAD, PROFILER -> true;
            default -> false;
        };
    }

    private Optional<LedgerClass> domain(int row) {
        return domains.get(timeline.nameId(row));
    }

    /** Returns {@code file:line function} of the innermost user frame around a row, empty when no frame was recorded. */
    String where(int row) {
        return places.where(row);
    }
}
