package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.analyzer.tables.SampledCode;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import java.util.List;

/** The rules that report the total of some classes of the judged host thread's time. */
final class HostClassesRule extends Rule {
    private static final Threshold NAMELESS = new Threshold(
            "code-dominates.nameless-share",
            0.25,
            "time in functions whose names are not known, of that code's sampled time: the advice then says how to get names");

    /** A part of the time that is not worth a word. */
    private static final double SMALL = 0.05;

    /** The part of one class from which the others are not worth a word. */
    private static final double ALL = 0.99;

    private static final String NOT_AWAITED = "none of it is waited for";

    static final Rule PREPROCESSING = new HostClassesRule(
            "preprocessing-dominates",
            0.15,
            "preparing inputs and results takes",
            HostClassesRule::preprocessing,
            List.of(LedgerClass.CPU_TOKENIZATION, LedgerClass.CPU_PREPROCESSING, LedgerClass.CPU_SERIALIZATION));

    static final Rule OUTPUT = new HostClassesRule(
            "output-bound",
            0.05,
            "detokenising, serialising and copying results take",
            HostClassesRule::output,
            List.of(LedgerClass.CPU_SERIALIZATION, LedgerClass.COPY_D2H));

    static final Rule PYTHON = new HostClassesRule(
            "python-dominates",
            0.20,
            "the program's own Python takes",
            HostClassesRule::python,
            List.of(LedgerClass.CPU_PYTHON));

    static final Rule LIBRARIES = new HostClassesRule(
            "native-dominates",
            0.20,
            "code of libraries takes",
            HostClassesRule::libraries,
            List.of(LedgerClass.CPU_NATIVE, LedgerClass.LIBRARY_PYTHON));

    static final Rule CODE = new HostClassesRule(
            "code-dominates",
            0.20,
            "the program's own code takes",
            HostClassesRule::code,
            List.of(LedgerClass.CPU_CODE, LedgerClass.CPU_UNKNOWN),
            NAMELESS);

    /** Page faults and file I/O have rules of their own. */
    static final Rule KERNEL = new HostClassesRule(
            "kernel-time",
            0.10,
            "the kernel takes",
            HostClassesRule::kernel,
            List.of(
                    LedgerClass.KERNEL_PROCESS,
                    LedgerClass.KERNEL_MEMORY,
                    LedgerClass.KERNEL_NETWORK,
                    LedgerClass.KERNEL_OTHER));

    static final Rule FRAMEWORK = new HostClassesRule(
            "framework-dominates",
            0.20,
            "the framework's own Python, dispatching and allocating take",
            HostClassesRule::framework,
            List.of(LedgerClass.FRAMEWORK_PYTHON, LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_ALLOCATION));

    private final List<LedgerClass> classes;
    private final Threshold share;
    private final String takes;
    private final Completion completion;

    /** Gives a finding of a rule its claim, places, advice and gain. */
    private interface Completion {
        FindingBuilder complete(HostClassesRule rule, FindingBuilder finding, Analysis analysis, Ledger ledger);
    }

    /**
     * Makes a rule that reports classes which take {@code leastShare} or more of the judged time; {@code takes}:
     * subject and verb of a sentence about the share, such as "the kernel takes".
     */
    private HostClassesRule(
            String id,
            double leastShare,
            String takes,
            Completion completion,
            List<LedgerClass> classes,
            Threshold... others) {
        super(RuleInfo.of(id, others).limits(Threshold.share(id, leastShare)));
        this.takes = takes;
        this.completion = completion;
        this.share = Threshold.share(id, leastShare);
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
        return ledger.share(costNs) < analysis.threshold(share)
                ? Verdict.clean(takes + " " + ledger.shareOfPart(costNs))
                : Verdict.found(completion
                        .complete(this, finding(ledger, costNs), analysis, ledger)
                        .causes(largestFirst(ledger).stream()
                                .filter(one -> ledger.ns(one) > 0)
                                .toList()));
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
                .measure("its part", Units.percent(part))
                .claim(
                        part >= ALL
                                ? Units.capitalised(largest.label()) + " takes {cost}, {share} of the {part}."
                                : "Preparing inputs and results takes {cost}, {share} of the {part}; {its part} of that is {largest}.");
        return HostShare.places(finding, analysis, classes)
                .adviceAgainst(largest, analysis)
                .saves(analysis, classes, "it happens while the previous batch computes");
    }

