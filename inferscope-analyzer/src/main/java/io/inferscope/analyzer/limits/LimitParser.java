package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.limits.Limit.Operator;
import io.inferscope.analyzer.metrics.LimitSubject;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportProperty;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads limits such as {@code idle>20%, span.copy.h2d>=5ms, verdict=cpu}:
 *
 * <pre>
 *   limits := limit { "," limit }
 *   limit  := [ "delta." ] name [ "?" ] operator value         names: docs/metrics.md
 *   value  := amount, such as 20%, 5ms, 3 | word | percentile of earlier runs, such as p95(history)
 * </pre>
 */
final class LimitParser {
    private static final Pattern NAME = Pattern.compile("[a-z](?:[A-Za-z0-9_.:-]*[A-Za-z0-9_])?");
    private static final Pattern AMOUNT = Pattern.compile("[0-9][0-9.]*(?:[eE][+-]?[0-9]+)? *[A-Za-z%/]*");
    private static final Pattern HISTORY = Pattern.compile("p([1-9][0-9]?)\\(history\\)");
    private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9./-]*");
    private static final String DELTA = "delta.";

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
        String written = match(NAME, "expected a metric, such as idle>20%").group();
        boolean growth = written.startsWith(DELTA);
        String name = growth ? written.substring(DELTA.length()) : written;
        checkName(name, start);
        boolean onlyWhereKnown = next("?");
        Operator operator = operator();
        blanks();
        int valueAt = at;
        Optional<ReportProperty> question = Metrics.question(name);
        if (question.isPresent() && growth) {
            throw wrong(start, name + " has no difference: leave out \"" + DELTA + "\"");
        }
        if (question.isPresent() && question.get() != ReportProperty.REGRESSION) {
            String word = match(WORD, "expected a word").group();
            checkWord(question.get(), operator, word, valueAt);
            return new Limit(
                    text.substring(start, at).strip(), name, question.get(), false, onlyWhereKnown, operator, 0, word);
        }
        Matcher past = HISTORY.matcher(text).region(at, text.length());
        if (!growth && question.isEmpty() && past.lookingAt()) {
            at = past.end();
            Metric metric = metric(name, false, Metrics.isTimeOfLedger(name) ? "%" : "", valueAt);
            String limit = text.substring(start, at).strip();
            return new Limit(limit, name, metric, false, onlyWhereKnown, operator, 0, past.group(1));
        }
        String amount = match(AMOUNT, "expected a number, such as 20% or 5ms").group();
        LimitSubject asked = question.isPresent() ? question.get() : metric(name, growth, amount, valueAt);
        double value = value(name, asked, growth, amount, valueAt);
        return new Limit(text.substring(start, at).strip(), name, asked, growth, onlyWhereKnown, operator, value, "");
    }

    /** An unknown name is reported before its value is checked. */
    private void checkName(String name, int column) {
        boolean known = Metrics.named(name).isPresent()
                || Metrics.isTimeOfLedger(name)
                || Metrics.question(name).isPresent();
        if (known) {
            return;
        }
        int dot = name.indexOf('.');
        String rest = name.substring(dot + 1);
        boolean whole =
                Metrics.named(rest).isPresent() || Metrics.question(rest).isPresent();
        boolean part = dot > 0
                && Metrics.named(name.substring(0, dot) + ".duration-ns").isPresent();
        throw part && whole
                ? wrong(column, rest + " is not a part of a ledger: leave out \"" + name.substring(0, dot + 1) + "\"")
                : wrong(column, "no metric \"" + name + "\"" + nearest(name));
    }

    private static String nearest(String name) {
        Optional<String> like = Metrics.names().stream()
                .filter(known -> known.contains(name) || name.contains(known))
                .findFirst();
        return like.map(known -> "; is \"" + known + "\" meant?").orElse("; docs/metrics.md lists them");
    }

    /** A change is in percentage points for shares, and in percent of the value before for other metrics. */
    private Metric metric(String name, boolean growth, String amount, int column) {
        String told = growth && Metrics.isTimeOfLedger(name) ? "%" : amount;
        return Metrics.named(name, told)
                .orElseThrow(() -> wrong(column, name + " takes a percentage or a time, such as 20% or 5ms"));
    }

    private double value(String name, LimitSubject asked, boolean growth, String amount, int column) {
        boolean share = asked instanceof Metric metric && metric.unit() == MeasureUnit.RATIO;
        if (growth || asked instanceof ReportProperty) {
            String example =
                    growth && share ? " takes percentage points, such as 5%" : " takes a percentage, such as 5%";
            return amount.endsWith("%")
                    ? amount(MeasureUnit.COUNT, amount, name + example, column)
                    : refuse(name + example, column);
        }
        MeasureUnit unit = ((Metric) asked).unit();
        return amount(unit, amount, name + " takes " + unit.example(), column);
    }

    private double amount(MeasureUnit unit, String amount, String otherwise, int column) {
        OptionalDouble value = unit.parse(amount);
        return value.isPresent() ? value.getAsDouble() : refuse(otherwise, column);
    }

    private double refuse(String problem, int column) {
        throw wrong(column, problem);
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

    private void checkWord(ReportProperty question, Operator operator, String word, int column) {
        boolean ordered = operator != Operator.SAME && operator != Operator.OTHER;
        if (question == ReportProperty.SEVERITY) {
            known(
                    word,
                    column,
                    Arrays.stream(Severity.values()).map(Severity::id).toList());
        } else if (ordered) {
            throw wrong(column, question.id() + " has no order: use = or !=");
        }
        if (question == ReportProperty.VERDICT) {
            known(word, column, Arrays.stream(Bound.values()).map(Bound::id).toList());
        }
    }

    private void known(String word, int column, List<String> words) {
        if (!words.contains(word)) {
            throw wrong(column, "expected one of " + String.join(", ", words).toLowerCase(Locale.ROOT));
        }
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
