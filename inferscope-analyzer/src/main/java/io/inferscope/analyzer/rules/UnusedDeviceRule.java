package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reports a model that computes on the CPU of a machine with a GPU. Basis and threshold: docs/rules/unused-device.md. */
final class UnusedDeviceRule extends Rule {
    private static final List<LedgerClass> CLASSES = List.of(
            LedgerClass.CPU_MODEL_COMPUTE,
            LedgerClass.FRAMEWORK_PYTHON,
            LedgerClass.FRAMEWORK_DISPATCH,
            LedgerClass.FRAMEWORK_ALLOCATION);

    static final String GPUS = "run.host.gpus";
    private static final String PROBLEM = "run.host.gpus.problem";

    /** Launching takes some 10 us per operator, with the profiler's own time 30 us. */
    private static final String REMEDY = "run.host.gpus.remedy";

    private static final List<String> OF_GPU = List.of("CUDA", "ROCM", "MIGraphX");

    /** Returns why the program does not use the GPU: a case of this rule's claims and advice. */
    private static String reason(Analysis analysis) {
        Map<String, String> properties = analysis.timeline().properties();
        if (!properties.containsKey(GPUS)) {
            return "no-work";
        }
        if (properties.containsKey(PROBLEM)) {
            return "problem";
        }
        if (first(analysis, ProcessFact.PROVIDERS).equals("CPUExecutionProvider")) {
            String offered = first(analysis, ProcessFact.PROVIDERS_OFFERED);
            return OF_GPU.stream().anyMatch(offered::contains) ? "provider" : "provider-build";
        }
        return first(analysis, ProcessFact.TORCH_TARGET).equals("CPU")
                ? "build"
                : first(analysis, ProcessFact.TORCH_BUILD).isEmpty() ? "engine" : "unopened";
    }

    /** Returns the fact about the first process that has it, empty for none. */
    private static String first(Analysis analysis, ProcessFact fact) {
        return fact.all(analysis.timeline()).values().stream().findFirst().orElse("");
    }

    /** Returns the GPUs that PyTorch's profiler names as the machine's, by number. */
    private static String named(Timeline timeline) {
        return DeviceFact.NAME.all(timeline).entrySet().stream()
                .filter(device ->
                        device.getKey().indexOf('.') < 0 && device.getKey().indexOf(' ') < 0)
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(", "));
    }

    /** Returns whether operators take longer than it takes to launch them, so that they do compute. */
    private boolean isComputed(Analysis analysis, long computeNs) {
        long operators = analysis.rows(RowKind.OPERATOR).length;
        return operators > 0 && computeNs >= limit(analysis, "operator-ns") * operators;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Map<String, String> properties = analysis.timeline().properties();
        String gpus = properties.getOrDefault(GPUS, named(analysis.timeline()));
        if (gpus.isEmpty()) {
            return new Verdict.NotApplicable("no GPU of the machine is recorded");
        }
        boolean isUsed = !analysis.devices().isEmpty()
                || analysis.apiCalls().length > 0
                || !ProcessFact.DEVICE.all(analysis.timeline()).isEmpty();
        if (isUsed) {
            return Verdict.clean("the program uses the GPU");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ns(ledger, CLASSES);
        long computeNs = ledger.ns(LedgerClass.CPU_MODEL_COMPUTE);
        if (ledger.share(computeNs) < leastShare(analysis)) {
            return Verdict.clean(
                    "the GPU is not used, and models compute on the CPU for " + ledger.shareOfPart(computeNs));
        }
        boolean isKnown = properties.containsKey(GPUS);
        if (!isKnown && !isComputed(analysis, computeNs)) {
            return new Verdict.NotApplicable("whether the GPU (" + gpus + ") is used is not recorded");
        }
        String reason = row(reason(analysis));
        String remedy = properties.getOrDefault(REMEDY, "");
        return Verdict.found(HostShare.places(
                        finding(ledger, costNs)
                                .causes(CLASSES)
                                .measure("gpus", gpus)
                                .measure("compute", Units.duration(computeNs))
                                .measure("problem", properties.getOrDefault(PROBLEM, ""))
                                .measure("remedy", remedy.isEmpty() ? "" : Units.capitalised(remedy) + ".")
                                .measure("offered", first(analysis, ProcessFact.PROVIDERS_OFFERED))
                                .measure("build", first(analysis, ProcessFact.TORCH_BUILD))
                                .claim(info().id(), reason),
                        analysis,
                        CLASSES)
                .advice(reason, analysis)
                .noGain("how fast the model is on the GPU is not in the recording"));
    }
}
