package io.inferscope.scope;

import java.util.Map;

/**
 * A named stretch of work on the thread that opened it.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open("tokenize", Activity.TOKENIZATION)) {
 *     ids = tokenizer.encode(text);
 *     scope.value(ids.length);
 * }
 * }</pre>
 *
 * <p>Scopes nest. Recording never fails the program: what cannot be recorded is dropped and counted. {@code
 * INFERSCOPE_ENABLED=0} or {@code -Dinferscope.enabled=false} turns everything off; opening a scope then costs one
 * branch.
 */
public final class Scope implements AutoCloseable {
    private static final Scope OFF = new Scope(Recorder.OFF, ScopeThread.NONE, "", Activity.UNSPECIFIED, 0, 0);

    private final Recorder recorder;
    private final ScopeThread thread;
    private final String name;
    private final Activity activity;
    private final int depth;
    private final long startNs;
    private long value;
    private boolean closed;

    private Scope(Recorder recorder, ScopeThread thread, String name, Activity activity, int depth, long startNs) {
        this.recorder = recorder;
        this.thread = thread;
        this.name = name;
        this.activity = activity;
        this.depth = depth;
        this.startNs = startNs;
    }

    /** Opens a scope; closing it records the time between. */
    public static Scope open(String name) {
        return open(name, Activity.UNSPECIFIED);
    }

    /** Opens a scope whose work is of a known kind, so the report does not guess from the name. */
    public static Scope open(String name, Activity activity) {
        Recorder recorder = Recorders.current();
        if (recorder == Recorder.OFF) {
            return OFF;
        }
        ScopeThread thread = ScopeThread.current();
        return new Scope(recorder, thread, name, activity, ++thread.depth, System.nanoTime());
    }

    /** Records that something happened now. */
    public static void mark(String name) {
        mark(name, Map.of());
    }

    /** Records an event at this moment, with metadata. Never put secrets into metadata: the report shows it. */
    public static void mark(String name, Map<String, ?> metadata) {
        Recorder recorder = Recorders.current();
        if (recorder != Recorder.OFF) {
            recorder.mark(ScopeThread.current(), System.nanoTime(), name, Json.object(metadata));
        }
    }

    /** Sets how much the scope processed: tokens, items or bytes. The scope's name should say which. */
    public Scope value(long count) {
        if (recorder != Recorder.OFF) {
            value = count;
        }
        return this;
    }

    /** Ends the scope. A second call does nothing. */
    @Override
    public void close() {
        if (closed || recorder == Recorder.OFF) {
            return;
        }
        closed = true;
        thread.depth = Math.min(thread.depth, depth - 1);
        recorder.span(thread, startNs, System.nanoTime(), name, activity, depth, value);
    }
}