    private FindingBuilder output(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long writtenNs = ledger.ns(LedgerClass.CPU_SERIALIZATION);
        long copiedNs = ledger.ns(LedgerClass.COPY_D2H);
        finding.measure("serialisation", Units.duration(writtenNs))
                .measure("copies", Units.duration(copiedNs))
                .claim(
                        "Results hold the program up for {cost}, {share} of the {part}: {serialisation} in detokenising and serialising, {copies} in copies to the host that nothing hides.")
                .quantity("detokenising and serialising", writtenNs, "ns")
                .quantity("copies to the host", copiedNs, "ns");
        return HostShare.places(finding, analysis, classes)
                .figure(Figure.COPIED_RATIO, (double) copiedNs / Math.max(1, writtenNs + copiedNs))
                .adviceAgainst(LedgerClass.CPU_SERIALIZATION, analysis)
                .saves(analysis, classes, "results leave while the next ones are computed");
    }

    private FindingBuilder python(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        String inflated = analysis.pythonStacksRecorded()
                ? " Python functions were recorded one by one, which makes them look slower than they are."
                : "";
        String hidden = !analysis.isRun() && analysis.pythonStacksWithoutNativeFrames()
                ? " The stacks have no native frames: a line's time holds that of the native code it calls, such as a wait for a GPU (`py-spy record --native`)."
                : "";
        finding.claim("The program's own Python code takes {cost}, {share} of the {part}." + inflated + hidden);
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
        String parts = what.equals("Code") ? ": {native} in native code, {python} in Python" : "";
        finding.measure("native", Units.duration(nativeNs))
                .measure("python", Units.duration(pythonNs))
                .claim(what + " of libraries takes {cost}, {share} of the {part}" + parts + ".");
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, List.of(LedgerClass.CPU_NATIVE));
        return finding.adviceAgainst(largestFirst(ledger).get(0), analysis).saves(analysis, classes, NOT_AWAITED);
    }

    private FindingBuilder code(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        if (ledger.ns(LedgerClass.CPU_UNKNOWN) > ledger.ns(LedgerClass.CPU_CODE)) {
            finding.claim("Host code takes {cost}, {share} of the {part}, and no recorded frame shows what it is.");
            return HostShare.places(finding, analysis, classes)
                    .adviceAgainst(LedgerClass.CPU_UNKNOWN, analysis)
                    .saves(analysis, classes, NOT_AWAITED);
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
            finding.measure("file", nameless.file());
            advice = Advice.of(naming(nameless), analysis) + " " + advice;
        }
        return finding.advice(advice).saves(analysis, classes, NOT_AWAITED);
    }

    private static String naming(SampledCode.Nameless nameless) {
        return !nameless.file().equals("jit")
                ? "code-dominates"
                : nameless.engine().equals("node") ? "code-dominates.node" : "code-dominates.jit";
    }

    private FindingBuilder kernel(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        finding.claim(
                "The operating system's kernel works {cost} for the critical thread, {share} of the {part}, without page faults and file I/O.");
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
                .claim("The framework's own Python, dispatching and allocating take {cost}, {share} of the {part}, "
                        + (dominates
                                ? "for {compute} of computing{at most}: each call of the model has too little to do."
                                : "beside {compute} of computing{at most}."));
        return HostShare.places(finding, analysis, classes)
                .advice(analysis)
                .noGainKnown("only a run shows how much of it larger batches or compiled code leave");
    }
}
