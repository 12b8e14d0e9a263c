package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.FileAccess;
import java.util.List;
import java.util.Map;

/** Reports files so small that opening and closing them costs more than reading them. */
final class SmallFilesRule extends Rule {
    private static final int MOST_PLACES = 2;

    /** A place with less of the cost is not shown. */
    private static final double WORTH_SHOWING = 0.1;

    private static final List<LedgerClass> CLASSES = List.of(
            LedgerClass.SYSTEM_FILE,
            LedgerClass.WAIT_IO,
            LedgerClass.CPU_PREPROCESSING,
            LedgerClass.FRAMEWORK_COMPILE_LOAD);

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        FileAccess files = FileAccess.of(analysis, analysis.judged().stretch());
        if (files.samples() < limit(analysis, "samples")) {
            return new Verdict.NotApplicable("few native samples are in the operating system's calls for files");
        }
        double all = Math.max(1, files.perFileNs() + files.dataNs());
        double ratio = files.perFileNs() / all;
        double error = Math.sqrt(ratio * (1 - ratio) / files.samples());
        if (ratio - error < limit(analysis, "per-file") || files.opensNs() / all < limit(analysis, "opening")) {
            return Verdict.clean(Units.percent(files.dataNs() / all)
                    + " of the operating system's time for files is for their data");
        }
        long costNs = Math.min(ledger.durationNs(), files.ns() + ledger.ns(LedgerClass.WAIT_IO));
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("opening, reading and closing files takes at least " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = finding(ledger, costNs)
                .causes(CLASSES.stream().filter(c -> ledger.ns(c) > 0).toList())
                .measure("ratio", Units.percent(ratio));
        places(finding, "one file a call", files.functions());
        places(finding, "the operating system, near", files.lines());
        return Verdict.found(
                finding.advice(analysis).noGain("how long larger files would take to read is not in the recording"));
    }

    private static void places(FindingBuilder finding, String what, List<Map.Entry<String, Long>> places) {
        places.stream()
                .filter(place -> place.getValue() >= WORTH_SHOWING * finding.costNs())
                .limit(MOST_PLACES)
                .forEach(place -> finding.place(what, place.getKey(), place.getValue(), 1));
    }
}
