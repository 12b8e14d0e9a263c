package io.inferscope.scope;

import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the recorder of this process, once: a run's spool, a trace file of its own, or none. */
final class Recorders {
    /** The words for no of the setting {@code enabled}. */
    private static final Set<String> NO = Set.of("0", "false", "off", "no");

    private Recorders() {}

    /** Made by the first scope or mark. */
    private static final class Holder {
        static final Recorder CURRENT = forThisProcess();
    }

    static Recorder current() {
        return Holder.CURRENT;
    }

    private static Recorder forThisProcess() {
        try {
            Recorder recorder = choose(System.getenv(), System.getProperty("inferscope.trace.file"));
            if (recorder != Recorder.OFF) {
                Runtime.getRuntime().addShutdownHook(new Thread(recorder::close, "inferscope-close"));
            }
            return recorder;
        } catch (IOException | RuntimeException failedOpen) {
            System.err.println("inferscope: scopes are not recorded: " + failedOpen);
            return Recorder.OFF;
        }
    }

    static Recorder choose(Map<String, String> environment, @Nullable String traceFile) throws IOException {
        if (!isOn(environment)) {
            return Recorder.OFF;
        }
        int pid = (int) ProcessHandle.current().pid();
        String spools = environment.getOrDefault("INFERSCOPE_SPOOL_DIR", "");
        if (!spools.isEmpty()) {
            return new SpoolRecorder(
                    SpoolWriter.open(Path.of(spools), "scope-java", pid, SpoolWriter.maxBytesFromEnvironment()));
        }
        Path folder = Path.of(environment.getOrDefault("INFERSCOPE_TRACE_DIR", "outputs"));
        return new TraceFileRecorder(
                traceFile != null ? Path.of(traceFile) : folder.resolve("trace_scope_" + pid + ".json"), pid);
    }

    /** Returns whether anything may be recorded. */
    static boolean isOn(Map<String, String> environment) {
        String enabled =
                environment.getOrDefault("INFERSCOPE_ENABLED", "").strip().toLowerCase(Locale.ROOT);
        return !NO.contains(enabled) && !"false".equals(System.getProperty("inferscope.enabled"));
    }
}
