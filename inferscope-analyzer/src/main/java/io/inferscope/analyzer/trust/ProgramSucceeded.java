package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;

/** A failed program did not do its work, so its recording does not show what to tune. */
final class ProgramSucceeded extends Check {
    @Override
    TrustCheck of(RecordingFacts recorded) {
        return ProgramEnd.isFailure(recorded.timeline())
                ? fail(
                        true,
                        ProgramEnd.sentence(recorded.timeline())
                                .map(sentence -> sentence.substring(0, sentence.length() - 1))
                                .orElse("the program failed"),
                        "fix what its own messages report; `inferscope run` judges programs that end with exit code 0, or after a signal such as Ctrl-C")
                : pass("no failure of the program is recorded");
    }
}
