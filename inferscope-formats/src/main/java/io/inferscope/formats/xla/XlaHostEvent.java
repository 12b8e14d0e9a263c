package io.inferscope.formats.xla;

import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an event on a host thread. XLA does not mark its own ranges or the program's, so they are
 * distinguished by XLA's names, known from recordings and its source.
 *
 * @param kind the row's kind
 * @param name the row's name
 * @param activity the range's activity, null if its name does not show it
 */
record XlaHostEvent(RowKind kind, String name, @Nullable RangeActivity activity) {
    /** The Python tracer's {@code $file.py:31 function}; {@code $} alone begins a built-in. */
    private static final Pattern PYTHON = Pattern.compile("\\$([^\\s:]+):(\\d+) (.*)");

    private static final Pattern PROFILER = Pattern.compile("\\$profiler\\.py:\\d+ (start_trace|stop_trace)");
    private static final Pattern DRIVER = Pattern.compile("cu[A-Z].*");
    private static final Pattern RUNTIME = Pattern.compile("(cuda|hip)[A-Z].*");
    private static final Pattern WAIT =
            Pattern.compile(".*(::Await|BlockHostUntil|BlockUntilReady).*|Wait for .*|.*\\(wait for completion\\).*");
    private static final Pattern COPY =
            Pattern.compile(".*(BufferFromHost|TransferTo|TransferFrom|CopyToDevice|CopyToHost|ToLiteral|Linearize).*");
    private static final Pattern COMPILE = Pattern.compile(
            ".*(::Compile|XlaCompile|backend_compile|CompileModule|CompileToBackend|Autotun|HloPass|RunHloPasses|EmitLlvm).*");
    private static final Pattern FRAMEWORK = Pattern.compile(
            ".*\\w::\\w.*|PjitFunction\\(.*|ParseArguments|Handle (inputs|input event recording)|AllocateOutputBuffers.*|end: .*");

    /** Number of characters that determine the meaning of a text, which may be a whole HLO text. */
    private static final int TELLING_CHARS = 512;

    /** Waiting for an array: jax/_src/api.py. */
    private static final Pattern PYTHON_WAIT = Pattern.compile("\\$api\\.py:\\d+ (block_until_ready|try_to_block)");
    /** XLA's own threads, which run no code of the program. */
    private static final Pattern OWN_THREAD =
            Pattern.compile("(py_xla_execute|tf_pjrt|tf_XLA|pjrt|TfrtCpu|tfrt)\\w*(/.*)?");

    /**
     * The properties that determine the meaning of an event.
     *
     * @param name the event's name
     * @param line the name of its line
     * @param instant whether it takes no time
     * @param operator whether it belongs to an operation
     */
    record Seen(String name, String line, boolean instant, boolean operator) {
        static Seen of(XlaEvent event, String line) {
            String name = event.stepName.isEmpty() ? event.name : event.stepName;
            return new Seen(name, line, event.startNs == event.endNs, !event.hloOp.isEmpty());
        }
    }

    /** Returns the meaning of an event. The same name may be in every event, so callers should look it up once. */
    static XlaHostEvent of(Seen event) {
        String name = event.name;
        if (PROFILER.matcher(name).matches()) {
            return new XlaHostEvent(RowKind.PROFILER_OVERHEAD, name.substring(1), null);
        }
        if (name.startsWith("$")) {
            boolean waits = PYTHON_WAIT.matcher(name).matches();
            return new XlaHostEvent(
                    RowKind.PYTHON_FUNCTION, pythonName(name), waits ? RangeActivity.SYNCHRONISATION : null);
        }
        if (RUNTIME.matcher(name).matches() || DRIVER.matcher(name).matches()) {
            return new XlaHostEvent(callKind(name), name, null);
        }
        if (event.instant) {
            return new XlaHostEvent(RowKind.INSTANT, name, null);
        }
        if (event.operator) {
            return new XlaHostEvent(RowKind.OPERATOR, name, null);
        }
        RangeActivity told = activity(name);
        boolean own = told == null && OWN_THREAD.matcher(event.line).matches();
        return new XlaHostEvent(RowKind.ANNOTATION, name, own ? RangeActivity.MODEL : told);
    }

    private static RowKind callKind(String name) {
        if (name.contains("GraphLaunch")) {
            return RowKind.GRAPH_LAUNCH;
        }
        return RUNTIME.matcher(name).matches() ? RowKind.RUNTIME_CALL : RowKind.DRIVER_CALL;
    }

    /** Returns {@code file.py(31): function}, the common form of Python functions. */
    private static String pythonName(String name) {
        Matcher python = PYTHON.matcher(name);
        return python.matches()
                ? python.group(1) + '(' + python.group(2) + "): " + python.group(3)
                : "<built-in> " + name.substring(1);
    }

    /** Returns the beginning of a text, which determines its meaning. */
    static String telling(String text) {
        return text.length() > TELLING_CHARS ? text.substring(0, TELLING_CHARS) : text;
    }

    private static @Nullable RangeActivity activity(String whole) {
        String name = telling(whole);
        if (WAIT.matcher(name).matches()) {
            return RangeActivity.SYNCHRONISATION;
        }
        if (COMPILE.matcher(name).matches()) {
            return RangeActivity.LOAD;
        }
        if (name.equals("PythonRefManager::CollectGarbage")) {
            return RangeActivity.GARBAGE_COLLECTION;
        }
        if (COPY.matcher(name).matches()) {
            return RangeActivity.COPY;
        }
        return FRAMEWORK.matcher(name).matches() ? RangeActivity.MODEL : null;
    }
}
