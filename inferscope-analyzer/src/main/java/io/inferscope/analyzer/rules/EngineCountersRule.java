package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The rules about the counters that inference engines write: requests that wait, run and are taken back, and the KV
 * cache.
 */
final class EngineCountersRule extends EngineRule {
    static final EngineCountersRule PREEMPTIONS =
            new EngineCountersRule(EngineCountersRule::preemptions, "preemptions");
    static final EngineCountersRule FEW_SEQUENCES = new EngineCountersRule(EngineCountersRule::fewSequences, "few");
    static final EngineCountersRule EMPTY_QUEUE = new EngineCountersRule(EngineCountersRule::emptyQueue, "empty");
    static final EngineCountersRule TOKEN_USAGE = new EngineCountersRule(EngineCountersRule::tokenUsage, "usage");
    static final EngineCountersRule RETRACTIONS =
            new EngineCountersRule(EngineCountersRule::retractions, "retractions");
    static final EngineCountersRule FREE_MEMORY = new EngineCountersRule(EngineCountersRule::freeMemory, "free");

    private final Judgement judgement;

    private interface Judgement {
        Verdict judge(EngineCountersRule rule, Analysis analysis);
    }

    private EngineCountersRule(Judgement judgement, String of) {
        super(EngineCountersRule.class, of);
        this.judgement = judgement;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        return judgement.judge(this, analysis);
    }

    /** Starts a finding whose cost is not known. */
    private FindingBuilder finding(Analysis analysis, Severity severity) {
        return finding(analysis.ledger(), 0).severity(severity).advice(analysis);
    }

    /** Returns the share of the KV cache from which it is full. */
    private static double full(Analysis analysis) {
        return TOKEN_USAGE.limit(analysis, "usage");
    }

    /** Requests that the engine put back for lack of KV cache. */
    private Verdict preemptions(Analysis analysis) {
        Optional<Double> preemptions = analysis.counters().growth(names("preempted"));
        if (preemptions.isEmpty()) {
            return notRecorded("preempted");
        }
        if (preemptions.get() < 1) {
            return Verdict.clean("no request was preempted");
        }
        FindingBuilder finding = finding(analysis, Severity.WARNING)
                .measure("count", Units.count(Math.round(preemptions.get())))
                .measure("seqs", sequences(analysis))
                .quantity("requests preempted", preemptions.get(), "count")
                .noGain("how much is computed again is not in the counter");
        counter(analysis, "cache")
                .ifPresent(usage -> finding.quantity("most of the KV cache in use", usage.most(), "ratio"));
        return Verdict.found(finding);
    }

    /** Returns the number of requests that ran most of the time, which fit into the KV cache. */
    private String sequences(Analysis analysis) {
        return counter(analysis, "running")
                .map(Series::median)
                .filter(median -> median >= 1)
                .map(median -> Long.toString(Math.round(median)))
                .orElse("128");
    }

    /** Requests that wait only because vLLM runs few at once. */
    private Verdict fewSequences(Analysis analysis) {
        Optional<Series> waiting = counter(analysis, "waiting");
        Optional<Series> running = counter(analysis, "running");
        Optional<Series> usage = counter(analysis, "cache");
        if (waiting.isEmpty() || running.isEmpty() || usage.isEmpty()) {
            return notRecorded("waiting", "running", "cache");
        }
        double most = running.get().most();
        double held = shareHeld(waiting.get(), running.get(), most);
        if (held < limit(analysis, "waiting")) {
            return Verdict.clean(
                    "requests wait, with as many running as ever, in " + Units.percent(held) + " of the readings");
        }
        double used = usage.get().most();
        if (used >= limit(analysis, "cache")) {
            return Verdict.clean("requests wait, and " + Units.percent(used) + " of the KV cache is in use");
        }
        return Verdict.found(finding(analysis, Severity.WARNING)
                .measure("most", Units.count(Math.round(most)))
                .measure("held", Units.percent(held))
                .measure("used", Units.percent(used))
                .measure("asked", Units.count(Math.round(most + waiting.get().median())))
                .quantity("most requests at once", most, "count")
                .quantity("requests that wait, median", waiting.get().median(), "count")
                .quantity("most of the KV cache in use", used, "ratio")
                .noGain("how the engine does with larger batches is not in the recording"));
    }

    /** Returns the share of readings in which requests wait while as many run as in any reading. */
    private static double shareHeld(Series waiting, Series running, double most) {
        int held = 0;
        for (int i = 0; i < waiting.size(); i++) {
            held += waiting.value(i) >= 1 && running.at(waiting.timeNs(i)) >= most && most >= 1 ? 1 : 0;
        }
        return (double) held / Math.max(1, waiting.size());
    }

