package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContradictionsTest {
    private static final Ledger LEDGER = new Ledger.Builder()
            .add(LedgerClass.CPU_MODEL_COMPUTE, 688)
            .add(LedgerClass.CPU_PYTHON, 100)
            .add(LedgerClass.WAIT_GC, 212)
            .build("thread 7 (MainThread)", LedgerPart.STEADY_STATE, 1000);

    private static List<String> found(Bound bound, String claim, String... diagnosis) {
        return new Contradictions(
                        new BoundVerdict(bound, claim, 0, null, List.of()),
                        List.of(diagnosis),
                        List.of(),
                        List.of(LEDGER),
                        List.of(),
                        "")
                .found();
    }

    @Test
    void aVerdictAgreesWithItsLedger() {
        assertThat(found(Bound.COMPUTE, "Compute-bound: the model computes most of the time on the CPU."))
                .isEmpty();
        assertThat(found(Bound.CPU, "CPU-bound: 10.0% of the steady state goes to work outside the model."))
                .singleElement()
                .asString()
                .startsWith("the verdict is cpu, but steady state of thread 7 (MainThread) has model compute 68.8%");
    }

    @Test
    void sharesInSentencesAreThoseOfTheLedger() {
        assertThat(found(Bound.COMPUTE, "", "86.4% of the steady state is garbage collection"))
                .containsExactly("\"86.4% of the steady state is garbage collection\", but the ledger has 21.2%");
        assertThat(found(Bound.COMPUTE, "", "21.2% of the steady state is garbage collection"))
                .isEmpty();
    }

    @Test
    void whatDominatesIsTheLargestClassOfWork() {
        assertThat(found(Bound.COMPUTE, "", "The program's own Python code dominates CPU time"))
                .hasSize(1);
        assertThat(found(Bound.COMPUTE, "", "The model's computation dominates CPU time"))
                .isEmpty();
        assertThat(found(
                        Bound.BALANCED,
                        "Balanced: no single cause limits the program.",
                        "The model's computation dominates CPU time"))
                .hasSize(1);
    }

    @Test
    void suggestionsComeFromFindings() {
        assertThat(new Contradictions(
                                new BoundVerdict(Bound.COMPUTE, "", 0, null, List.of()),
                                List.of(),
                                List.of("Sleep less."),
                                List.of(LEDGER),
                                List.of(),
                                "")
                        .found())
                .containsExactly("no finding gives the suggestion: Sleep less.");
    }

    @ParameterizedTest
    @CsvSource({
        "env OMP_NUM_THREADS=1 python job.py, true",
        "env OMP_NUM_THREADS=16 python job.py, false",
        "python job.py, false"
    })
    void adviceIsNotWhatTheCommandSetsAlready(String command, boolean followed) {
        Finding finding = new Finding(
                "rule",
                Severity.INFO,
                "claim",
                1,
                0.1,
                "window",
                List.of(),
                List.of(),
                "Start it with `OMP_NUM_THREADS=1`, or use fewer processes.",
                null,
                "not replayed");

        assertThat(new Contradictions(
                                new BoundVerdict(Bound.COMPUTE, "", 0, null, List.of()),
                                List.of(),
                                List.of(),
                                List.of(LEDGER),
                                List.of(finding),
                                command)
                        .found())
                .hasSize(followed ? 1 : 0);
    }

    @Test
    @Tag("traces")
    void noReportOfARealTraceContradictsItself(@TempDir Path folder) throws Exception {
        List<String> all = new ArrayList<>();
        for (Path trace : EveryTrace.forCostlyTests()) {
            Contradictions.of(new Analyzer()
                            .analyze(EveryTrace.timeline(trace, folder), String.valueOf(trace.getFileName())))
                    .forEach(found -> all.add(String.valueOf(trace.getFileName()) + ": " + found));
        }
        assertThat(all).isEmpty();
    }
}
