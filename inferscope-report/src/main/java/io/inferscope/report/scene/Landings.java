package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.ActivityClassifier;
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
 * Finds the positions of places that evidence names without a time, such as a line of code, an operator or a kernel:
 * the longest row with that name or at that line. A place may name both, {@code line > operator}.
 */
final class Landings {
    private static final String BELOW = " > ";

    /** The rows that a place means at its line: any row, or rows of one name. */
    private record Wanted(String place, String name) {}

    private final ActivityClassifier classifier;
    private final Timeline timeline;
    private final Map<String, Integer> longest = new HashMap<>();

    /**
     * By name id: the places that consist of this name, alone or with the sizes of what the operator works on,
     * {@code aten::mm [[2,3],[3,4]]}.
     */
    private final Map<Integer, List<String>> named = new HashMap<>();

    /** By name id: whether {@link #named} has it. */
    private final boolean[] wanted;

    /** By name id: whether a place combines it with a line. */
    private final boolean[] below;

    private final Map<String, List<Wanted>> byLine = new HashMap<>();

    /**
     * The same by the classifier's number of a place, for the numbers met so far: a text per row would take a tenth of
     * a page's time.
     */
    private final List<List<Wanted>> ofPlaces = new ArrayList<>();

    Landings(Analysis analysis, Report report) {
        this.classifier = analysis.classifier();
        this.timeline = analysis.timeline();
        this.wanted = new boolean[timeline.nameCount()];
        this.below = new boolean[timeline.nameCount()];
        Set<String> places = places(report);
        Map<String, List<String>> byName = new HashMap<>();
        for (String place : places) {
            int sizes = place.indexOf(" [[");
            byName.computeIfAbsent(place, absent -> new ArrayList<>()).add(place);
            if (sizes > 0) {
                byName.computeIfAbsent(place.substring(0, sizes), absent -> new ArrayList<>())
                        .add(place);
            }
        }
        for (int name = 0; name < timeline.nameCount(); name++) {
            List<String> same = byName.get(timeline.text(name));
            if (same != null) {
                named.put(name, same);
                wanted[name] = true;
                same.forEach(places::remove);
            }
        }
        Set<String> names = new HashSet<>();
        for (String place : places) {
            int at = place.indexOf(BELOW);
            String line = at < 0 ? place : place.substring(0, at);
            String name = at < 0 ? "" : place.substring(at + BELOW.length());
            byLine.computeIfAbsent(line, absent -> new ArrayList<>()).add(new Wanted(place, name));
            names.add(name);
        }
        for (int name = 0; name < below.length; name++) {
            below[name] = names.contains(timeline.text(name));
        }
        for (int row = 0; row < timeline.rowCount(); row++) {
            take(row);
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
        int name = timeline.nameId(row);
        RowKind kind = timeline.kind(row);
        boolean atLine = !byLine.isEmpty()
                && (kind == RowKind.PYTHON_FUNCTION || kind == RowKind.STACK_SAMPLE || kind == RowKind.ANNOTATION);
        boolean asked = atLine || wanted[name] || below[name];
        if (!asked || timeline.isCaptured(row) || !(RowLanes.isDrawn(kind) || kind == RowKind.STACK_SAMPLE)) {
            return;
        }
        if (wanted[name]) {
            named.getOrDefault(name, List.of()).forEach(place -> keep(place, row));
        }
        if (!(atLine || below[name])) {
            return;
        }
        for (Wanted one : wantedAt(classifier.placeOf(row))) {
            if (one.name().isEmpty() ? atLine : one.name().equals(timeline.text(name))) {
                keep(one.place(), row);
            }
        }
    }

    private List<Wanted> wantedAt(int place) {
        while (ofPlaces.size() <= place) {
            ofPlaces.add(byLine.getOrDefault(classifier.place(ofPlaces.size()), List.of()));
        }
        return ofPlaces.get(place);
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
