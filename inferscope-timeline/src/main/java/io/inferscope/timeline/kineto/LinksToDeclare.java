package io.inferscope.timeline.kineto;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.CorrelationLinker;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Decides which links a trace must declare explicitly: those that {@link CorrelationLinker} would not make from
 * correlation ids. If it would make a link that does not exist, or if two links differ only in confidence, so that
 * their order matters, all links are declared.
 */
final class LinksToDeclare {
    private final BitSet declared = new BitSet();
    private final BitSet rows = new BitSet();
    private final boolean all;

    private record Edge(LinkKind kind, int from, int to, int confidencePercent) {
        Edge withoutConfidence() {
            return new Edge(kind, from, to, 0);
        }
    }

    private LinksToDeclare(Timeline timeline, Set<Edge> derived) {
        Links links = timeline.links();
        Set<Edge> places = new HashSet<>();
        int found = 0;
        boolean twice = false;
        for (int i = 0; i < links.count(); i++) {
            Edge edge = new Edge(links.kind(i), links.fromRow(i), links.toRow(i), links.confidencePercent(i));
            twice |= !places.add(edge.withoutConfidence());
            if (derived.contains(edge)) {
                found++;
            } else {
                declared.set(i);
            }
        }
        all = twice || found < derived.size();
        if (all) {
            declared.set(0, links.count());
        }
        declared.stream().forEach(link -> {
            rows.set(links.fromRow(link));
            rows.set(links.toRow(link));
        });
    }

    static LinksToDeclare of(Timeline timeline) {
        CorrelationLinker linker = new CorrelationLinker(timeline::startNs);
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.correlation(row) != 0) {
                linker.add(row, timeline.kind(row), CorrelationLinker.ONE_PROCESS, timeline.correlation(row));
            }
        }
        Set<Edge> derived = new HashSet<>();
        linker.link((kind, from, to, confidencePercent) -> derived.add(new Edge(kind, from, to, confidencePercent)));
        return new LinksToDeclare(timeline, derived);
    }

    /** Returns whether all links are declared, so that readers make none from correlation ids. */
    boolean areAllDeclared() {
        return all;
    }

    boolean isDeclared(int link) {
        return declared.get(link);
    }

    /** Returns whether a declared link begins or ends at a row. */
    boolean isRowNamed(int row) {
        return rows.get(row);
    }
}
