package io.inferscope.analyzer;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks that verdict, diagnosis, findings and advice of a report agree with its ledgers and with each other. */
public record Contradictions(
        BoundVerdict verdict,
        List<String> diagnosis,
        List<String> suggestions,
        List<Ledger> ledgers,
        List<Finding> findings,
        String command) {
    /** The system property that makes the analyzer report contradictions as its own failures. */
    static final String CHECK = "inferscope.check-consistency";

    /** Sums of rounded shares, and time that is read at two instants, may differ by so much of the part. */
    private static final double ROUNDING = 0.002;

    /** A finding's gain may be as much longer than its part, because a replay ends after the last recorded instant. */
    private static final double LONGER = 1.05;

    /** Costs that differ by less are the same time. */
    private static final double SAME_COST = 0.15;

    private static final Pattern GOES_TO =
            Pattern.compile("([0-9.]+)% of the ([a-z' -]+?) (?:goes to|is) ([a-zA-Z' ]+)");
    /** An option or a variable with a value, in advice. */
    private static final Pattern SETTING = Pattern.compile("`(--?[\\w-]+[ =][^` ]+|[A-Z][A-Z0-9_]+=[^` ]+)`");

    private static final Pattern DOMINATES = Pattern.compile("(.+) dominates CPU time");

    /** Checks a report, as far as it can without the command of its run. */
    public static List<String> of(Report report) {
        return new Contradictions(
                        report.verdict(),
                        report.diagnosis(),
                        report.suggestions(),
                        report.ledgers(),
                        report.findings(),
                        "")
                .found();
    }

    /** Returns one sentence for each contradiction; none in a report that agrees with itself. */
    List<String> found() {
        List<String> found = new ArrayList<>();
        if (ledgers.isEmpty()) {
            return found;
        }
        bound(ledgers.get(0)).ifPresent(found::add);
        List<String> sentences = new ArrayList<>(diagnosis);
        sentences.add(verdict.claim());
        sentences.forEach(sentence -> shares(sentence, found));
        diagnosis.forEach(sentence -> dominates(sentence, found));
        findings.forEach(finding -> figures(finding, found));
        findings.forEach(finding -> followed(finding.advice(), found));
        twice(found);
        suggestions.stream()
                .filter(advice -> findings.stream().noneMatch(f -> f.advice().equals(advice)))
                .forEach(advice -> found.add("no finding gives the suggestion: " + advice));
        return found;
    }

    /** Advice must not be to set what the command of the run sets. */
    private void followed(String advice, List<String> found) {
        String words = ' ' + command.replace('=', ' ') + ' ';
        SETTING.matcher(advice)
                .results()
                .map(setting -> setting.group(1))
                .filter(setting -> words.contains(' ' + setting.replace('=', ' ') + ' '))
                .forEach(setting ->
                        found.add("the command has `" + setting + "` already, but the advice is: " + advice));
    }

    private Optional<String> bound(Ledger judged) {
        double compute = judged.share(LedgerClass.CPU_MODEL_COMPUTE);
        double gpu = judged.share(LedgerClass.GPU_COMPUTE);
        double host = share(judged, LedgerClass::isHostWork);
        double waits = share(judged, LedgerClass::isWaiting);
        boolean holds = switch (verdict.bound()) {
            case COMPUTE -> compute >= host || compute >= 0.5;
            case GPU -> gpu >= host;
            case CPU -> host >= compute / 2;
            case WAITING -> waits > 0 || gpu < 1;
            default -> true;
        };
        return holds
                ? Optional.empty()
                : Optional.of("the verdict is " + verdict.bound().id() + ", but " + judged.what()
                        + " has model compute "
                        + Units.percent(Math.max(compute, gpu)) + ", host work " + Units.percent(host) + ", waits "
                        + Units.percent(waits));
    }

    private static double share(Ledger ledger, Predicate<LedgerClass> which) {
        return ledger.entries().stream()
                .filter(e -> which.test(e.ledgerClass()))
                .mapToDouble(e -> ledger.share(e.ns()))
                .sum();
    }

    /** A share of a class in a sentence must be that of a ledger of the named part. */
    private void shares(String sentence, List<String> found) {
        Matcher said = GOES_TO.matcher(sentence);
        while (said.find()) {
            double share = Double.parseDouble(said.group(1)) / 100;
            String part = said.group(2);
            String label = said.group(3).strip();
            List<Double> known = ledgers.stream()
                    .filter(ledger -> ledger.partName().equals(part))
                    .flatMap(ledger -> ledger.entries().stream()
                            .filter(e -> label.equals(e.ledgerClass().label()))
                            .map(e -> ledger.share(e.ns())))
                    .toList();
            if (!known.isEmpty() && known.stream().noneMatch(of -> Math.abs(of - share) <= ROUNDING)) {
                found.add("\"" + said.group() + "\", but the ledger has " + Units.percent(known.get(0)));
            }
        }
    }

    /** What dominates CPU time is the largest class of work, and in a balanced program no class dominates. */
    private void dominates(String sentence, List<String> found) {
        Matcher said = DOMINATES.matcher(sentence);
        if (!said.matches()) {
            return;
        }
        if (verdict.bound() == Bound.BALANCED) {
            found.add("\"" + verdict.claim() + "\" and \"" + sentence + "\"");
        }
        Ledger judged = ledgers.get(0);
        boolean ofThread =
                judged.entries().stream().noneMatch(e -> e.ledgerClass().isDeviceBusy());
        Map<LedgerClass, Long> work = judged.entries().stream()
                .filter(e -> Summary.isWork(e.ledgerClass()))
                .collect(Collectors.toMap(Ledger.Entry::ledgerClass, Ledger.Entry::ns));
        work.entrySet().stream()
                .max(Order.comparingByValue())
                .filter(most -> ofThread
                        && !Summary.work(most.getKey()).equals(said.group(1))
                        && work.entrySet().stream()
                                .filter(e -> Summary.work(e.getKey()).equals(said.group(1)))
                                .allMatch(e -> e.getValue() * (1 + SAME_COST) < most.getValue()))
                .ifPresent(most ->
                        found.add("\"" + sentence + "\", but " + most.getKey().label() + " takes more"));
    }

    private void figures(Finding finding, List<String> found) {
        ledgers.stream()
                .filter(ledger -> ledger.what().equals(finding.of()))
                .findFirst()
                .ifPresent(ledger -> {
                    if (Math.abs(ledger.share(finding.costNs()) - finding.share()) > ROUNDING) {
                        found.add(finding.rule() + " has a share of " + Units.percent(finding.share())
                                + ", but its cost is " + Units.percent(ledger.share(finding.costNs())) + " of the "
                                + finding.of());
                    }
                    Finding.Gain gain = finding.gain();
                    if (gain != null && gain.highNs() > LONGER * ledger.durationNs()) {
                        found.add(finding.rule() + " saves " + Units.duration(gain.highNs()) + " of "
                                + Units.duration(ledger.durationNs()));
                    }
                });
    }

    /** One place with one cost is told once, and no rule tells the same twice. */
    private void twice(List<String> found) {
        Set<List<Object>> told = new HashSet<>();
        for (Finding finding : findings) {
            if (!told.add(List.of(finding.rule(), finding.of(), finding.claim()))) {
                found.add(finding.rule() + " says twice: " + finding.claim());
            }
            if (finding.rule().equals(Finding.PLACE)) {
                findings.stream()
                        .filter(other -> !other.rule().equals(Finding.PLACE)
                                && other.severity() != Severity.HEALTHY
                                && other.of().equals(finding.of())
                                && !other.causes().isEmpty()
                                && finding.causes().containsAll(other.causes())
                                && !other.causes().contains(LedgerClass.WAIT_RUN_QUEUE)
                                && Math.abs(other.costNs() - finding.costNs()) <= SAME_COST * finding.costNs()
                                && !other.places().isEmpty()
                                && other.places().get(0).equals(finding.places().get(0)))
                        .forEach(other -> found.add(finding.rule() + " and " + other.rule() + " both report "
                                + finding.places().get(0)));
            }
        }
    }
}
