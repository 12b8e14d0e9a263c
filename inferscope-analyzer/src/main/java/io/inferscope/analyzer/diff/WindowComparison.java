package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Pairing.Pair;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.StepTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Compares two windows: their parts and phases, and their steps. */
final class WindowComparison {
    /** Parts of a window, by the names that ledgers and phases give them. */
    private static final List<LedgerPart> PARTS = List.of(
            LedgerPart.WINDOW,
            LedgerPart.HEAD,
            LedgerPart.SPAN,
            LedgerPart.TAIL,
            LedgerPart.START_UP,
            LedgerPart.LOAD,
            LedgerPart.COMPILE,
            LedgerPart.WARM_UP,
            LedgerPart.STEADY_STATE,
            LedgerPart.AFTER);

    private WindowComparison() {}

    /** Returns the windows, and how they divide; not per unit. */
    static Group of(Side before, Side after) {
        List<Change> parts = new ArrayList<>();
        for (LedgerPart part : PARTS) {
            long one = partNs(before, part);
            long other = partNs(after, part);
            if (one + other > 0) {
                parts.add(new Change(part.id(), "", part.id(), one == 0 ? 0 : 1, other == 0 ? 0 : 1, one, other, null));
            }
        }
        parts.removeIf(part -> part.id().equals(LedgerPart.START_UP.id()) && isOnePhase(part, parts));
        return new Group("parts", "The window and its parts", false, parts);
    }

    /** Returns whether the start-up consists of a single phase, which then is listed instead. */
    private static boolean isOnePhase(Change startUp, List<Change> parts) {
        return parts.stream()
                .anyMatch(part -> !part.id().equals(startUp.id())
                        && part.beforeNs() == startUp.beforeNs()
                        && part.afterNs() == startUp.afterNs());
    }

    private static long partNs(Side side, LedgerPart part) {
        return side.ledger(part)
                .map(Ledger::durationNs)
                .orElseGet(() -> side.report().rows(StepTables.PHASES).stream()
                        .filter(phase -> phase.kind().part() == part)
                        .mapToLong(phase -> phase.stretch().durationNs())
                        .sum());
    }

    /** Returns the median lengths of steps, by name. */
    static Group steps(Side before, Side after) {
        LedgerPart whole =
                before.device().isPresent() && after.device().isPresent() ? LedgerPart.SPAN : LedgerPart.WINDOW;
        List<Change> steps = new ArrayList<>();
        for (Pair<StepLengths> pair : Pairing.of(Unit.steps(before, whole), Unit.steps(after, whole))) {
            StepLengths one = Objects.requireNonNullElse(pair.before(), StepLengths.NONE);
            StepLengths other = Objects.requireNonNullElse(pair.after(), StepLengths.NONE);
            steps.add(new Change(
                    pair.name(),
                    pair.formerly(),
                    "",
                    one.count(),
                    other.count(),
                    one.medianNs(),
                    other.medianNs(),
                    RankShift.of(one.durationsNs(), other.durationsNs())));
        }
        steps.sort(Changes.LARGEST_FIRST);
        return new Group("steps", "Steps: number and median length", false, steps);
    }
}
