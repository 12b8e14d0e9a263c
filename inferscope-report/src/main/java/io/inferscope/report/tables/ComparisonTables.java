package io.inferscope.report.tables;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.diff.WorkUnit;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;

/** The tables of a comparison: the changes, largest first; unchanged entities are left out. */
public final class ComparisonTables {
    /** Groups whose entities occur once each, so columns for count and single duration are left out. */
    private static final List<String> WHOLES = List.of("parts", "ledger");

    private ComparisonTables() {}

    public static List<Table> of(Comparison comparison) {
        List<Table> tables = new ArrayList<>();
        comparison.groups().forEach(group -> tables.add(group(comparison, group)));
        tables.add(findings(comparison));
        tables.removeIf(table -> table.rows().isEmpty());
        return tables;
    }

    /** Returns the two recordings, side by side. */
    public static Table parties(Comparison comparison) {
        Party a = comparison.before();
        Party b = comparison.after();
        return new Table(
                "The recordings",
                "",
                List.of(Table.words(""), Table.words("Before"), Table.words("After")),
                List.of(
                        List.of("Recording", a.title(), b.title()),
                        List.of("Format", a.format(), b.format()),
                        List.of("Device", a.device(), b.device()),
                        List.of(
                                "Verdict",
                                a.bound().id() + ": " + a.claim(),
                                b.bound().id() + ": " + b.claim()),
                        List.of("Window", Units.duration(a.windowNs()), Units.duration(b.windowNs()))));
    }

    private static Table group(Comparison comparison, Group group) {
        boolean whole = WHOLES.contains(group.id());
        List<Change> changes =
                group.changes().stream().filter(change -> !change.isSame()).toList();
        return Table.of(group.title(), intro(comparison, group, whole), changes, (row, change) -> {
            String label =
                    change.formerly().isEmpty() ? change.name() : change.name() + " (was " + change.formerly() + ")";
            row.add(whole ? "What" : "Name", whole ? Table.Kind.WORDS : Table.Kind.NAME, label)
                    .number("Before", change.beforeCount() == 0 ? "" : time(change.beforeNs()))
                    .number("After", change.afterCount() == 0 ? "" : time(change.afterNs()))
                    .number("Change", signedTime(change.grownNs()))
                    .number("Ratio", ratio(change));
            if (!whole) {
                row.number("Count before", count(change.beforeCount()))
                        .number("Count after", count(change.afterCount()))
                        .words("One of them", shift(change));
            }
        });
    }

    /** Returns whether the times of a group are divided by a number of steps or requests. */
    public static boolean isDivided(Comparison comparison, Group group) {
        return (comparison.unit() == WorkUnit.STEP || comparison.unit() == WorkUnit.REQUEST) && group.perUnit();
    }

    private static String intro(Comparison comparison, Group group, boolean whole) {
        String per = isDivided(comparison, group)
                ? "Times and counts are means per " + comparison.unit().id() + ". "
                : "";
        return (per
                        + (whole
                                ? ""
                                : "\"One of them\" is the change of a single one's time, with its 99% interval, where each side has"
                                        + " five or more."))
                .strip();
    }

    private static Table findings(Comparison comparison) {
        return Table.of(
                "Findings",
                "",
                comparison.findings(),
                (row, finding) -> row.name("Rule", finding.rule())
                        .words("Before", finding.beforeSeverity().isEmpty() ? "not found" : finding.beforeSeverity())
                        .words("After", finding.afterSeverity().isEmpty() ? "not found" : finding.afterSeverity())
                        .number("Cost before", finding.beforeNs() == 0 ? "" : time(finding.beforeNs()))
                        .number("Cost after", finding.afterNs() == 0 ? "" : time(finding.afterNs())));
    }

    private static String shift(Change change) {
        Shift shift = change.shift();
        return shift == null
                ? ""
                : Units.change(shift.ratio() - 1) + " (" + Units.change(shift.lowRatio() - 1) + " to "
                        + Units.change(shift.highRatio() - 1) + "), "
                        + (shift.isBeyondNoise() ? "beyond noise" : "within noise");
    }

    public static String time(double ns) {
        return Units.duration(Math.round(ns));
    }

    public static String signedTime(double ns) {
        return (Math.round(ns) > 0 ? "+" : "") + time(ns);
    }

    public static String ratio(Change change) {
        return change.isOneSided() ? (change.beforeCount() == 0 ? "new" : "gone") : Units.change(change.grownRatio());
    }

    private static String count(double perUnit) {
        return perUnit == 0 ? "" : Units.quantity(perUnit, "count");
    }
}
