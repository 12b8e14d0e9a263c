package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reports places at which torch.compile ends a graph. */
final class GraphBreaksRule extends Rule {
    /** The probe's mark at each break; its detail is the place and the reason, on two lines. */
    private static final String BREAK = "graph break";

    /** In the name of a function by which a compiler goes on behind a break, before the function and its line. */
    private static final String RESUME = "resume_in_";

    private static final int MOST_PLACES = 4;

    private static final List<LedgerClass> AROUND_REGIONS = List.of(
            LedgerClass.CPU_PYTHON,
            LedgerClass.FRAMEWORK_PYTHON,
            LedgerClass.FRAMEWORK_DISPATCH,
            LedgerClass.FRAMEWORK_LAUNCH);

    /** What the recording tells of compiled code: whether there is any, and its breaks by place and reason. */
    private static final class Breaks {
        private boolean compiled;
        private final Map<String, Long> counts = new TreeMap<>();
        private final Set<String> places = new HashSet<>();

        Breaks(Analysis analysis) {
            Timeline timeline = analysis.timeline();
            for (int id = 0; id < timeline.nameCount(); id++) {
                String name = timeline.text(id);
                compiled |= NameRole.COMPILED_CODE.in(name);
                if (NameRole.RESUMED_CODE.in(name)) {
                    countResume(name);
                }
            }
            boolean marked = false;
            for (int row : compiled ? analysis.rows(RowKind.ANNOTATION) : new int[0]) {
                if (timeline.name(row).equals(BREAK)) {
                    if (!marked) { // The same breaks, with their reasons.
                        marked = true;
                        counts.clear();
                        places.clear();
                    }
                    String[] told =
                            timeline.attributeText(row, Attribute.DETAIL).split("\n", 2);
                    places.add(told[0]);
                    counts.merge(String.join(": ", told), 1L, Long::sum);
                }
            }
        }

        /** Counts a function, in the text of a frame or of a place, by which a compiler goes on behind a break. */
        private void countResume(String name) {
            int file = Math.min(name.indexOf(':'), name.indexOf('(') < 0 ? name.length() : name.indexOf('('));
            String function = name.substring(name.indexOf(RESUME) + RESUME.length());
            int line = function.lastIndexOf("_at_");
            String number = function.substring(line + "_at_".length());
            if (file > 0 && line > 0 && !number.isEmpty() && number.chars().allMatch(c -> c >= '0' && c <= '9')) {
                String place = name.substring(0, file) + ":" + number + " " + function.substring(0, line);
                places.add(place);
                counts.put(place, 1L);
            }
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Breaks breaks = new Breaks(analysis);
        if (!breaks.compiled) {
            return notApplicable("unrecorded");
        }
        if (breaks.counts.isEmpty()) {
            return Verdict.clean(FindingBuilder.text(row("clean")));
        }
        Ledger ledger = HostShare.judged(analysis);
        long aroundNs = HostShare.ns(ledger, AROUND_REGIONS);
        boolean costs = ledger.share(aroundNs) >= limit(analysis, "around.share");
        long count = breaks.places.size();
        FindingBuilder finding = finding(ledger, 0)
                .severity(costs ? Severity.WARNING : Severity.INFO)
                .measure("places", count == 1 ? "one place" : Units.count(count) + " places")
                .measure("around", ledger.shareOfPart(aroundNs));
        breaks.counts.entrySet().stream()
                .sorted(Order.largestFirst())
                .limit(MOST_PLACES)
                .forEach(place -> finding.quantity("graph break at " + place.getKey(), place.getValue(), "count"));
        return Verdict.found(
                finding.advice(analysis).noGain("how long the parts would take as one graph is not recorded"));
    }
}
