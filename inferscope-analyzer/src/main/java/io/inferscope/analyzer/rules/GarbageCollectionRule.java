package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports pauses of the garbage collector. Basis and threshold: docs/rules/garbage-collection.md. */
final class GarbageCollectionRule extends WaitRule {
    GarbageCollectionRule() {
        super(
                info("garbage-collection", "The program waits for garbage collection"),
                "Garbage collection stops the program for {cost}, {share} of the {part}.",
                LedgerClass.WAIT_GC,
                0.05);
    }
}
