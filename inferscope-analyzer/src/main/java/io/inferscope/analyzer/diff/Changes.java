package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Pairing.Pair;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compares the entities of one kind in two recordings, per unit of work. */
record Changes(Side before, Side after, Unit unit) {
    /** Largest changes whose noise is judged; smaller ones do not matter. */
    private static final int SAMPLED = 12;

    static final Comparator<Change> LARGEST_FIRST = Order.<Change>comparingDouble(change -> -Math.abs(change.grownNs()))
            .thenComparing(Change::name)
            .thenComparing(Change::id);

    /** Suffix of the title of a group whose figures are not divided by the unit of work. */
    private static final String OF_WHOLE = ", of the whole recordings";

    /** A count and a time of one recording. */
    private record Amount(double count, double ns) {
        private static final Amount NONE = new Amount(0, 0);

        Amount plus(Amount other) {
            return new Amount(count + other.count, ns + other.ns);
        }
    }

    /** Returns the ledger classes of the compared parts. */
    Group ledger() {
        Map<LedgerClass, Amount> a = classes(before.ledger(unit.before().part()));
        Map<LedgerClass, Amount> b = classes(after.ledger(unit.after().part()));
        List<Change> changes = new ArrayList<>();
        for (LedgerClass ledgerClass : LedgerClass.values()) {
            if (a.containsKey(ledgerClass) || b.containsKey(ledgerClass)) {
                changes.add(change(
                        new Pair<>(ledgerClass.label(), "", a.get(ledgerClass), b.get(ledgerClass)), ledgerClass.id()));
            }
        }
        changes.sort(LARGEST_FIRST);
        return new Group("ledger", "Where the time of " + unit.words() + " went", true, changes);
    }

    private static Map<LedgerClass, Amount> classes(Optional<Ledger> ledger) {
        Map<LedgerClass, Amount> classes = new EnumMap<>(LedgerClass.class);
        ledger.ifPresent(l ->
                l.entries().forEach(entry -> classes.put(entry.ledgerClass(), new Amount(1, entry.ns()))));
        return classes;
    }

    /** Returns the places of the time of steps, of the judged device's idle time, or of the judged thread. */
    Group places() {
        boolean idle = before.device().isPresent() && after.device().isPresent();
        if (unit.isStep()) {
            return stepPlaces(
                    idle
                            ? "Idle time of steps by cause, with its main place"
                            : "Time of steps by cause, with its main place");
        }
        Function<Side, Map<String, Amount>> places = idle ? Changes::idlePlaces : Changes::hostPlaces;
        return paired(
                "places",
                idle ? "Idle time of the device by cause and place" : "Time of the host thread by cause and place",
                places.apply(before),
                places.apply(after));
    }

    /**
     * Compares the causes of the steps' time, each with the place that has most of it. Two places of one cause and
     * activity are one entity: which of them has most may differ between two runs of one program.
     */
    private Group stepPlaces(String title) {
        Map<String, Placed> one = stepPlaces(before);
        Map<String, Placed> other = stepPlaces(after);
        List<Change> changes = new ArrayList<>();
        for (Pair<Placed> pair : Pairing.of(one, other)) {
            Placed a = pair.before();
            Placed b = pair.after();
            String name = b == null ? a == null ? "" : a.name() : b.name();
            String formerly = a == null || b == null || a.name().equals(b.name()) ? "" : a.name();
            changes.add(change(new Pair<>(name, formerly, amount(a), amount(b)), ""));
        }
        changes.sort(LARGEST_FIRST);
        return new Group("places", title, true, changes);
    }

    private Map<String, Placed> stepPlaces(Side side) {
        Map<String, Placed> places = new TreeMap<>();
        for (StepFigures step : side.report().rows(StepTables.STEPS)) {
            for (StepCause cause : step.causes()) {
                Amount amount = new Amount(step.count(), cause.totalNs());
                places.merge(
                        place(cause.cause(), cause.activity(), ""),
                        new Placed(place(cause.cause(), cause.activity(), cause.where()), amount, cause.totalNs()),
                        Placed::plus);
            }
        }
        return places;
    }

    /**
     * The time of a cause in an activity.
     *
     * @param name cause, activity and main place
     * @param amount all of it
     * @param mostNs what the steps have of which the place is
     */
    private record Placed(String name, Amount amount, long mostNs) {
        Placed plus(Placed other) {
            return new Placed(
                    other.mostNs > mostNs ? other.name : name,
                    amount.plus(other.amount),
                    Math.max(mostNs, other.mostNs));
        }
    }

