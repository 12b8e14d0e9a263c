package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerClass.Rollup;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The time of every class and every line of the roll-up, in every ledger: {@code [PART.]CLASS.share} and {@code [PART.]CLASS.ns}.
 * Without a part they speak of the judged one.
 */
final class LedgerMetrics {
    /** What stands before a class; the judged part has no word. */
    static final Map<String, String> PARTS = parts();

    /** What stands for several classes at once: the lines of the roll-up, and whether a device is at work. */
    static final Map<String, List<LedgerClass>> CLASSES = classes();

    private LedgerMetrics() {}

    private static Map<String, String> parts() {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("", "the judged part: what the verdict is about");
        parts.put("window", "first to last recorded activity");
        parts.put("span", "first to last operation of the judged device");
        parts.put("head", "what lies before the span");
        parts.put("tail", "what lies after the span");
        parts.put("start-up", "what lies before the steady state, where one is found");
        parts.put("steady-state", "the steady state, where one is found");
        parts.put("thread", "the window of the thread that is judged or launches most");
        return parts;
    }

    private static Map<String, List<LedgerClass>> classes() {
        Map<String, List<LedgerClass>> classes = new LinkedHashMap<>();
        for (LedgerClass ledgerClass : LedgerClass.values()) {
            classes.computeIfAbsent(ledgerClass.id(), id -> new ArrayList<>()).add(ledgerClass);
        }
        for (Rollup line : Rollup.values()) {
            List<LedgerClass> of = new ArrayList<>();
            for (LedgerClass ledgerClass : LedgerClass.values()) {
                if (ledgerClass.rollup() == line) {
                    of.add(ledgerClass);
                }
            }
            classes.put("rollup." + line.id(), of);
        }
        List<LedgerClass> busy = new ArrayList<>();
        List<LedgerClass> idle = new ArrayList<>();
        for (LedgerClass ledgerClass : LedgerClass.values()) {
            (ledgerClass.isDeviceBusy() ? busy : idle).add(ledgerClass);
        }
        classes.put("busy", busy);
        classes.put("idle", idle);
        return classes;
    }

    /** Returns every metric of every part. */
    static List<Metric> all() {
        List<Metric> metrics = new ArrayList<>();
        PARTS.forEach((part, what) -> {
            String prefix = part.isEmpty() ? "" : part + '.';
            CLASSES.forEach((id, classes) -> {
                metrics.add(metric(prefix + id + ".share", MeasureUnit.RATIO, new Time(part, classes, true), what));
                metrics.add(metric(prefix + id + ".ns", MeasureUnit.NS, new Time(part, classes, false), what));
            });
            String length = part.isEmpty() ? "judged.duration-ns" : prefix + "duration-ns";
            metrics.add(metric(length, MeasureUnit.NS, new Length(part), what));
        });
        return metrics;
    }

    private static Metric metric(String name, MeasureUnit unit, Metric.Source source, String what) {
        return new Metric(name, unit, "of " + what, source);
    }

    private static Optional<Ledger> ledger(Analysis analysis, String part) {
        return switch (part) {
            case "" -> Optional.of(analysis.ledger());
            case "thread" -> analysis.threadLedger();
            default -> analysis.ledger(part);
        };
    }

    private record Length(String part) implements Metric.Source {
        @Override
        public OptionalDouble read(Facts facts) {
            return LedgerMetrics.ledger(facts.analysis(), part)
                    .map(ledger -> OptionalDouble.of((double) ledger.durationNs()))
                    .orElseGet(OptionalDouble::empty);
        }
    }

    private record Time(String part, List<LedgerClass> classes, boolean share) implements Metric.Source {
        @Override
        public OptionalDouble read(Facts facts) {
            return ledger(facts)
                    .map(ledger -> {
                        long ns = classes.stream().mapToLong(ledger::exactNs).sum();
                        return OptionalDouble.of(share ? ledger.share(ns) : (double) ns);
                    })
                    .orElseGet(OptionalDouble::empty);
        }

        @Override
        public Optional<Ledger> ledger(Facts facts) {
            return LedgerMetrics.ledger(facts.analysis(), part);
        }
    }
}
