package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.FirstMatch;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.LedgerClass;
import org.jspecify.annotations.Nullable;

/**
 * The purpose of code, by the name of a scope or of a Python function ({@code file(line): function}). Other names are
 * judged in {@link FramePatterns} only. A recorder that knows the purpose records it as an Activity, which counts
 * first.
 */
public final class NamePatterns {
    private static final String TABLE = "scopes.tsv";
    private static final String KNOWN = " known";
    private static final FirstMatch<Knowledge.Row> SCOPES = new FirstMatch<>(Knowledge.inAnyCase(TABLE));

    private NamePatterns() {}

    /** Returns the class that a name implies, null if it implies none. */
    static @Nullable LedgerClass domain(String name) {
        return SCOPES.in(name).map(Knowledge::ledgerClass).orElse(null);
    }

    /**
     * Returns whether a name that implies loading does so by more than the word: to load a row of a database is work like
     * any other.
     */
    static boolean isKnownLoading(String name) {
        return SCOPES.in(name).filter(row -> row.means().endsWith(KNOWN)).isPresent();
    }

    /** Returns whether a thread of that name belongs to a recorder that InferScope runs inside the program. */
    static boolean isRecorderThread(String name) {
        return name.startsWith("inferscope-");
    }
}
