package io.inferscope.report.scene;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where places lie that evidence names without a time, such as a line of code, an operator or a kernel: on the longest row that has that name or
 * lies at that line. A place may name both, {@code line > operator}.
 */
final class Landings {
    private static final String BELOW = " > ";

    /** What a place asks for at its line: any row, or those of one name. */
    private record Wanted(String place, String name) {}

    private final Analysis analysis;
    private final Timeline timeline;
    private final Map<String, Integer> longest = new HashMap<>();

    /** By name id: whether a place is such a name. */
    private final boolean[] named;

    private final Map<String, List<Wanted>> byLine = new HashMap<>();

    Landings(Analysis analysis, Report report) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.named = new boolean[timeline.nameCount()];
        Set<String> places = places(report);
        for (int name = 0; name < named.length; name++) {
            named[name] = places.remove(timeline.text(name));
        }
        for (String place : places) {
            int below = place.indexOf(BELOW);
            String line = below < 0 ? place : place.substring(0, below);
            byLine.computeIfAbsent(line, absent -> new ArrayList<>())
                    .add(new Wanted(place, below < 0 ? "" : place.substring(below + BELOW.length())));
        }
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (RowLanes.isDrawn(timeline.kind(row)) || timeline.kind(row) == RowKind.STACK_SAMPLE) {
                take(row);
            }
        }
    }

    private static Set<String> places(Report report) {
        Set<String> places = new HashSet<>();
        report.findings()
                .forEach(finding -> finding.evidence().forEach(evidence -> {
                    if (evidence instanceof Evidence.Place place
                            && !place.where().isBlank()) {
                        places.add(place.where());
                    }
                }));
        return places;
    }

    private void take(int row) {
        if (named[timeline.nameId(row)]) {
            keep(timeline.name(row), row);
        }
        String line = byLine.isEmpty() ? "" : analysis.where(row);
        for (Wanted wanted : line.isEmpty() ? List.<Wanted>of() : byLine.getOrDefault(line, List.of())) {
            if (wanted.name().isEmpty() || wanted.name().equals(timeline.name(row))) {
                keep(wanted.place(), row);
            }
        }
    }

    private void keep(String place, int row) {
        longest.merge(place, row, (old, now) -> length(now) > length(old) ? now : old);
    }

    private long length(int row) {
        return timeline.endNs(row) - timeline.startNs(row);
    }

    /** Returns the row on which each place lies; a place that is not drawn has none. */
    Map<String, Integer> rows() {
        return longest;
    }
}
