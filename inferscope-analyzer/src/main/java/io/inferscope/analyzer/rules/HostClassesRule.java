package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.analyzer.tables.SampledCode;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import java.util.List;

/** The rules that report the total of some classes of the judged host thread's time. */
final class HostClassesRule extends Rule {
    private static final Threshold NAMELESS = Threshold.of("code-dominates.nameless-share");

    /** A part of the time that is not worth a word. */
    private static final double SMALL = 0.05;

    /** The part of one class from which the others are not worth a word. */
    private static final double ALL = 0.99;

    private static final String NOT_AWAITED = "none of it is waited for";

    static final Rule PREPROCESSING = new HostClassesRule(
            "preprocessing-dominates",
            "preparing inputs and results takes",
            HostClassesRule::preprocessing,
            List.of(LedgerClass.CPU_TOKENIZATION, LedgerClass.CPU_PREPROCESSING, LedgerClass.CPU_SERIALIZATION));

    static final Rule OUTPUT = new HostClassesRule(
            "output-bound",
            "detokenising, serialising and copying results take",
            HostClassesRule::output,
            List.of(LedgerClass.CPU_SERIALIZATION, LedgerClass.COPY_D2H));

    static final Rule PYTHON = new HostClassesRule(
            "python-dominates",
            "the program's own Python takes",
            HostClassesRule::python,
            List.of(LedgerClass.CPU_PYTHON));

    static final Rule LIBRARIES = new HostClassesRule(
            "native-dominates",
            "code of libraries takes",
            HostClassesRule::libraries,
            List.of(LedgerClass.CPU_NATIVE, LedgerClass.LIBRARY_PYTHON));

    static final Rule CODE = new HostClassesRule(
            "code-dominates",
            "the program's own code takes",
            HostClassesRule::code,
            List.of(LedgerClass.CPU_CODE, LedgerClass.CPU_UNKNOWN));

    /** Page faults and file I/O have rules of their own. */
    static final Rule KERNEL = new HostClassesRule(
            "system-time",
            "the operating system's kernel takes",
            HostClassesRule::kernel,
            List.of(
                    LedgerClass.SYSTEM_PROCESS,
                    LedgerClass.SYSTEM_MEMORY,
                    LedgerClass.SYSTEM_NETWORK,
                    LedgerClass.SYSTEM_OTHER));

    static final Rule FRAMEWORK = new HostClassesRule(
            "framework-dominates",
            "the framework's own Python, dispatching and allocating take",
            HostClassesRule::framework,
            List.of(LedgerClass.FRAMEWORK_PYTHON, LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_ALLOCATION));

    private final List<LedgerClass> classes;
    private final String takes;
    private final Completion completion;

    /** Gives a finding of a rule its claim, places, advice and gain. */
    private interface Completion {
        FindingBuilder complete(HostClassesRule rule, FindingBuilder finding, Analysis analysis, Ledger ledger);
    }

