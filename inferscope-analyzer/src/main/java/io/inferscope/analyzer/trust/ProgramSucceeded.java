package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;

/** A program that failed did not do what it was made for: what it did until then says nothing about what to tune. */
final class ProgramSucceeded extends Check {
    ProgramSucceeded() {
        super("program-succeeded");
    }

    @Override
    TrustCheck of(Recorded recorded) {
        return ProgramEnd.isFailure(recorded.timeline())
                ? fail(
                        true,
                        ProgramEnd.sentence(recorded.timeline())
                                .map(sentence -> sentence.substring(0, sentence.length() - 1))
                                .orElse("the program failed"),
                        "fix what its own messages report; `inferscope run` judges programs that end with exit code 0, or by Ctrl-C")
                : pass("no failure of the program is recorded");
    }
}
