package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports loading and compiling that is waited for. Basis and threshold: docs/rules/compile-load.md. */
final class CompileLoadRule extends WaitRule {
    CompileLoadRule() {
        super("compile-load", "Loading and compiling are waited for", LedgerClass.FRAMEWORK_COMPILE_LOAD, 0.10);
    }

    /** Loading belongs to start-up: the whole window counts. */
    @Override
    Ledger ledger(Analysis analysis) {
        return HostShare.window(analysis);
    }

    @Override
    String claim() {
        return "Loading libraries and models, and compiling, take {cost}, {share} of the {part}.";
    }
}