    /**
     * Makes a rule that reports what classes take of the judged time; {@code takes}: subject and verb of a sentence about
     * the share, such as "the operating system's kernel takes".
     */
    private HostClassesRule(String id, String takes, Completion completion, List<LedgerClass> classes) {
        super(id);
        this.takes = takes;
        this.completion = completion;
        this.classes = classes;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (this == FRAMEWORK && !analysis.devices().isEmpty()) {
            return new Verdict.NotApplicable(
                    "the model runs on a device: launch-bound looks at what its framework takes");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ownNs(analysis, ledger, classes);
        if (this == OUTPUT && 2 * parsedNs(analysis) > costNs) {
            return Verdict.clean("most of what serialisation takes is for input");
        }
        return ledger.share(costNs) < leastShare(analysis)
                ? Verdict.clean(takes + " " + ledger.shareOfPart(costNs))
                : Verdict.found(completion
                        .complete(this, finding(ledger, costNs), analysis, ledger)
                        .causes(largestFirst(ledger).stream()
                                .filter(one -> ledger.ns(one) > 0)
                                .toList()));
    }

    /** Returns for how long the judged thread, on its own, serialises what came in rather than results. */
    private static long parsedNs(Analysis analysis) {
        long[] ns = {0};
        if (analysis.devices().isEmpty() && analysis.subjectThread() >= 0) {
            Stretch part = analysis.judgedHostStretch();
            analysis.threads().explain(analysis.subjectThread(), part.startNs(), part.endNs(), piece -> {
                boolean serialises = piece.ledgerClass() == LedgerClass.CPU_SERIALIZATION && piece.sample() >= 0;
                ns[0] += serialises && analysis.classifier().parses(piece.sample()) ? piece.ns() : 0;
            });
        }
        return ns[0];
    }

    private List<LedgerClass> largestFirst(Ledger ledger) {
        return classes.stream()
                .sorted(Order.comparingLong(ledger::ns).reversed())
                .toList();
    }

    private FindingBuilder preprocessing(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        LedgerClass largest = largestFirst(ledger).get(0);
        double part = (double) ledger.ns(largest) / HostShare.ns(ledger, classes);
        finding.measure("largest", largest.label())
                .measure("class", Units.capitalised(largest.label()))
                .measure("its part", Units.percent(part))
                .claim(part >= ALL ? "preprocessing-dominates.one" : "preprocessing-dominates");
        return HostShare.places(finding, analysis, classes)
                .adviceAgainst(largest, analysis)
                .saves(analysis, classes, "it happens while the previous batch computes");
    }

    private FindingBuilder output(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long writtenNs = ledger.ns(LedgerClass.CPU_SERIALIZATION);
        long copiedNs = ledger.ns(LedgerClass.COPY_D2H);
        finding.measure("serialisation", Units.duration(writtenNs))
                .measure("copies", Units.duration(copiedNs))
                .quantity("detokenising and serialising", writtenNs, "ns")
                .quantity("copies to the host", copiedNs, "ns");
        return HostShare.places(finding, analysis, classes)
                .figure(Figure.COPIED_RATIO, (double) copiedNs / Math.max(1, writtenNs + copiedNs))
                .adviceAgainst(LedgerClass.CPU_SERIALIZATION, analysis)
                .saves(analysis, classes, "results leave while the next ones are computed");
    }

    private FindingBuilder python(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        finding.claim(
                "python-dominates",
                analysis.pythonStacksRecorded() ? "python-dominates.inflated" : "",
                !analysis.isRun() && analysis.pythonStacksWithoutNativeFrames() ? "python-dominates.hidden" : "");
        if (!analysis.devices().isEmpty()) {
            long drainedNs = EmptiedQueue.of(analysis).ns(classes);
            finding.figure(Figure.DRAINED_RATIO, (double) drainedNs / Math.max(1, finding.costNs()));
        }
        return HostShare.places(finding, analysis, classes)
                .adviceAgainst(LedgerClass.CPU_PYTHON, analysis)
                .saves(analysis, classes, NOT_AWAITED);
    }

    private FindingBuilder libraries(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long pythonNs = ledger.ns(LedgerClass.LIBRARY_PYTHON);
        long nativeNs = ledger.ns(LedgerClass.CPU_NATIVE);
        double python = (double) pythonNs / (pythonNs + nativeNs);
        String what = python < SMALL ? "Native code" : python > 1 - SMALL ? "Python code" : "Code";
        finding.measure("what", what)
                .measure(
                        "parts",
                        what.equals("Code")
                                ? ": " + Units.duration(nativeNs) + " in native code, " + Units.duration(pythonNs)
                                        + " in Python"
                                : "");
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, List.of(LedgerClass.CPU_NATIVE));
        SampledCode sampled = Tables.of(analysis).sampledOfSubject(finding.part());
        SampledCode.Nameless callers = sampled.nameless(LedgerClass.CPU_NATIVE);
        String advice = Advice.against(largestFirst(ledger).get(0), analysis);
        return finding.advice(callers.isGenerated() ? naming(finding, callers, analysis) + advice : advice)
                .saves(analysis, classes, NOT_AWAITED);
    }

    private FindingBuilder code(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        if (ledger.ns(LedgerClass.CPU_UNKNOWN) > ledger.ns(LedgerClass.CPU_CODE)) {
            finding.claim("code-dominates.unknown");
            return HostShare.places(finding, analysis, classes)
                    .adviceAgainst(LedgerClass.CPU_UNKNOWN, analysis)
                    .saves(analysis, classes, NOT_AWAITED);
        }
        SampledCode sampled = Tables.of(analysis).sampledOfSubject(finding.part());
        sampled.narrowestOfHalf(LedgerClass.CPU_CODE)
                .filter(place -> 2 * place.ns() >= ledger.ns(LedgerClass.CPU_CODE)) // Most may be on other threads.
                .ifPresent(place -> finding.place("with what it calls", place.function(), place.ns(), place.samples()));
        HostShare.places(finding, analysis, classes);
        String advice = Advice.against(LedgerClass.CPU_CODE, analysis);
        SampledCode.Nameless nameless = sampled.nameless(LedgerClass.CPU_CODE);
        return finding.advice(naming(finding, nameless, analysis) + advice).saves(analysis, classes, NOT_AWAITED);
    }

    /** Returns how to record names, followed by a blank; empty where few functions lack theirs. */
    private static String naming(FindingBuilder finding, SampledCode.Nameless nameless, Analysis analysis) {
        if (nameless.ns() == 0 || nameless.ns() < analysis.threshold(NAMELESS) * nameless.allNs()) {
            return "";
        }
        finding.place("functions without names", nameless.file(), nameless.ns(), 1);
        finding.measure("file", nameless.file());
        String row = !nameless.isGenerated()
                ? "code-dominates"
                : nameless.engine().equals("node") ? "code-dominates.node" : "code-dominates.jit";
        return Advice.of(row, analysis) + " ";
    }

    private FindingBuilder kernel(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, classes);
        return finding.adviceAgainst(largestFirst(ledger).get(0), analysis).saves(analysis, classes, NOT_AWAITED);
    }

    /** A model on the CPU; where computing takes longer than its framework, larger calls gain little: a note. */
    private FindingBuilder framework(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long computingNs = ledger.ns(LedgerClass.CPU_MODEL_COMPUTE);
        boolean dominates = finding.costNs() >= computingNs;
        if (!dominates) {
            finding.severity(Severity.INFO);
        }
        finding.measure("compute", Units.duration(computingNs))
                .measure("at most", analysis.has(RowKind.STACK_SAMPLE) ? " at most" : "")
                .claim("framework-dominates", dominates ? "framework-dominates.alone" : "framework-dominates.beside");
        return HostShare.places(finding, analysis, classes)
                .advice(analysis)
                .noGainKnown("only a run shows how much of it larger batches or compiled code leave");
    }
}
