package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.metrics.AnalysisFacts;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Garbage;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every rule, and how they are run. */
public final class Rules {
    /** The rules, in the order in which they are listed. */
    public static final List<Rule> ALL = List.of(
            new HangRule(),
            new UnusedDeviceRule(),
            new GpuIdleRule(),
            new OutsideSpanRule(),
            new CriticalPathRule(),
            new LongGapsRule(),
            UtilisationRule.LOW,
            UtilisationRule.FLUCTUATING,
            new DeviceDependencyRule(),
            new BlockingLaunchesRule(),
            new LaunchBoundRule(),
            new EmptyLaunchQueueRule(),
            CallsRule.LATE_LAUNCHES,
            CallsRule.SLOW_LAUNCHES,
            CallsRule.SHORT_KERNELS,
            new FragmentedKernelsRule(),
            new ElementwiseHeavyRule(),
            new FewBlocksRule(),
            new HotspotKernelRule(),
            new RooflineGapRule(),
            new TensorCoresUnusedRule(),
            ExposedCopyRule.H2D,
            ExposedCopyRule.D2H,
            ExposedCopyRule.D2D,
            new PageableCopiesRule(),
            CallsRule.ASYNC_PAGEABLE_COPIES,
            CallsRule.SYNCHRONOUS_COPIES,
            CallsRule.SYNCHRONOUS_MEMSETS,
            new CopyHeavyRule(),
            new CopiesPerStepRule(),
            new PcieSaturationRule(),
            CallsRule.ALLOCATION,
            ClockRule.HELD_DOWN,
            ClockRule.POWER_CAPPED,
            ClockRule.LOW,
            new SlowingKernelsRule(),
            new SharedDeviceRule(),
            new BlockingSyncRule(),
            new SyncPerStepRule(),
            HostClassesRule.PREPROCESSING,
            new InputBoundRule(),
            HostClassesRule.OUTPUT,
            new OneThreadBoundRule(),
            new CostlyPlaceRule(),
            HostClassesRule.PYTHON,
            HostClassesRule.LIBRARIES,
            HostClassesRule.CODE,
            HostClassesRule.KERNEL,
            HostClassesRule.FRAMEWORK,
            new LateRankRule(),
            new CommunicationExposedRule(),
            new CommunicationOverlapRule(),
            new NoKeyValueCacheRule(),
            new PaddingRule(),
            new TrainingModeRule(),
            new DoublePrecisionRule(),
            new HalfOnCpuRule(),
            new WaitingForRequestsRule(),
            new CpuOversubscriptionRule(),
            new CpuContentionRule(),
            new ThreadsDoNotScaleRule(),
            new MemoryBoundOperatorsRule(),
            WaitRule.GIL,
            WaitRule.LOCK,
            new LockSerialisedPoolRule(),
            new ExhaustedPoolRule(),
            new ThreadContentionRule(),
            new WaitingForWorkerRule(),
            new RepeatedLoadsRule(),
            new CompileLoadRule(),
            new SteadyStateCompilingRule(),
            CallsRule.GRAPH_CAPTURES,
            new RecompilationRule(),
            new GraphBreaksRule(),
            new ChildProcessRule(),
            new SmallFilesRule(),
            WaitRule.FILE_IO,
            WaitRule.PAGE_FAULTS,
            WaitRule.GARBAGE_COLLECTION,
            new SleepingRule(),
            new BlockedEventLoopRule(),
            new BusyEventLoopRule(),
            new LimitedTasksRule(),
            new SlowOutliersRule(),
            new GrowingStepsRule(),
            new MemoryPressureRule(),
            new MemoryGrowthRule(),
            new DeviceMemoryLimitRule(),
            new EccErrorsRule(),
            new NumaPlacementRule(),
            EngineCountersRule.PREEMPTIONS,
            EngineCountersRule.FEW_SEQUENCES,
            new VllmCoresRule(),
            new VllmApiServerRule(),
            EagerDecodeRule.VLLM,
            new VllmBatchedTokensRule(),
            EngineCountersRule.EMPTY_QUEUE,
            EngineCountersRule.TOKEN_USAGE,
            EngineCountersRule.RETRACTIONS,
            EagerDecodeRule.SGLANG,
            EngineCountersRule.FREE_MEMORY,
            new DeviceBoundRule());

