package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerClass.Rollup;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * The time of every class, of every line of the roll-up and of some other unions of classes, in every ledger: {@code
 * [PART.]CLASS.share} and {@code [PART.]CLASS.ns}. Without a part, the name refers to the judged ledger.
 */
final class LedgerMetrics {
    /** Prefixes of the parts; the judged part has none. */
    static final Map<String, String> PARTS = parts();

    /** Classes by name. Unions of classes come first: device activity and waits, then lines of the roll-up. */
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
        classes.put("idle", those(c -> !c.isDeviceBusy()));
        classes.put("busy", those(LedgerClass::isDeviceBusy));
        classes.put("gpu", those(c -> c == LedgerClass.GPU_COMPUTE));
        classes.put("copy", those(LedgerClass::isCopy));
        classes.put("cpu", those(LedgerClass::isHostWork));
        for (Rollup line : Rollup.values()) {
            classes.put(line.id(), those(c -> c.rollup() == line));
        }
        for (LedgerClass ledgerClass : LedgerClass.values()) {
            classes.put(ledgerClass.id(), List.of(ledgerClass));
        }
        return classes;
    }

    private static List<LedgerClass> those(Predicate<LedgerClass> wanted) {
        return Arrays.stream(LedgerClass.values()).filter(wanted).toList();
    }

    /** Returns every metric of every part. */
    static List<Metric> all() {
        List<Metric> metrics = new ArrayList<>();
        PARTS.forEach((part, what) -> {
            String prefix = part.isEmpty() ? "" : part + '.';
            CLASSES.forEach((id, classes) -> {
                Time time = new Time(part, classes, isOfDevice(id), true);
                metrics.add(new Metric(prefix + id + ".share", "", MeasureUnit.RATIO, "of " + what, time));
                metrics.add(new Metric(prefix + id + ".ns", "", MeasureUnit.NS, "of " + what, time.asLength()));
            });
            String length = part.isEmpty() ? "judged.duration-ns" : prefix + "duration-ns";
            metrics.add(new Metric(length, shortName(part), MeasureUnit.NS, "of " + what, new Length(part)));
        });
        return metrics;
    }

    /** Whether a class has a meaning only in recordings with device work. */
    private static boolean isOfDevice(String id) {
        return id.equals("busy") || id.equals("idle") || id.equals("gpu") || id.startsWith("gpu.");
    }

    private static String shortName(String part) {
        return part.equals("window") ? "wall" : part.equals("span") ? part : "";
    }

    private static Optional<Ledger> ledger(FigureSource facts, String part) {
        return switch (part) {
            case "" -> Optional.of(facts.judgedLedger());
            case "thread" -> facts.threadLedger();
            default -> facts.ledger(LedgerPart.of(part));
        };
    }

    private record Length(String part) implements Metric.Source {
        @Override
        public OptionalDouble read(FigureSource facts) {
            return LedgerMetrics.ledger(facts, part)
                    .map(ledger -> OptionalDouble.of((double) ledger.durationNs()))
                    .orElseGet(OptionalDouble::empty);
        }

        @Override
        public String absence(FigureSource facts) {
            return "there is no " + part;
        }
    }

    private record Time(String part, List<LedgerClass> classes, boolean ofDevice, boolean share)
            implements Metric.Source {
        Time asLength() {
            return new Time(part, classes, ofDevice, false);
        }

        @Override
        public OptionalDouble read(FigureSource facts) {
            Optional<Ledger> ledger = ledger(facts);
            if (ledger.isEmpty() || (ofDevice && facts.device().isEmpty())) {
                return OptionalDouble.empty();
            }
            long ns = classes.stream()
                    .mapToLong(ledgerClass -> ledger.get().ns(ledgerClass))
                    .sum();
            return OptionalDouble.of(share ? ledger.get().share(ns) : (double) ns);
        }

        @Override
        public String absence(FigureSource facts) {
            return ledger(facts).isEmpty() ? "there is no " + part : "no device work is recorded";
        }

        @Override
        public Optional<Ledger> ledger(FigureSource facts) {
            return LedgerMetrics.ledger(facts, part);
        }
    }
}
