package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.FirstMatch;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The purpose of code, by the name of a scope or of a Python function ({@code file(line): function}). Other names are
 * judged in {@link FramePatterns} only. A recorder that knows the purpose records it as an Activity, which counts
 * first.
 */
public final class NamePatterns {
    private static final String TABLE = "scopes.tsv";
    private static final String KNOWN = " known";
    private static final FirstMatch<LedgerClass> CLASSES = new FirstMatch<>(Knowledge.classesInAnyCase(TABLE));

    /** Names that mean loading or compiling wherever they occur. */
    private static final Pattern KNOWN_LOADING_NAME = Pattern.compile(
            Knowledge.rows(TABLE).stream()
                    .filter(row -> row.means().endsWith(KNOWN))
                    .map(Knowledge.Row::pattern)
                    .collect(Collectors.joining("|")),
            Pattern.CASE_INSENSITIVE);

    private static final Pattern MODEL = Pattern.compile(
            "(^|[^a-z])(forward|backward|generate|generation|infer|inference|predict|prefill|model|encoder?)([^a-z]|$)");
    private static final Pattern NEXT_BATCH = Pattern.compile(
            "DataLoader next|enumerate\\(DataLoader\\)#.*|.*DataLoaderIter\\.__next__|## (wait_for|load|next)_batch ##");
    /**
     * First letters of the names of HotSpot's own threads, which the kernel truncates: compilers, collectors, services
     * (OpenJDK 17 to 25).
     */
    private static final List<String> JVM_THREADS = List.of(
            "C1 CompilerThre",
            "C2 CompilerThre",
            "GC Thread#",
            "G1 ",
            "ZWorker",
            "ZDriver",
            "Shenandoah",
            "VM Thread",
            "VM Periodic Tas",
            "Reference Handl",
            "Finalizer",
            "Signal Dispatch",
            "Service Thread",
            "Monitor Deflati",
            "Notification Th",
            "Common-Cleaner",
            "Attach Listener",
            "JFR ");

    private NamePatterns() {}

    /** Returns the class that a name implies, null if it implies none. */
    static @Nullable LedgerClass domain(String name) {
        return CLASSES.in(name).orElse(null);
    }

    /**
     * Returns whether a name that implies loading does so by more than the word: to load a row of a database is work like
     * any other.
     */
    static boolean isKnownLoading(String name) {
        return KNOWN_LOADING_NAME.matcher(name).find();
    }

    /** Returns whether a thread of that name belongs to a recorder that InferScope runs inside the program. */
    static boolean isRecorderThread(String name) {
        return name.startsWith("inferscope-");
    }

    /** Returns whether a thread of that name belongs to a JVM and never runs the program's own code. */
    static boolean isJvmThread(String name) {
        return JVM_THREADS.stream().anyMatch(name::startsWith);
    }

    /** Returns whether a scope is a collective of torch.distributed: on a CPU it mostly waits for other ranks. */
    public static boolean isCollective(String name) {
        return name.startsWith("nccl:") || name.startsWith("gloo:") || name.startsWith("mpi:");
    }

    /** Returns whether an operator of that name is a stage of torch.compile: {@code torch._dynamo.utils.dynamo_timed}. */
    public static boolean isCompileStage(String operator) {
        return operator.endsWith(" (dynamo_timed)");
    }

    /** Returns whether a scope of that name holds the model's own work. */
    static boolean isModel(String name) {
        return MODEL.matcher(name.toLowerCase(java.util.Locale.ROOT)).find();
    }

    /**
     * Returns whether a scope of that name hands the next batch to the step: the data loader's own annotation, the
     * probe's, or a trainer's.
     */
    public static boolean isNextBatch(String name) {
        return NEXT_BATCH.matcher(name).matches();
    }
}