    /**
     * Two costs within this ratio are taken as the same time, because rules judge the window, the steady state or the
     * path.
     */
    private static final double SAME_COST = 0.15;

    private Rules() {}

    /** Returns the verdict of every built-in rule under the built-in settings. */
    public static Map<RuleInfo, Verdict> evaluate(Analysis analysis, List<TrustCheck> trust) {
        return builtIn(ALL, analysis, trust, RuleSettings.DEFAULT);
    }

    /**
     * Returns the verdict of every rule, built-in rules first. If the trust gate found missing device work, idle time
     * is unknown, so rules that read it do not apply.
     */
    public static Map<RuleInfo, Verdict> evaluate(AnalysisFacts facts, RuleSettings settings) {
        List<TrustCheck> trust = facts.trust();
        Map<RuleInfo, Verdict> verdicts = builtIn(ALL, facts.analysis(), trust, settings);
        for (DeclaredRule rule : settings.declared()) {
            Optional<Verdict> silence = silence(rule.info(), facts.analysis(), trust, settings);
            verdicts.put(rule.info(), silence.orElseGet(() -> answer(() -> settings.graded(rule.evaluate(facts)))));
        }
        return verdicts;
    }

    /**
     * A rule that shows a loss in more detail must be less severe than the rule that it refines, unless the user sets
     * its severity.
     */
    private static Map<RuleInfo, Verdict> withDetailsLowered(Map<RuleInfo, Verdict> verdicts, RuleSettings settings) {
        Map<String, Finding> found = new HashMap<>();
        verdicts.forEach((info, verdict) -> {
            if (verdict instanceof Verdict.Found loss) {
                found.put(info.id(), loss.finding());
            }
        });
        verdicts.replaceAll((info, verdict) -> {
            boolean detail = verdict instanceof Verdict.Found loss
                    && !settings.severities().containsKey(info.id())
                    && info.refines().stream()
                            .map(found::get)
                            .anyMatch(refined -> refined != null && sameLoss(refined, loss.finding()));
            return detail
                    ? ((Verdict.Found) verdict)
                            .with(((Verdict.Found) verdict).finding().atMostInfo())
                    : verdict;
        });
        return verdicts;
    }

    /** Drops findings that repeat a more specific one. */
    private static Map<RuleInfo, Verdict> withoutRepetition(Map<RuleInfo, Verdict> verdicts) {
        Map<RuleInfo, Verdict> all = Map.copyOf(verdicts);
        verdicts.replaceAll((info, verdict) -> verdict instanceof Verdict.Found repetition
                ? ALL.stream()
                        .map(Rule::info)
                        .filter(other -> info.repeats(other)
                                && all.get(other) instanceof Verdict.Found found
                                && saysAsMuch(found.finding(), repetition.finding()))
                        .findFirst()
                        .<Verdict>map(other ->
                                new Verdict.ToldElsewhere("most of this time is what " + other.id() + " reports"))
                        .orElse(verdict)
                : verdict);
        return verdicts;
    }

    /**
     * Drops notes that claim no more than a more severe finding with the same advice, unless the user sets their severity:
     * they would report its cause a second time.
     */
    private static Map<RuleInfo, Verdict> withoutSameRemedy(Map<RuleInfo, Verdict> verdicts, RuleSettings settings) {
        Map<String, Finding> louder = new HashMap<>();
        verdicts.forEach((info, verdict) -> {
            if (verdict instanceof Verdict.Found found
                    && found.finding().severity().compareTo(Severity.INFO) < 0
                    && !found.finding().advice().isEmpty()) {
                louder.putIfAbsent(found.finding().advice(), found.finding());
            }
        });
        verdicts.replaceAll((info, verdict) -> {
            Finding told = verdict instanceof Verdict.Found note
                            && note.finding().severity() == Severity.INFO
                            && !settings.severities().containsKey(info.id())
                    ? louder.get(note.finding().advice())
                    : null;
            return told != null && mostSavedNs(((Verdict.Found) verdict).finding()) <= mostSavedNs(told)
                    ? new Verdict.ToldElsewhere("its cause and what helps are those that " + told.rule() + " reports")
                    : verdict;
        });
        return verdicts;
    }

