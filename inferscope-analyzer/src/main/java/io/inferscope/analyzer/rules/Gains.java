package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.CpuDemand;
import io.inferscope.analyzer.analysis.CpuUse;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.QueuedLaunches;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.path.WhatIf;
import io.inferscope.analyzer.path.WhatIf.Saving;
import io.inferscope.analyzer.path.WhatIf.Unknown;
import io.inferscope.analyzer.steps.RecordingSlowdown;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Turns the savings of replays into the gain of a finding: an interval of at most fifteen percentage points of the
 * finding's interval, or the reason for claiming none. Definitions, and the source of the two error terms:
 * docs/gains.md.
 */
record Gains(Analysis analysis, Ledger ledger) {
    /** Widest gain that is claimed, as a share of its ledger. */
    static final double WIDEST = 0.15;

    /** What a replay does not know, as a share of the ledger, from which nothing is claimed. */
    static final double TOO_MUCH = 0.10;

    /** Error share because the counters of two threads are not read at the same instant. */
    private static final double COUNTERS_APART = 0.02;

    /**
     * If a replay without waits for others saves more than this many times a finding's cost, most of it is not what the
     * finding is about. If a replay saves less than one part in so many of the cost, other threads that wait for nobody
     * knows whom may wait for the cause, and hide what it would save.
     */
    private static final int FAR_MORE = 2;

    private static final String SHORTEST = "each takes as long as the shortest of them";

    private static final String NO_INSTANTS =
            "the recording does not say when things happened, so nothing can be replayed";

    /**
     * Lowers the gains of a verdict by what recording may have added, since that is nothing a change saves: in which cause
     * it lies is not known. Gains from device work stay.
     */
    static Verdict withoutRecording(Verdict verdict, Analysis analysis) {
        RecordingSlowdown slowdown = RecordingSlowdown.in(analysis.timeline()).orElse(null);
        return slowdown != null && slowdown.isCertain() && verdict instanceof Verdict.Found found
                ? Verdict.Found.of(found.each().stream()
                        .map(one -> new Verdict.Found(
                                withoutRecording(one.finding(), slowdown, analysis.ledger()),
                                one.byShare(),
                                one.unclaimed()))
                        .toList())
                : verdict;
    }

    private static Finding withoutRecording(Finding finding, RecordingSlowdown slowdown, Ledger judged) {
        Gain gain = finding.gain();
        boolean ofDevice =
                !finding.causes().isEmpty() && finding.causes().stream().allMatch(LedgerClass::isDeviceBusy);
        if (gain == null || ofDevice) {
            return finding;
        }
        double partNs = finding.share() > 0 ? finding.costNs() / finding.share() : judged.durationNs();
        double added = (double) slowdown.mostAddedNs(judged) / Math.max(1, judged.durationNs());
        long lowNs = Math.max(0, gain.lowNs() - Math.round(added * partNs));
        if (gain.highNs() - lowNs > WIDEST * partNs) {
            String saved = Units.duration(gain.highNs());
            return finding.withGain(
                    null,
                    slowdown.atMost() + ", and how much of the " + saved + " that replays save is that is not known");
        }
        List<String> assumptions = new ArrayList<>(gain.assumptions());
        assumptions.add(slowdown.atMost() + ", which the lower end does not count");
        return finding.withGain(new Gain(lowNs, gain.highNs(), assumptions), "");
    }