    private static @Nullable Amount amount(@Nullable Placed placed) {
        return placed == null ? null : placed.amount;
    }

    private static Map<String, Amount> idlePlaces(Side side) {
        String device = side.device().orElseThrow().id();
        Map<String, Amount> places = new TreeMap<>();
        for (BlameFigures blame : side.report().rows(Report.IDLE_BLAME)) {
            if (blame.device().equals(device) && blame.phase() == LedgerPart.SPAN) {
                String name = place(blame.cause(), blame.activity(), blame.where());
                places.merge(name, new Amount(blame.gaps(), blame.ns()), Amount::plus);
            }
        }
        return places;
    }

    private static Map<String, Amount> hostPlaces(Side side) {
        Map<String, Amount> places = new TreeMap<>();
        for (PlaceFigures figures : side.report().rows(HostTables.HOST_TIME)) {
            String name = place(figures.cause(), figures.activity(), figures.where());
            places.merge(name, new Amount(figures.pieces(), figures.ns()), Amount::plus);
        }
        return places;
    }

    private static String place(LedgerClass cause, String activity, String where) {
        String place = StableNames.ofPlace(where);
        boolean said = activity.isEmpty() || place.startsWith(activity + " "); // A script's scope has its file's name.
        String text = cause.label() + (said ? "" : ": " + StableNames.ofAnnotation(activity));
        return place.isEmpty() ? text : text + " at " + place;
    }

    /** Pairs two maps of amounts, entity by entity. */
    private Group paired(String id, String title, Map<String, Amount> one, Map<String, Amount> other) {
        List<Change> changes = new ArrayList<>();
        Pairing.of(one, other).forEach(pair -> changes.add(change(pair, "")));
        changes.sort(LARGEST_FIRST);
        return new Group(id, title, true, changes);
    }

    private Change change(Pair<Amount> pair, String id) {
        return change(pair, id, unit.before().count(), unit.after().count());
    }

    private static Change change(Pair<Amount> pair, String id, double beforeUnits, double afterUnits) {
        Amount a = pair.before() == null ? Amount.NONE : pair.before();
        Amount b = pair.after() == null ? Amount.NONE : pair.after();
        return new Change(
                pair.name(),
                pair.formerly(),
                id,
                a.count / beforeUnits,
                b.count / afterUnits,
                a.ns / beforeUnits,
                b.ns / afterUnits,
                null);
    }

    /**
     * Returns entities by name, per unit of work. Reports have no amounts of parts: theirs are of the whole recording.
     */
    Group things(EntityKind things) {
        boolean whole = before instanceof ReportedSide;
        List<Row> rows = new ArrayList<>();
        for (Pair<Durations> pair : Pairing.of(
                before.durations(things, compared(unit.before())), after.durations(things, compared(unit.after())))) {
            Pair<Amount> amounts =
                    new Pair<>(pair.name(), pair.formerly(), amount(pair.before()), amount(pair.after()));
            rows.add(new Row(whole ? change(amounts, "", 1, 1) : change(amounts, ""), pair));
        }
        rows.sort(Order.comparing(Row::change, LARGEST_FIRST));
        List<Change> changes = new ArrayList<>();
        rows.forEach(row -> changes.add(changes.size() < SAMPLED ? row.sampled() : row.change));
        return new Group(things.id(), things.title() + (whole ? OF_WHOLE : ""), !whole, changes);
    }

    /** Returns the interval whose rows are compared: the whole window, unless steps or requests of a part represent it. */
    private Stretch compared(Unit.Extent extent) {
        return unit.isDivided() ? extent.stretch() : new Stretch(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** A change and the durations it was computed from. */
    private record Row(Change change, Pair<Durations> pair) {
        Change sampled() {
            Durations a = pair.before();
            Durations b = pair.after();
            return a == null || b == null
                    ? change
                    : change.with(
                            RankShift.of(a.single().inTimeOrderNs(), b.single().inTimeOrderNs()));
        }
    }

    private static @Nullable Amount amount(@Nullable Durations durations) {
        return durations == null ? null : new Amount(durations.count(), durations.totalNs());
    }
}
