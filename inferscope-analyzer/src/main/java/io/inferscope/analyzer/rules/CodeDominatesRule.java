package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.SampledCode;
import io.inferscope.analyzer.tables.Tables;

/** Reports a program's own code that is not Python. Basis and threshold: docs/rules/code-dominates.md. */
final class CodeDominatesRule extends HostClassesRule {
    private static final Threshold NAMELESS = new Threshold(
            "code-dominates.nameless-share",
            0.25,
            "time in functions whose names are not known, of that code's sampled time: the advice then says how to get names");

    CodeDominatesRule() {
        super(
                info("code-dominates", "The program waits for code of its own that is not Python, or is not known")
                        .limits(NAMELESS),
                0.20,
                "the program's own code takes",
                LedgerClass.CPU_CODE,
                LedgerClass.CPU_UNKNOWN);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        if (ledger.ns(LedgerClass.CPU_UNKNOWN) > ledger.ns(LedgerClass.CPU_CODE)) {
            finding.claim("Host code takes {cost}, {share} of the {part}, and no recorded frame shows what it is.");
            return HostShare.places(finding, analysis, classes)
                    .advice(Advice.against(LedgerClass.CPU_UNKNOWN, analysis))
                    .saves(analysis, classes, "none of it is waited for");
        }
        finding.claim("The program's own code takes {cost}, {share} of the {part}.");
        SampledCode sampled = Tables.of(analysis).sampledOfSubject(finding.part());
        sampled.narrowestOfHalf(LedgerClass.CPU_CODE)
                .filter(place -> 2 * place.ns() >= ledger.ns(LedgerClass.CPU_CODE)) // Most may be on other threads.
                .ifPresent(place -> finding.place("with what it calls", place.function(), place.ns(), place.samples()));
        HostShare.places(finding, analysis, classes);
        String advice = Advice.against(LedgerClass.CPU_CODE, analysis);
        SampledCode.Nameless nameless = sampled.nameless(LedgerClass.CPU_CODE);
        if (nameless.ns() > 0 && nameless.ns() >= analysis.threshold(NAMELESS) * nameless.allNs()) {
            finding.place("functions without names", nameless.file(), nameless.ns(), 1);
            advice = naming(nameless) + " " + advice;
        }
        return finding.advice(advice).saves(analysis, classes, "none of it is waited for");
    }

    private static String naming(SampledCode.Nameless nameless) {
        if (!nameless.file().equals("jit")) {
            return "Functions of `" + nameless.file()
                    + "` have no names here: build it with `-g`, do not strip it, and record again.";
        }
        String how = nameless.engine().equals("node")
                ? "start `node` with `--perf-basic-prof`"
                : "let the engine write `/tmp/perf-PID.map` (`--perf-basic-prof` of V8, `DOTNET_PerfMapEnabled=1` of .NET)";
        return "Functions that were compiled while the program ran have no names here: " + how + ", and record again.";
    }
}
