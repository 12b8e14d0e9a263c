package io.inferscope.report.common;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One part of an interval of time that is divided without remainder.
 *
 * @param label its name
 * @param id its stable id
 * @param ns its length
 * @param percent its share, rounded so that all parts total 100.0%
 */
public record Part(String label, String id, long ns, String percent) {
    /** Returns the breakdown of the window, in the roll-up's order. */
    static List<Part> ofRollup(Map<LedgerClass.Rollup, Long> rollup, boolean deviceWork) {
        List<LedgerClass.Rollup> lines = List.copyOf(rollup.keySet());
        return of(
                lines.stream().map(line -> line.label(deviceWork)).toList(),
                lines.stream().map(LedgerClass.Rollup::id).toList(),
                lines.stream().map(line -> rollup.getOrDefault(line, 0L)).toList());
    }

    /** Returns the classes of a ledger, largest first. */
    public static List<Part> ofLedger(Ledger ledger) {
        List<Ledger.Entry> entries = ledger.entries();
        return of(
                entries.stream().map(entry -> entry.ledgerClass().label()).toList(),
                entries.stream().map(entry -> entry.ledgerClass().id()).toList(),
                entries.stream().map(Ledger.Entry::ns).toList());
    }

    /** Returns parts, with several parts of less than half a percent each merged into one; the total remains 100.0%. */
    public static List<Part> folded(List<Part> parts) {
        long sumNs = parts.stream().mapToLong(Part::ns).sum();
        List<Part> large =
                parts.stream().filter(part -> part.ns() >= sumNs / 200).toList();
        List<Part> small =
                parts.stream().filter(part -> part.ns() < sumNs / 200).toList();
        if (small.size() < 2) {
            return parts;
        }
        List<String> labels = new ArrayList<>(large.stream().map(Part::label).toList());
        List<Long> ns = new ArrayList<>(large.stream().map(Part::ns).toList());
        labels.add("Other (" + small.size() + " lines)");
        ns.add(small.stream().mapToLong(Part::ns).sum());
        return of(labels, ns);
    }

    /** Returns parts whose labels are their ids. */
    static List<Part> of(List<String> ids, List<Long> ns) {
        return of(ids, ids, ns);
    }

    private static List<Part> of(List<String> labels, List<String> ids, List<Long> ns) {
        List<String> percents = Percentages.of(ns);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            parts.add(new Part(labels.get(i), ids.get(i), ns.get(i), percents.get(i)));
        }
        return parts;
    }
}
