package io.inferscope.scope;

/** Where scopes and marks go. Implementations never throw. */
interface Recorder {
    /** Records nothing. */
    Recorder OFF = new Recorder() {
        @Override
        public void span(
                ScopeThread thread, long startNs, long endNs, String name, Activity activity, int depth, long value) {}

        @Override
        public void mark(ScopeThread thread, long timeNs, String name, String metadata) {}

        @Override
        public void close() {}
    };

    void span(ScopeThread thread, long startNs, long endNs, String name, Activity activity, int depth, long value);

    /** Records a moment; {@code metadata} is a JSON object or empty. */
    void mark(ScopeThread thread, long timeNs, String name, String metadata);

    /** Brings everything to its file. */
    void close();
}