    /** Replays without classes in a part of the window. */
    FindingBuilder claim(FindingBuilder finding, List<LedgerClass> classes, LedgerPart part, String when) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        String team = besideTeam(analysis, stretch(part));
        if (!team.isEmpty() && !classes.contains(LedgerClass.WAIT_RUN_QUEUE)) {
            return finding.noGain(team);
        }
        Saving saving = WhatIf.of(analysis).without(EnumSet.copyOf(classes), stretch(part));
        if (classes.equals(List.of(LedgerClass.WAIT_RUN_QUEUE)) && isShortOfCpus(saving, stretch(part))) {
            return finding.noGain(
                    "the process's threads would need CPUs for as long as before, and still compete for them");
        }
        double freed = classes.contains(LedgerClass.WAIT_GIL) ? CpuDemand.ofOthers(analysis, stretch(part)) : 0;
        if (freed * ledger.share(LedgerClass.WAIT_RUN_QUEUE) > TOO_MUCH) {
            return finding.noGain("the thread is also ready without a CPU for "
                    + Units.duration(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)) + ", and other threads of its process take "
                    + Units.percent(freed) + " of the process's CPU time: without their work, it would get more of it");
        }
        boolean little = FAR_MORE * saving.moreNs() < finding.costNs();
        Unknown unknown = little
                ? WhatIf.of(analysis).unknownWithWaits(EnumSet.copyOf(classes), stretch(part))
                : WhatIf.of(analysis).unknown(EnumSet.copyOf(classes), stretch(part));
        boolean everywhere = saving.namedNs() == saving.moreNs();
        return claim(
                finding,
                saving,
                unknown,
                classes,
                GainErrors.of(classes, ledger, !analysis.devices().isEmpty()),
                everywhere ? when : when + " in the functions that have most of it",
                everywhere ? when : when + ", nor what else those functions do for it");
    }

    /** Returns why no gain is known where the rest shares its loops with a busy team of threads; empty where it does not. */
    static String besideTeam(Analysis analysis, Stretch part) {
        long ns = CpuDemand.ofBusiestNs(analysis, part, true);
        return ns <= TOO_MUCH * part.durationNs()
                ? ""
                : "the rest shares its loops with threads that are on a CPU for " + Units.duration(ns)
                        + ": how much faster they are without this between their loops is not known";
    }

    /** Returns whether the judged process has more CPU work than its CPUs can do in the replayed time. */
    private boolean isShortOfCpus(Saving saving, Stretch part) {
        OptionalLong leastNs = CpuDemand.leastNs(analysis, part);
        long roundingNs = Math.round(COUNTERS_APART * ledger.durationNs());
        return leastNs.isPresent() && leastNs.getAsLong() > ledger.durationNs() - saving.namedNs() + roundingNs;
    }

    /**
     * Replays without some calls. For the lower bound, each call takes as long as the shortest one.
     *
     * @param makers whether also without what other threads do meanwhile
     */
    FindingBuilder claim(FindingBuilder finding, HostCalls calls, boolean makers, String when) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        Saving saving = WhatIf.of(analysis).without(calls, makers, stretch(ledger.part()));
        return claim(finding, saving, List.of(), SHORTEST, when);
    }

    /** Replays without some calls: lower bound without {@code some}, upper bound without {@code all}. */
    FindingBuilder claim(FindingBuilder finding, HostCalls some, HostCalls all, String least, String most) {
        Saving saving = WhatIf.of(analysis).without(some, all, stretch(ledger.part()));
        return claim(finding, saving, List.of(), least, most);
    }

    /** Replays without loading again what was loaded. */
    FindingBuilder loadedOnce(FindingBuilder finding, HostCalls again) {
        Saving saving = WhatIf.of(analysis).without(again, again, stretch(ledger.part()));
        GainErrors errors = analysis.devices().isEmpty() ? GainErrors.MADE_ANEW : GainErrors.DEVICE_WORK;
        String when = "it is loaded once";
        return claim(finding, saving, Unknown.NONE, List.of(), errors, when, when);
    }

    FindingBuilder hidden(FindingBuilder finding, LedgerClass ledgerClass) {
        Saving saving = WhatIf.of(analysis).hidden(EnumSet.of(ledgerClass), stretch(ledger.part()));
        String all = "all of it runs under compute";
        return claim(finding, saving, List.of(ledgerClass), all + " as far as there is compute", all);
    }

    FindingBuilder pinned(FindingBuilder finding, PinnedCopies copies) {
        LedgerClass exposed = PinnedCopies.exposed(copies.direction());
        Saving saving =
                WhatIf.of(analysis).shortened(exposed, copies.leastSaved(), copies.mostSaved(), stretch(ledger.part()));
        String link = Units.rate(copies.linkBytesPerSecond()) + " of the link";
        return claim(
                finding,
                saving,
                List.of(exposed),
                "through pinned memory the copies reach three quarters of the " + link,
                "they reach all of the " + link + ", and nothing hides them");
    }

    FindingBuilder captured(FindingBuilder finding, List<LedgerClass> launching) {
        Stretch part = stretch(ledger.part());
        Intervals all = Intervals.of(part.startNs(), Math.max(part.startNs(), part.endNs()));
        return captured(finding, launching, all);
    }

    /**
     * The same for launches within {@code within} only. Graphs save at most the device's idle time: kernels that a
     * replay lets run beside each other share the device, and do not run as fast as alone.
     */
    FindingBuilder captured(FindingBuilder finding, List<LedgerClass> launching, Intervals within) {
        Stretch part = stretch(ledger.part());
        long idleNs = ledger.durationNs()
                - analysis.headline()
                        .map(device -> device.busy().totalWithinNs(part.startNs(), part.endNs()))
                        .orElse(0L);
        Saving saving = WhatIf.of(analysis).captured(EnumSet.copyOf(launching), part, within);
        return claim(
                        finding,
                        saving.atMost(idleNs),
                        launching,
                        "one graph launch per wait of the host, kernels as far apart as queued ones were",
                        "all launches are captured in graphs, and kernels follow each other at once")
                .gainAtMost(idleNs);
    }

    /** Replays without the waits of launch calls. A pass over the calls alone knows what then waits in their place. */
    FindingBuilder queued(FindingBuilder finding, BlockingLaunches blocking) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        long mostNs = WhatIf.of(analysis)
                .without(blocking.waits(), false, stretch(ledger.part()))
                .moreNs();
        long leastNs = Math.min(QueuedLaunches.savedNs(analysis), mostNs);
        return claim(
                finding,
                new Saving(leastNs, mostNs, mostNs),
                List.of(),
                "calls that synchronise wait for what was launched before them",
                "nothing waits in place of the launches");
    }

    FindingBuilder workersAhead(FindingBuilder finding) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        String ahead = "workers are always ahead";
        GainErrors errors = analysis.devices().isEmpty() ? GainErrors.WORKED_BESIDE : GainErrors.DEVICE_WORK;
        Saving saving = WhatIf.of(analysis).withoutWaitingForOthers(stretch(ledger.part()));
        if (finding.costNs() > 0 && saving.namedNs() > FAR_MORE * finding.costNs()) {
            return finding.noGain("a replay without any wait for others saves " + Units.duration(saving.namedNs())
                    + ": most of that is no work of theirs that is recorded");
        }
        long starvedNs = Tables.of(analysis).time(ledger.part()).othersStarvedNs();
        if (ledger.share(starvedNs) > TOO_MUCH) {
            return finding.noGain("the workers are ready without a CPU for " + Units.duration(starvedNs)
                    + " of it: ahead of the thread, they would compete with it for the CPUs");
        }
        long leastNs = CpuDemand.leastNs(analysis, stretch(ledger.part())).orElse(0);
        long roundingNs = Math.round(COUNTERS_APART * ledger.durationNs());
        Saving possible = saving.atMost(Math.max(0, ledger.durationNs() - leastNs + roundingNs));
        return claim(
                finding,
                new Saving(Math.max(0, possible.namedNs() - starvedNs), possible.allNs(), possible.moreNs()),
                Unknown.NONE,
                List.of(),
                errors,
                starvedNs == 0 ? ahead : ahead + ", and wait for a CPU as long as before",
                ahead);
    }

    /** Claims the savings of replays, widened by the errors of estimating the cause and of replaying the rest. */
    FindingBuilder claim(FindingBuilder finding, Saving saving, List<LedgerClass> classes, String least, String most) {
        boolean devices = !analysis.devices().isEmpty();
        GainErrors errors = classes.isEmpty() && !devices ? GainErrors.PLACE : GainErrors.of(classes, ledger, devices);
        return claim(finding, saving, Unknown.NONE, classes, errors, least, most);
    }

    private FindingBuilder claim(
            FindingBuilder finding,
            Saving replayed,
            Unknown unknown,
            List<LedgerClass> classes,
            GainErrors quiet,
            String least,
            String most) {
        GainErrors errors = analysis.devices().isEmpty() ? quiet.beside(CpuUse.of(analysis)) : quiet;
        Saving saving = replayed.atMost(ledger.durationNs());
        if (saving.moreNs() + unknown.ns() <= 0) {
            return finding.noGainByItself(
                    "replayed without it, the program takes as long: other work fills the time meanwhile");
        }
        double estimateNs = errors.estimateNs(boundNs(classes), ledger.durationNs());
        long restNs = Math.max(0, ledger.durationNs() - saving.allNs());
        double fasterNs = errors.fasterNs(Math.max(0, restNs - otherWaitsNs(classes)), saving.allNs());
        long belowNs = Math.round(Math.hypot(estimateNs, errors.slower() * restNs));
        long aboveNs = Math.round(Math.hypot(estimateNs, fasterNs));
        long lowNs = Math.max(0, saving.namedNs() - belowNs);
        long highNs = Math.min(ledger.durationNs(), saving.moreNs() + aboveNs + unknown.ns());
        boolean several = unknown.others() > 0;
        String waiter = unknown.ns() == 0
                ? ""
                : Threads.label(analysis.timeline(), unknown.track())
                        + (several
                                ? " and " + Units.count(unknown.others())
                                        + (unknown.others() == 1 ? " other" : " others")
                                : "");
        if (highNs - lowNs > WIDEST * ledger.durationNs()) {
            boolean isBeyond = finding.costNs() > 0 && saving.namedNs() > finding.costNs();
            String beyond = isBeyond ? "; " + consequence(finding, classes, saving.namedNs()) : "";
            return finding.noGain(Units.interval(Units.duration(lowNs), Units.duration(highNs)) + ", uncertain: "
                    + (unknown.ns() > belowNs + aboveNs
                            ? "it is not recorded what " + waiter + (several ? " wait" : " waits") + " for in up to "
                                    + Units.duration(unknown.ns()) + " of it"
                            : saving.moreNs() - saving.namedNs() > belowNs + aboveNs
                                    ? "it is not known how much of the code around it would also be saved"
                                    : estimateNs > fasterNs
                                            ? "the recording does not show its time precisely enough"
                                            : "it is not known how much faster the rest runs without it"
                                                    + besideOthers(analysis))
                    + beyond);
        }
        List<String> assumptions = new ArrayList<>(List.of(
                "at least: " + least + ", less the error of the replay",
                "at most: " + most
                        + (waiter.isEmpty()
                                ? ""
                                : ", " + waiter + (several ? " wait" : " waits")
                                        + " for it where nothing is recorded of "
                                        + (several ? "them (" : "that one (")
                                        + Units.duration(unknown.ns()) + ")")
                        + ", plus the error of the replay"));
        beyondCost(finding, classes, saving, unknown, highNs).ifPresent(assumptions::add);
        return finding.gain(new Gain(lowNs, highNs, assumptions));
    }

    /**
     * Explains why the saving may exceed a finding's cost, if it may and the assumption of the upper end does not
     * explain it.
     */
    private Optional<String> beyondCost(
            FindingBuilder finding, List<LedgerClass> classes, Saving saving, Unknown unknown, long highNs) {
        if (finding.costNs() == 0 || highNs <= finding.costNs()) {
            return Optional.empty();
        }
        if (saving.namedNs() > finding.costNs()) {
            return Optional.of(consequence(finding, classes, saving.namedNs()));
        }
        if (saving.moreNs() > finding.costNs()) {
            return Optional.of(own(finding) + ": the upper end counts more than the finding does");
        }
        return unknown.ns() > 0 ? Optional.empty() : Optional.of(own(finding) + " only by the error of the replay");
    }

    /** Names the idle time of other causes, of which launching earlier leaves less. */
    private String consequence(FindingBuilder finding, List<LedgerClass> classes, long savedNs) {
        if (analysis.devices().isEmpty()) {
            return own(finding) + ": what waits for it waits less";
        }
        List<Ledger.Entry> idle = ledger.entries().stream()
                .filter(entry -> !entry.ledgerClass().isDeviceBusy())
                .toList();
        long otherNs = idle.stream().mapToLong(Ledger.Entry::ns).sum() - finding.costNs();
        String most = idle.stream()
                .filter(entry -> !classes.contains(entry.ledgerClass()))
                .max(Order.comparingLong(Ledger.Entry::ns))
                .filter(entry -> entry.ns() <= otherNs) // A finding's cost may be part of another class.
                .map(entry -> ", above all " + entry.ledgerClass().label() + " (" + Units.duration(entry.ns()) + ")")
                .orElse("");
        return own(finding) + ": threads that launch earlier leave less of the other " + Units.duration(otherNs)
                + " of idle time" + most + (savedNs > finding.costNs() + otherNs ? ", and fewer exposed copies" : "");
    }

    /** Returns how much of the CPUs other programs used, in words, if that makes a gain uncertain. */
    static String besideOthers(Analysis analysis) {
        CpuUse use = CpuUse.of(analysis);
        return analysis.devices().isEmpty() && GainErrors.isCrowded(use)
                ? " beside other programs, which used " + Units.fixed(use.others(), 2) + " CPUs"
                : "";
    }

    private static String own(FindingBuilder finding) {
        return Gain.BEYOND + Units.duration(finding.costNs());
    }

    private Stretch stretch(LedgerPart part) {
        Stretch window = analysis.window();
        if (part == analysis.judged().what()) {
            return analysis.judged().stretch();
        }
        return analysis.headline()
                .map(device -> switch (part) {
                    case HEAD -> new Stretch(window.startNs(), device.firstNs());
                    case SPAN -> new Stretch(device.firstNs(), device.lastNs());
                    case TAIL -> new Stretch(device.lastNs(), window.endNs());
                    default -> window;
                })
                .orElse(window);
    }

    /**
     * Returns the time of waits that the replay keeps, in ns, because they end elsewhere. Without classes it is not
     * known which waits stay.
     */
    private long otherWaitsNs(List<LedgerClass> classes) {
        return ledger.entries().stream()
                .filter(e -> !classes.isEmpty() && !classes.contains(e.ledgerClass()))
                .filter(e -> GainErrors.isEndedElsewhere(e.ledgerClass()))
                .mapToLong(Ledger.Entry::ns)
                .sum();
    }

    private long boundNs(List<LedgerClass> classes) {
        return ledger.entries().stream()
                .filter(e -> classes.contains(e.ledgerClass()))
                .mapToLong(Ledger.Entry::boundNs)
                .sum();
    }
}