    private static long mostSavedNs(Finding finding) {
        return finding.gain() == null ? 0 : finding.gain().highNs();
    }

    /** Returns whether a finding is about loading and compiling before the steady state that is judged. */
    public static boolean isOneOff(Finding finding, Analysis analysis) {
        return finding.causes().equals(List.of(LedgerClass.FRAMEWORK_COMPILE_LOAD))
                && !finding.of().equals(analysis.ledger().what())
                && CompileLoadRule.isOneOff(analysis);
    }

    /**
     * Whether {@code other} is as severe, of nearly the same cost or gain and of the same causes. If it names no causes, it is
     * about idle time of any cause, and the part must be the same.
     */
    private static boolean saysAsMuch(Finding finding, Finding other) {
        return (other.causes().isEmpty()
                        ? finding.of().equals(other.of())
                        : finding.causes().containsAll(other.causes()))
                && finding.severity().compareTo(other.severity()) <= 0
                && (isAbout(finding.costNs(), other.costNs()) || sameGain(finding.gain(), other.gain()));
    }

    private static boolean isAbout(long ns, long otherNs) {
        return Math.abs(ns - otherNs) <= SAME_COST * otherNs;
    }

    /** Whether both claim the same: a finding may have a larger cost, of which it blames a part on the same causes. */
    private static boolean sameGain(@Nullable Gain gain, @Nullable Gain other) {
        return gain != null
                && other != null
                && other.highNs() > 0
                && isAbout(gain.lowNs(), other.lowNs())
                && isAbout(gain.highNs(), other.highNs());
    }

    /** Whether both are equally severe and, if both name classes, about the same ones. */
    private static boolean sameLoss(Finding refined, Finding detail) {
        return refined.severity().compareTo(detail.severity()) <= 0
                && (refined.causes().isEmpty()
                        || detail.causes().isEmpty()
                        || !Collections.disjoint(refined.causes(), detail.causes()));
    }

    /**
     * Returns the verdicts of several rules together: a finding about the cause of another finding is lowered or left
     * out.
     */
    static Map<RuleInfo, Verdict> builtIn(
            List<Rule> rules, Analysis analysis, List<TrustCheck> trust, RuleSettings settings) {
        Map<RuleInfo, Verdict> verdicts = each(rules, analysis, trust, settings);
        return withoutSameRemedy(
                PlacesFirst.join(withoutRepetition(withDetailsLowered(verdicts, settings)), analysis, settings),
                settings);
    }

    /** Returns the verdict of each rule by itself. */
    static Map<RuleInfo, Verdict> each(
            List<Rule> rules, Analysis analysis, List<TrustCheck> trust, RuleSettings settings) {
        Map<RuleInfo, Verdict> verdicts = new LinkedHashMap<>();
        for (Rule rule : rules) {
            Optional<Verdict> silence = silence(rule.info(), analysis, trust, settings);
            verdicts.put(
                    rule.info(),
                    silence.orElseGet(() ->
                            answer(() -> settings.graded(Gains.withoutRecording(rule.evaluate(analysis), analysis)))));
            Garbage.collectDuringAnalysis();
        }
        return verdicts;
    }

    /** A rule that fails by a defect loses its verdict; the report is still made. */
    private static Verdict answer(Supplier<Verdict> rule) {
        try {
            return rule.get();
        } catch (RuntimeException | StackOverflowError e) {
            return new Verdict.Failed(Failure.describe(e));
        }
    }

    /** Returns the verdict of a rule that is not evaluated; empty if the rule is to be evaluated. */
    private static Optional<Verdict> silence(
            RuleInfo rule, Analysis analysis, List<TrustCheck> trust, RuleSettings settings) {
        String disabled = settings.disabled().get(rule.id());
        if (disabled != null) {
            return Optional.of(new Verdict.NotApplicable("disabled in " + disabled));
        }
        for (TrustCheck check : trust) {
            if (!check.passed() && check.withholds()) {
                return Optional.of(new Verdict.NotApplicable("the recording failed the check " + check.check()));
            }
        }
        for (Needs need : Needs.values()) {
            if (rule.needs().contains(need) && !need.isMetBy(analysis)) {
                return Optional.of(new Verdict.NotApplicable(need.absence()));
            }
        }
        return Optional.empty();
    }
}
