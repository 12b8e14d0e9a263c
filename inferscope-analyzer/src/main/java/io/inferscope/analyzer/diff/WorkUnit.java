package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.LedgerPart;

/** What a comparison divides recordings by. */
public enum WorkUnit implements HasStableId {
    STEP,
    /** From a request's arrival to the end of its answer. */
    REQUEST,
    SPAN,
    /** The whole recording. */
    WINDOW;

    static WorkUnit of(LedgerPart whole) {
        return whole == LedgerPart.SPAN ? SPAN : WINDOW;
    }
}
