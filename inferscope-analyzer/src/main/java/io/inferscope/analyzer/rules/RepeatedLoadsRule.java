package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reports that the same thing is loaded, read or tokenized over and over. Basis: docs/rules/repeated-loads.md. */
final class RepeatedLoadsRule extends Rule {
    static final String ID = "repeated-loads";

    /** How the probe names the loading of certificates. */
    private static final String CERTIFICATES = "TLS certificates";

    private static final int MOST_PLACES = 3;

    /** Loads of one thing, but for the first one. */
    private static final class Loads {
        private final HostCalls again = new HostCalls();
        private final Map<String, HostCalls> places = new TreeMap<>();
        private String name = "";
        private String what = "";
        private boolean onlyBegins;
        private LedgerClass of = LedgerClass.UNATTRIBUTED;
        private long count;
        private long ns;

        long ns() {
            return ns;
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Map<String, Loads> loads = loads(analysis);
        if (loads.isEmpty()) {
            return new Verdict.NotApplicable("what is loaded is not recorded");
        }
        Ledger ledger = HostShare.judged(analysis);
        double least = limit(analysis, "count");
        Optional<Loads> most =
                loads.values().stream().filter(same -> same.count >= least).max(Order.comparingLong(Loads::ns));
        if (most.isEmpty() || ledger.share(most.get().ns) < leastShare(analysis)) {
            return Verdict.clean(
                    most.isEmpty()
                            ? "nothing is loaded " + Math.round(least) + " times"
                            : "loading the same again takes " + ledger.shareOfPart(most.get().ns));
        }
        return Verdict.found(finding(ledger, most.get(), analysis));
    }

    private FindingBuilder finding(Ledger ledger, Loads same, Analysis analysis) {
        List<Map.Entry<String, HostCalls>> places = same.places.entrySet().stream()
                .sorted((a, b) -> Long.compare(
                        b.getValue().times().totalNs(), a.getValue().times().totalNs()))
                .limit(MOST_PLACES)
                .toList();
        FindingBuilder finding = finding(ledger, same.ns)
                .measure("name", same.name)
                .measure("what", same.what)
                .measure("count", Units.count(same.count))
                .measure("where", places.isEmpty() ? "" : " at " + places.get(0).getKey());
        if (same.onlyBegins) {
            finding.claim(row("tokens"));
        }
        places.forEach(place -> finding.place(
                same.of == LedgerClass.CPU_TOKENIZATION ? "tokenizes it" : "loads it",
                place.getKey(),
                place.getValue().times().totalNs(),
                place.getValue().count()));
        String advice = same.name.equals(CERTIFICATES) ? row("certificates") : same.onlyBegins ? row("tokens") : ID;
        return finding.advice(advice, analysis)
                .causes(same.of == LedgerClass.UNATTRIBUTED ? List.of() : List.of(same.of))
                .loadsOnce(analysis, same.again);
    }

    /** Returns the loads by the judged threads in the judged part, by what is loaded. */
    private static Map<String, Loads> loads(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        Map<String, Loads> loads = new HashMap<>();
        for (int row : analysis.rows(RowKind.ANNOTATION)) {
            long knownPercent = timeline.attribute(row, Attribute.KNOWN_PERCENT);
            boolean begins = knownPercent != Attribute.ABSENT;
            if (!begins && timeline.attribute(row, Attribute.LOADED) == Attribute.ABSENT) {
                continue;
            }
            String what = timeline.attributeText(row, Attribute.LOADED);
            Loads same = loads.computeIfAbsent(timeline.name(row) + (begins ? "" : '\n' + what), key -> new Loads());
            same.onlyBegins = begins;
            same.name = timeline.name(row);
            same.what = what;
            same.of = analysis.classify(row);
            same.count++;
            long fromNs = Math.max(part.startNs(), timeline.startNs(row));
            long toNs = Math.min(part.endNs(), timeline.endNs(row));
            if (begins) {
                toNs -= (toNs - fromNs) * (100 - knownPercent) / 100;
            }
            if ((begins || same.count > 1) && toNs > fromNs && analysis.isJudged(timeline.track(row))) {
                same.again.add(row, fromNs, toNs);
                same.places
                        .computeIfAbsent(analysis.where(row), where -> new HostCalls())
                        .add(row, fromNs, toNs);
                same.ns += toNs - fromNs;
            }
        }
        return loads;
    }
}