    /** SGLang's clients send too few requests. */
    private Verdict emptyQueue(Analysis analysis) {
        Optional<Series> queue = counter(analysis, "waiting");
        Optional<Series> usage = counter(analysis, "cache");
        if (queue.isEmpty() || usage.isEmpty()) {
            return notRecorded("waiting", "cache");
        }
        double empty = queue.get().share(value -> value < 1);
        if (empty < leastShare(analysis)) {
            return Verdict.clean("requests wait for " + Units.percent(1 - empty) + " of the time");
        }
        double used = usage.get().median();
        if (used >= full(analysis)) {
            return Verdict.clean("no request waits, and the KV cache is in use");
        }
        return Verdict.found(finding(analysis, Severity.INFO)
                .measure("empty", Units.percent(empty))
                .measure("used", Units.percent(used))
                .quantity("time with an empty queue", empty, "ratio")
                .quantity("KV cache in use, median", used, "ratio")
                .noGain("how many requests there could be is not in the recording"));
    }

    /** Requests that wait although there is room in SGLang's KV cache. */
    private Verdict tokenUsage(Analysis analysis) {
        Optional<Series> queue = counter(analysis, "waiting");
        Optional<Series> usage = counter(analysis, "cache");
        if (queue.isEmpty() || usage.isEmpty()) {
            return notRecorded("waiting", "cache");
        }
        double full = full(analysis);
        long queued = 0;
        long roomy = 0;
        Optional<Series> running = counter(analysis, "running");
        double most = running.map(Series::most).orElse(0.0);
        long atMost = 0;
        for (int i = 0; i < queue.get().size(); i++) {
            if (queue.get().value(i) >= 1) {
                queued++;
                long ns = queue.get().timeNs(i);
                roomy += usage.get().at(ns) < full ? 1 : 0;
                atMost += running.isPresent() && running.get().at(ns) >= most ? 1 : 0;
            }
        }
        if (queued == 0) {
            return Verdict.clean("no request waits");
        }
        double share = (double) roomy / queued;
        if (share < leastShare(analysis)) {
            return Verdict.clean(
                    "while requests wait, the KV cache is full for " + Units.percent(1 - share) + " of the time");
        }
        boolean limited = most > 0 && atMost >= leastShare(analysis) * queued;
        FindingBuilder finding = finding(analysis, Severity.WARNING)
                .measure("share", Units.percent(share))
                .measure("full", Units.percent(full))
                .measure("used", Units.percent(usage.get().median()))
                .measure("most", Units.count(Math.round(most)))
                .claim(info().id(), row(limited ? "limited" : "reserve"));
        if (limited) {
            finding.quantity("requests that run at once, at most", most, "count")
                    .advice(row("limit"), analysis);
        }
        return Verdict.found(finding.quantity("readings with waiting requests", queued, "count")
                .quantity("of them with room in the KV cache", roomy, "count")
                .noGain("how the scheduler would have packed the requests is not in the recording"));
    }

    /** Requests that SGLang retracted for lack of KV cache. */
    private Verdict retractions(Analysis analysis) {
        Optional<Series> counted = counter(analysis, "retracted");
        Optional<Series> series = counted.or(() -> counter(analysis, "retracted-now"));
        if (series.isEmpty() || series.get().size() < 2) {
            return notRecorded("retracted");
        }
        double taken = counted.map(Series::growth).orElseGet(series.get()::sum);
        double perMinute = taken / Math.max(1, series.get().spanNs() / 60e9);
        if (perMinute <= limit(analysis, "per-minute")) {
            return Verdict.clean(Units.count(Math.round(taken)) + " requests were taken back");
        }
        return Verdict.found(finding(analysis, Severity.WARNING)
                .measure("count", Units.count(Math.round(taken)))
                .measure("rate", String.format(Locale.ROOT, "%.1f", perMinute))
                .quantity("requests taken back", taken, "count")
                .noGain("how much is computed again is not in the counter"));
    }

    /** Memory that SGLang leaves unused while its KV cache is full. */
    private Verdict freeMemory(Analysis analysis) {
        Optional<Series> usage = counter(analysis, "cache");
        List<DeviceMemory> devices = DeviceMemory.of(analysis);
        if (usage.isEmpty() || devices.isEmpty()) {
            return new Verdict.NotApplicable(names("cache")[0] + " or the use of the device's memory is not recorded");
        }
        DeviceMemory fullest = Collections.min(devices, Order.comparingDouble(DeviceMemory::freeBytes));
        if (fullest.freeBytes() <= limit(analysis, "bytes")) {
            return Verdict.clean(Units.bytes(fullest.freeBytes()) + " of the fullest device's memory stay free");
        }
        if (usage.get().most() < full(analysis)) {
            return Verdict.clean("the KV cache has room, at most "
                    + Units.percent(usage.get().most()) + " of it are in use");
        }
        double more = (fullest.freeBytes() - limit(analysis, "keep-bytes")) / fullest.totalBytes();
        return Verdict.found(finding(analysis, Severity.INFO)
                .measure("free", Units.bytes(fullest.freeBytes()))
                .measure("device", fullest.device())
                .measure("more", String.format(Locale.ROOT, "%.2f", Math.floor(more * 100) / 100))
                .quantity("least free memory, device " + fullest.device(), fullest.freeBytes(), "bytes")
                .quantity("most of the KV cache in use", usage.get().most(), "ratio")
                .noGain("how many more requests would run is not in the recording"));
    }
}
