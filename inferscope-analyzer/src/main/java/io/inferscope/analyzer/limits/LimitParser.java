package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.limits.Limit.Operator;
import io.inferscope.analyzer.limits.Metric.Kind;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding.Severity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads limits such as {@code idle>20%, span.copy.h2d>=5ms, verdict=cpu}:
 *
 * <pre>
 *   limits := limit { "," limit }
 *   limit  := [ "delta." ] [ part "." ] metric [ "?" ] operator value
 *   part   := "window" | "span" | "head" | "tail" | ...         as the ledgers of the report
 *   value  := number ( "%" | "ns" | "us" | "ms" | "s" | nothing ) | word
 * </pre>
 */
final class LimitParser {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9.-]*");
    private static final Pattern NUMBER = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) *(%|ns|us|ms|s|)");
    private static final Pattern PART = Pattern.compile("(window|span|head|tail|start-up|steady-state)\\.(.+)");
    private static final String DELTA = "delta.";
    private static final Map<String, Double> NS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);

    private final String text;
    private int at;

    private LimitParser(String text) {
        this.text = text;
    }

    /**
     * Returns the limits of an expression, in their order.
     *
     * @throws LimitException when it is not understood
     */
    static List<Limit> parse(String text) {
        LimitParser parser = new LimitParser(text);
        List<Limit> limits = new ArrayList<>();
        do {
            limits.add(parser.limit());
        } while (parser.next(","));
        if (parser.at < text.length()) {
            throw parser.wrong(parser.at, "expected \",\" or the end");
        }
        return limits;
    }

    private Limit limit() {
        blanks();
        int start = at;
        String name = match(NAME, "expected a metric, such as idle>20%").group();
        boolean growth = name.startsWith(DELTA);
        String rest = growth ? name.substring(DELTA.length()) : name;
        Matcher parted = PART.matcher(rest);
        String part = parted.matches() ? parted.group(1) : "";
        Metric metric = metric(part.isEmpty() ? rest : parted.group(2), start);
        if (!part.isEmpty() && metric.kind() != Kind.SHARE) {
            throw wrong(start, metric.name() + " is not a part of a ledger: leave out \"" + part + ".\"");
        }
        if (growth && metric.kind() != Kind.SHARE && metric.kind() != Kind.TIME) {
            throw wrong(start, metric.name() + " has no difference: leave out \"" + DELTA + "\"");
        }
        boolean onlyWhereKnown = next("?");
        Operator operator = operator();
        blanks();
        int valueAt = at;
        if (metric.kind() == Kind.WORD) {
            String word = match(NAME, "expected a word").group();
            checkWord(metric, operator, word, valueAt);
            return new Limit(written(start), metric, part, false, onlyWhereKnown, operator, 0, false, word);
        }
        Matcher number = match(NUMBER, "expected a number, such as 20% or 5ms");
        double value = Double.parseDouble(number.group(1));
        String unit = number.group(2);
        checkUnit(metric, growth, unit, valueAt);
        return new Limit(
                written(start),
                metric,
                part,
                growth,
                onlyWhereKnown,
                operator,
                unit.equals("%") ? value / 100 : value * NS.getOrDefault(unit, 1.0),
                unit.equals("%"),
                "");
    }

    private String written(int start) {
        return text.substring(start, at).strip();
    }

    private Metric metric(String name, int column) {
        return Metric.named(name).orElseThrow(() -> wrong(column, "no metric \"" + name + "\"" + nearest(name)));
    }

    private static String nearest(String name) {
        Optional<String> like = Metric.ALL.stream()
                .map(Metric::name)
                .filter(known -> known.contains(name) || name.contains(known))
                .findFirst();
        return like.map(known -> "; is \"" + known + "\" meant?").orElse("; docs/fail-on.md lists them");
    }

    private Operator operator() {
        blanks();
        for (Operator operator : Operator.values()) {
            if (next(operator.sign())) {
                return operator;
            }
        }
        throw wrong(at, "expected one of > >= < <= = !=");
    }

    private void checkWord(Metric metric, Operator operator, String word, int column) {
        boolean ordered = operator != Operator.SAME && operator != Operator.OTHER;
        if (metric.name().equals(Metric.SEVERITY)) {
            known(
                    word,
                    column,
                    Arrays.stream(Severity.values()).map(Severity::id).toList());
        } else if (ordered) {
            throw wrong(column, metric.name() + " has no order: use = or !=");
        }
        if (metric.name().equals(Metric.VERDICT)) {
            known(word, column, Arrays.stream(Bound.values()).map(Bound::id).toList());
        }
    }

    private void known(String word, int column, List<String> words) {
        if (!words.contains(word)) {
            throw wrong(column, "expected one of " + String.join(", ", words).toLowerCase(Locale.ROOT));
        }
    }

    private void checkUnit(Metric metric, boolean growth, String unit, int column) {
        boolean fits = switch (metric.kind()) {
            case SHARE -> growth ? unit.equals("%") : !unit.isEmpty();
            case TIME -> growth ? unit.equals("%") : NS.containsKey(unit);
            case GROWTH -> unit.equals("%");
            case COUNT -> unit.isEmpty();
            case WORD -> false;
        };
        if (!fits) {
            throw wrong(column, metric.name() + " takes " + expected(metric, growth));
        }
    }

    private static String expected(Metric metric, boolean growth) {
        return switch (metric.kind()) {
            case SHARE -> growth ? "percentage points, such as 5%" : "a percentage or a time, such as 20% or 5ms";
            case TIME -> growth ? "a percentage, such as 5%" : "a time, such as 5ms";
            case GROWTH -> "a percentage, such as 5%";
            case COUNT, WORD -> "a plain number";
        };
    }

    private Matcher match(Pattern pattern, String otherwise) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw wrong(at, otherwise);
        }
        at = matcher.end();
        return matcher;
    }

    private boolean next(String sign) {
        blanks();
        boolean there = text.startsWith(sign, at);
        at += there ? sign.length() : 0;
        return there;
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private LimitException wrong(int column, String problem) {
        return new LimitException(text, column, problem);
    }
}
