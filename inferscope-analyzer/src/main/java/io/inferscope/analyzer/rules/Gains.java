package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.WhatIf.Saving;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/**
 * Turns what replays save into the gain of a finding: an interval of at most ten points of the finding's stretch, or the reason why none is claimed.
 * Definitions, and where the two error terms come from: docs/gains.md.
 */
record Gains(Analysis analysis, Ledger ledger) {
    /** A gain wider than this part of its ledger is not claimed: DESIGN, what-if. */
    static final double MOST_POINTS = 0.10;

    /** What is left does not run twice alike: replays in the literature miss by 3.3 % (Lumos) to 14 % (dPRO), and so do two runs of one program. */
    private static final double REST_ERROR = 0.05;

    /** Shares are held to this of what programs clock themselves, whatever bound the estimate itself has: scripts/zoo. */
    private static final double ESTIMATE_ERROR = 0.04;

    private static final String NO_INSTANTS =
            "the recording does not say when things happened, so nothing can be replayed";

    /** Replays without classes in the ledger's part. */
    FindingBuilder claim(FindingBuilder finding, List<LedgerClass> classes, String when) {
        return claim(finding, classes, ledger.part(), when);
    }

    /** Replays without classes in a part of the window. */
    FindingBuilder claim(FindingBuilder finding, List<LedgerClass> classes, String part, String when) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        Saving saving = analysis.whatIf().without(EnumSet.copyOf(classes), stretch(part));
        boolean everywhere = saving.namedNs() == saving.moreNs();
        return claim(
                finding,
                saving,
                classes,
                everywhere ? when : when + " in the functions that have most of it",
                everywhere ? when : when + ", nor what else those functions do for it");
    }

    FindingBuilder hidden(FindingBuilder finding, LedgerClass ledgerClass) {
        Saving saving = analysis.whatIf().hidden(EnumSet.of(ledgerClass), stretch(ledger.part()));
        String all = "all of it runs under compute";
        return claim(finding, saving, List.of(ledgerClass), all + " as far as there is compute", all);
    }

    FindingBuilder captured(FindingBuilder finding, List<LedgerClass> launching) {
        Saving saving = analysis.whatIf().captured(EnumSet.copyOf(launching), stretch(ledger.part()));
        return claim(
                finding,
                saving,
                launching,
                "one graph launch per wait of the host, kernels as far apart as queued ones were",
                "all launches are captured in graphs, and kernels follow each other at once");
    }

    FindingBuilder workersAhead(FindingBuilder finding) {
        if (!analysis.timeline().instantsAreRecorded()) {
            return finding.noGain(NO_INSTANTS);
        }
        String ahead = "workers are always ahead";
        return claim(finding, analysis.whatIf().withoutWaitingForOthers(), List.of(), ahead, ahead);
    }

    /** Claims what replays save, within the errors of estimating the cause and of running the rest again. */
    FindingBuilder claim(FindingBuilder finding, Saving saving, List<LedgerClass> classes, String least, String most) {
        if (saving.moreNs() <= 0) {
            return finding.noGain(
                    "replayed without it, the program takes as long: other work fills the time meanwhile");
        }
        long marginNs = marginNs(saving.allNs(), boundNs(classes));
        long lowNs = Math.max(0, saving.namedNs() - marginNs);
        long highNs = Math.min(ledger.durationNs(), saving.moreNs() + marginNs);
        if (highNs - lowNs > MOST_POINTS * ledger.durationNs()) {
            return finding.noGain("replays save " + Units.duration(lowNs) + " to " + Units.duration(highNs) + " ("
                    + points(lowNs, highNs) + " points apart), too wide to act on: "
                    + (saving.moreNs() - saving.namedNs() > marginNs
                            ? "it depends on how much of the code around it goes with it"
                            : "the recording does not tell its time closely enough"));
        }
        return finding.gain(new Gain(
                lowNs,
                highNs,
                List.of(
                        "at least: " + least + ", and the rest runs slower by its error",
                        "at most: " + most + ", and the rest runs faster by its error")));
    }

    private Stretch stretch(String part) {
        Stretch window = analysis.window();
        if (part.equals(analysis.judged().what())) {
            return analysis.judged().stretch();
        }
        return analysis.headline()
                .map(device -> switch (part) {
                    case "head" -> new Stretch(window.startNs(), device.firstNs());
                    case "span" -> new Stretch(device.firstNs(), device.lastNs());
                    case "tail" -> new Stretch(device.lastNs(), window.endNs());
                    default -> window;
                })
                .orElse(window);
    }

    private String points(long lowNs, long highNs) {
        return String.format(Locale.ROOT, "%.1f", 100 * ledger.share(highNs - lowNs));
    }

    private long boundNs(List<LedgerClass> classes) {
        return ledger.entries().stream()
                .filter(e -> classes.contains(e.ledgerClass()))
                .mapToLong(Ledger.Entry::boundNs)
                .sum();
    }

    /** The two errors have nothing to do with each other. */
    private long marginNs(long savedNs, long boundNs) {
        double estimate = Math.min((double) boundNs, ESTIMATE_ERROR * ledger.durationNs());
        double rest = REST_ERROR * Math.max(0, ledger.durationNs() - savedNs);
        return Math.round(Math.hypot(estimate, rest));
    }
}
