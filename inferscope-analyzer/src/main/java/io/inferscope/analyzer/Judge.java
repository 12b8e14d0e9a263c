package io.inferscope.analyzer;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.analysis.UnrecordedDeviceUsers;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.launch.TracerTime;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Reason;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice;
import io.inferscope.analyzer.steps.RecordingSlowdown;
import io.inferscope.analyzer.trust.MissingTime;
import io.inferscope.analyzer.trust.ProgramEnd;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds what limits the program: the first candidate verdict that holds in the ledger of the judged part.
 *
 * <p>A candidate's lead is its share minus its limit; it is negative if the candidate does not hold. The margin is the
 * smallest change of a share that would change the verdict: the lead of the chosen candidate, or of another one of the
 * same verdict that holds after it, or the missing lead of an earlier one of another verdict.
 */
record Judge(Analysis analysis, Ledger ledger) {
    private static final double CLOSE_POINTS = 5;
    private static final double WORTH_A_WORD = 0.01;
    private static final double MOSTLY = 0.40;

    /** Another part of the run with this share of the timeline is named beside the judged one. */
    private static final double LONG_PART = 0.20;

    /** Without a device, host work limits no program whose model computes so many times as long. */
    private static final int FAR_MORE = 2;

    /** Begins the verdict on a file that ends too early: how much of the program's time is in it is not known. */
    private static final String AS_FAR_AS_READ = "The file is cut: this is about the part before. ";

    private record Candidate(Bound bound, double lead, Reason because) {}

    private static final List<LedgerClass> PYTHON =
            List.of(LedgerClass.CPU_PYTHON, LedgerClass.LIBRARY_PYTHON, LedgerClass.FRAMEWORK_PYTHON);
    private static final List<LedgerClass> CODE = List.of(LedgerClass.CPU_CODE, LedgerClass.CPU_UNKNOWN);

    static BoundVerdict judge(Analysis analysis, List<TrustCheck> trust) {
        List<TrustCheck> failed =
                trust.stream().filter(c -> !c.passed() && c.withholds()).toList();
        if (!failed.isEmpty()) {
            return new BoundVerdict(
                    Bound.WITHHELD,
                    "The recording is not good enough for a verdict: "
                            + failed.get(0).detail() + ".",
                    0,
                    null,
                    failed.stream()
                            .map(c -> new Reason(c.check(), c.detail(), c.remedy()))
                            .toList());
        }
        if (analysis.window().durationNs() == 0) {
            return new BoundVerdict(Bound.WITHHELD, "Nothing with a duration is recorded.", 0, null, List.of());
        }
        Ledger ledger = analysis.ledger();
        BoundVerdict recorded = withoutRecording(
                analysis, ledger, withoutTracer(analysis, ledger, new Judge(analysis, ledger).verdict()));
        MissingTime missing = MissingTime.of(analysis);
        if (missing.judgedNs() == 0) {
            return recorded;
        }
        BoundVerdict complete = new Judge(analysis, withWork(ledger, missing.judgedNs())).verdict();
        return complete.bound() == recorded.bound()
                ? recorded
                : either(recorded, complete, "device-work-is-complete", missing.detail(), MissingTime.remedy(analysis));
    }

    /** Withholds a verdict that the time which recording added to the host decides. */
    private static BoundVerdict withoutRecording(Analysis analysis, Ledger ledger, BoundVerdict recorded) {
        RecordingSlowdown slowdown = RecordingSlowdown.in(analysis.timeline()).orElse(null);
        if (slowdown == null || recorded.bound() == Bound.WITHHELD || slowdown.mostAddedNs(ledger) == 0) {
            return recorded;
        }
        Judge shorter = new Judge(analysis, withLessWork(ledger, slowdown.mostAddedNs(ledger)));
        BoundVerdict without = shorter.verdict();
        return without.bound() == recorded.bound()
                ? recorded
                : either(recorded, without, "profiler-is-small", slowdown.atMost(), slowdown.remedy());
    }

    /** Returns the ledger that would be if the host had worked {@code ns} less. */
    private static Ledger withLessWork(Ledger ledger, long ns) {
        Predicate<Ledger.Entry> ofHost = entry ->
                !entry.ledgerClass().isDeviceBusy() && !entry.ledgerClass().isWaiting();
        long hostNs = ledger.entries().stream()
                .filter(ofHost)
                .mapToLong(Ledger.Entry::ns)
                .sum();
        double kept = 1 - Math.min(1, (double) ns / Math.max(1, hostNs));
        Ledger.Builder with = new Ledger.Builder();
        long durationNs = 0;
        for (Ledger.Entry entry : ledger.entries()) {
            long leftNs = ofHost.test(entry) ? Math.round(kept * entry.ns()) : entry.ns();
            with.add(entry.ledgerClass(), leftNs);
            durationNs += leftNs;
        }
        return with.build(ledger.subject(), ledger.part(), durationNs);
    }

    /** Adds to a verdict what it would be without the time that a tracer of graph nodes makes, where that is another one. */
    private static BoundVerdict withoutTracer(Analysis analysis, Ledger ledger, BoundVerdict recorded) {
        if (analysis.headline().isEmpty()) {
            return recorded;
        }
        TracerTime.Without without = TracerTime.of(analysis).without(ledger);
        Bound bound = without.words().isEmpty()
                ? recorded.bound()
                : new Judge(analysis, without.ledger()).verdict().bound();
        if (bound == recorded.bound() || recorded.bound() == Bound.WITHHELD) {
            return recorded;
        }
        String claim = recorded.claim() + " Without a tracer of graph nodes it is probably \"" + bound.id() + "\": "
                + without.words() + " exist under the tracer only.";
        return new BoundVerdict(recorded.bound(), claim, recorded.marginPoints(), recorded.next(), recorded.reasons());
    }

    private BoundVerdict verdict() {
        return verdict(analysis.devices().isEmpty() ? withoutDevices() : withDevices());
    }

    /** Returns the ledger that would be if the device had computed for {@code ns} more of its idle time. */
    private static Ledger withWork(Ledger ledger, long ns) {
        Ledger.Builder with = new Ledger.Builder();
        long leftNs = Math.max(0, ns - ledger.ns(LedgerClass.UNATTRIBUTED));
        for (Ledger.Entry entry : ledger.entries()) {
            boolean first = entry.ledgerClass() == LedgerClass.UNATTRIBUTED;
            long movedNs = entry.ledgerClass().isDeviceBusy() ? 0 : Math.min(first ? ns : leftNs, entry.ns());
            with.add(entry.ledgerClass(), entry.ns() - movedNs).add(LedgerClass.GPU_COMPUTE, movedNs);
            leftNs -= first ? 0 : movedNs;
        }
        return with.build(ledger.subject(), ledger.part(), ledger.durationNs());
    }

    /** Withholds a verdict that an unknown decides: missing work, or the recorder's own. */
    private static BoundVerdict either(
            BoundVerdict recorded, BoundVerdict other, String check, String detail, String remedy) {
        String claim =
                "Either \"" + other.bound().id() + "\" or \"" + recorded.bound().id() + "\", as " + detail + ".";
        return new BoundVerdict(Bound.WITHHELD, claim, 0, null, List.of(new Reason(check, detail, remedy)));
    }

    /** Returns the verdict to report when a defect of InferScope prevented one. */
    static BoundVerdict failed() {
        return new BoundVerdict(Bound.WITHHELD, "InferScope failed while it judged the recording.", 0, null, List.of());
    }

    private BoundVerdict verdict(List<Candidate> candidates) {
        int winner = 0;
        while (candidates.get(winner).lead < 0) {
            winner++;
        }
        Candidate chosen = candidates.get(winner);
        double margin = chosen.lead;
        Bound next = Bound.BALANCED;
        for (Candidate later : candidates.subList(winner + 1, candidates.size())) {
            if (later.lead >= 0 && later.bound != chosen.bound) {
                next = later.bound;
                break;
            }
            margin = Math.max(margin, later.bound == chosen.bound ? later.lead : margin);
        }
        for (Candidate earlier : candidates.subList(0, winner)) {
            if (earlier.bound != chosen.bound && -earlier.lead < margin) {
                margin = -earlier.lead;
                next = earlier.bound;
            }
        }
        String cut = analysis.timeline().importStats().count(ImportStats.Reason.TRUNCATED) > 0 ? AS_FAR_AS_READ : "";
        double points = Math.round(Math.min(1, margin) * 1000) / 10.0;
        String close = points < CLOSE_POINTS
                ? String.format(Locale.ROOT, " It is close: %.1f points from \"%s\".", points, next.id())
                : "";
        return new BoundVerdict(
                chosen.bound, cut + shortSpan() + claim(chosen.bound) + close, points, next, List.of(chosen.because));
    }

    /** If the judged part is a small part of the window, the verdict states that first. */
    private String shortSpan() {
        double part = (double) ledger.durationNs() / analysis.window().durationNs();
        return part >= 0.5
                ? ""
                : "The " + ledger.partName() + " is " + Units.percent(part) + " of the timeline" + rest() + ". ";
    }

    /** Returns the longest of the other phases, if it is long, and what most of it is. */
    private String rest() {
        return analysis.phaseLedgers().stream()
                .filter(other ->
                        other.part() != ledger.part() && !other.entries().isEmpty())
                .filter(other ->
                        other.durationNs() >= LONG_PART * analysis.window().durationNs())
                .max(Order.comparingLong(Ledger::durationNs))
                .map(other -> "; " + phase(other) + " is "
                        + Units.percent(
                                (double) other.durationNs() / analysis.window().durationNs())
                        + ", mostly " + other.entries().get(0).ledgerClass().label())
                .orElse("");
    }

    private static String phase(Ledger other) {
        return switch (other.part()) {
            case COMPILE -> "compiling before it";
            case WARM_UP -> "its warm-up";
            case AFTER -> "what comes after it";
            default -> "start-up";
        };
    }

    private List<Candidate> withDevices() {
        double gpu = ledger.share(LedgerClass.GPU_COMPUTE);
        double copies = ledger.share(LedgerClass.COPY_H2D)
                + ledger.share(LedgerClass.COPY_D2H)
                + ledger.share(LedgerClass.COPY_OTHER);
        double communication = ledger.share(LedgerClass.GPU_COMMUNICATION);
        double largestIdle = largestIdle();
        return List.of(
                candidate(
                        Bound.GPU,
                        gpu - analysis.threshold(Thresholds.GPU_BOUND),
                        "GPU compute takes " + Units.percent(gpu)),
                waiting(),
                waitingForOthers(),
                candidate(
                        Bound.COPY,
                        Math.min(
                                copies - analysis.threshold(Thresholds.COPY_BOUND),
                                copies - Math.max(largestIdle, communication)),
                        "exposed copies take " + Units.percent(copies)),
                candidate(
                        Bound.COMMUNICATION,
                        Math.min(
                                communication - analysis.threshold(Thresholds.COMMUNICATION_BOUND),
                                communication - Math.max(largestIdle, copies)),
                        "exposed communication takes " + Units.percent(communication)),
                hostWork(),
                withheldFor(LedgerClass.UNATTRIBUTED, "explained by no recorded event"),
                withheldFor(LedgerClass.WAIT_UNKNOWN, "waiting with unknown waker"),
                muchWaiting(),
                balanced());
    }

    private List<Candidate> withoutDevices() {
        double compute = ledger.share(LedgerClass.CPU_MODEL_COMPUTE);
        Candidate device = withheldFor(
                LedgerClass.FRAMEWORK_SYNC_RETURN,
                "waiting for a device, of which nothing is recorded",
                Advice.toSeeDevice(analysis));
        List<Candidate> candidates = new ArrayList<>(List.of(
                candidate(
                        Bound.COMPUTE,
                        compute - analysis.threshold(Thresholds.GPU_BOUND),
                        "model compute takes " + Units.percent(compute)),
                waiting(),
                mostlyWaiting()));
        if (device.lead >= 0) {
            candidates.add(device);
        }
        candidates.addAll(List.of(
                hostWorkWithoutDevices(),
                withheldFor(LedgerClass.UNATTRIBUTED, "explained by no recorded event"),
                withheldFor(LedgerClass.WAIT_UNKNOWN, "waiting with unknown waker"),
                muchWaiting(),
                balanced()));
        return candidates;
    }

    private Candidate waiting() {
        return waiting(Thresholds.WAITING, ledgerClass -> switch (ledgerClass) {
            case WAIT_SOCKET, WAIT_TIMER, WAIT_UNKNOWN, WAIT_STOPPED -> true;
            default -> false;
        });
    }

    /** Device work waits while processes that are not recorded use the device. */
    private Candidate waitingForOthers() {
        double share = ledger.share(UnrecordedDeviceUsers.judgedWaitNs(analysis));
        return candidate(
                Bound.WAITING,
                share - analysis.threshold(Thresholds.WAITING),
                "other processes use the GPU for " + Units.percent(share) + " while its work waits");
    }

    /** Waits for child processes and files count, too, if they take more of the time than the thread's own work. */
    private Candidate mostlyWaiting() {
        Candidate waits = waiting(Thresholds.WAITING, Judge::isForOthers);
        double share = waits.lead + analysis.threshold(Thresholds.WAITING);
        return new Candidate(waits.bound, Math.min(waits.lead, share - hostShare(e -> true)), waits.because);
    }

    /**
     * If no other limit is reached, a smaller share of waiting decides, including waits for child processes and files:
     * with a third of the time in waits, a program is not balanced.
     */
    private Candidate muchWaiting() {
        return waiting(Thresholds.MUCH_WAITING, Judge::isForOthers);
    }

    private Candidate waiting(Threshold threshold, Predicate<LedgerClass> counts) {
        List<Ledger.Entry> waits = ledger.entries().stream()
                .filter(e -> counts.test(e.ledgerClass()))
                .toList();
        double share = waits.stream().mapToDouble(e -> ledger.share(e.ns())).sum();
        String above = waits.isEmpty()
                ? ""
                : ", above all " + waits.get(0).ledgerClass().label();
        return candidate(
                Bound.WAITING,
                share - analysis.threshold(threshold),
                "waiting for others takes " + Units.percent(share) + above);
    }

    /**
     * Returns whether a wait is for something other than the program's own threads. Waits for locks, the GIL and a CPU
     * make a program CPU-bound.
     */
    private static boolean isForOthers(LedgerClass ledgerClass) {
        return ledgerClass.isWaiting() && !ledgerClass.isHostWork();
    }

    /** Returns whether at least half of the waits for others are those of a server that has nothing to do. */
    private static boolean isIdle(Ledger ledger) {
        long othersNs = ledger.entries().stream()
                .filter(e -> isForOthers(e.ledgerClass()))
                .mapToLong(Ledger.Entry::ns)
                .sum();
        return othersNs > 0 && 2 * ledger.ns(LedgerClass.WAIT_IDLE) >= othersNs;
    }

    /** Returns the share of time that a program waits for others, in words. */
    static String waits(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        double onDevice = ledger.share(UnrecordedDeviceUsers.judgedWaitNs(analysis));
        if (onDevice >= analysis.threshold(Thresholds.WAITING)) {
            return "waits for other processes on the GPU for " + Units.percent(onDevice) + " of its "
                    + ledger.partName();
        }
        double share = ledger.entries().stream()
                .filter(e -> isForOthers(e.ledgerClass()))
                .mapToDouble(e -> ledger.share(e.ns()))
                .sum();
        if (isIdle(ledger)) {
            return "has nothing to do for " + ledger.shareOfPart(ledger.ns(LedgerClass.WAIT_IDLE));
        }
        if (share >= MOSTLY && ProgramEnd.mayHaveNothingToDo(analysis)) {
            return "mostly rests: it has no work, or something holds it up";
        }
        return share >= MOSTLY
                ? "mostly waits for others"
                : "waits for others for " + Units.percent(share) + " of its " + ledger.partName();
    }

    /** Host work that a device waits for, waits for a CPU included. */
    private Candidate hostWork() {
        double starved = ledger.share(LedgerClass.WAIT_RUN_QUEUE);
        String within = starved >= WORTH_A_WORD ? ", waiting for a CPU included (" + Units.percent(starved) + ")" : "";
        return hostWork("the GPU waits for host threads " + Units.percent(hostShare(e -> true)) + within);
    }

    private Candidate hostWorkWithoutDevices() {
        double waits = hostShare(LedgerClass::isWaiting);
        String beside = waits >= WORTH_A_WORD ? ", waiting for a lock, the GIL or a CPU " + Units.percent(waits) : "";
        Candidate work =
                hostWork(hostWorkOf(ledger) + " takes " + Units.percent(hostShare(e -> true) - waits) + beside);
        double less = FAR_MORE * hostShare(e -> true) - ledger.share(LedgerClass.CPU_MODEL_COMPUTE);
        return new Candidate(work.bound, less < 0 && work.lead >= 0 ? less : work.lead, work.because);
    }

    private Candidate hostWork(String because) {
        return candidate(Bound.CPU, hostShare(e -> true) - analysis.threshold(Thresholds.CPU_BOUND), because);
    }

    private double hostShare(Predicate<LedgerClass> which) {
        return ledger.entries().stream()
                .filter(e -> e.ledgerClass().isHostWork() && which.test(e.ledgerClass()))
                .mapToDouble(e -> ledger.share(e.ns()))
                .sum();
    }

    /**
     * Returns the largest class of a CPU-bound program without a device, which may be less than half of the time. Waits
     * for a CPU, a lock or the GIL also make a program CPU-bound; if such a wait is the largest class, the text says
     * that it is a wait.
     */
    static String outsideTheModel(Ledger ledger) {
        List<Ledger.Entry> host = ledger.entries().stream()
                .filter(e -> e.ledgerClass().isHostWork())
                .toList();
        if (!host.isEmpty() && host.get(0).ledgerClass().isWaiting()) {
            return heldUp(ledger, host.get(0));
        }
        double share = ledger.share(host.stream().mapToLong(Ledger.Entry::ns).sum());
        return (share > 0.5 ? "most of the time" : Units.percent(share) + " of the " + ledger.partName()) + " goes to "
                + hostWorkOf(ledger)
                + (host.isEmpty()
                        ? ""
                        : ", above all " + host.get(0).ledgerClass().label());
    }

    private static String hostWorkOf(Ledger ledger) {
        if (ledger.ns(LedgerClass.CPU_MODEL_COMPUTE) == 0) {
            return "work on the CPU";
        }
        boolean leads = ledger.entries().stream()
                .filter(e -> e.ledgerClass().isHostWork())
                .findFirst()
                .filter(e -> e.ledgerClass() == LedgerClass.FRAMEWORK_DISPATCH)
                .isPresent();
        return leads ? "work around the model's operators" : "work outside the model";
    }

    private static String heldUp(Ledger ledger, Ledger.Entry wait) {
        return ledger.shareOfPart(wait.ns()) + " is " + wait.ledgerClass().label();
    }

    /** If no other verdict applies and much of the time is unexplained, "balanced" would be a guess. */
    private Candidate withheldFor(LedgerClass unknown, String what) {
        return withheldFor(unknown, what, Advice.toExplain(analysis));
    }

    private Candidate withheldFor(LedgerClass unknown, String what, String remedy) {
        double share = ledger.share(unknown);
        return new Candidate(
                Bound.WITHHELD,
                share - analysis.threshold(Thresholds.UNEXPLAINED),
                new Reason(null, Units.percent(share) + " of the " + ledger.partName() + " is " + what, remedy));
    }

    private Candidate balanced() {
        String largest = ledger.entries().isEmpty()
                ? "nothing"
                : ledger.entries().get(0).ledgerClass().label();
        return candidate(Bound.BALANCED, 1, "no limit is reached; the largest class is " + largest);
    }

    private static Candidate candidate(Bound bound, double lead, String because) {
        return new Candidate(bound, lead, Reason.figure(because));
    }

    /** Python is one limit, whoever wrote it, and so is other code of the host. */
    private double largestIdle() {
        double largest = ledger.entries().stream()
                .filter(e -> !e.ledgerClass().isDeviceBusy())
                .mapToDouble(e -> ledger.share(e.ns()))
                .max()
                .orElse(0);
        return Math.max(largest, Math.max(sum(PYTHON), sum(CODE)));
    }

    private double sum(List<LedgerClass> classes) {
        return ledger.share(classes.stream().mapToLong(ledger::ns).sum());
    }

    /**
     * If the other GPUs are recorded, the sentence names the GPU that arrives late, rather than the waiting time of the
     * others.
     */
    private String communication() {
        Collectives collectives = Collectives.of(analysis);
        DeviceActivity device = analysis.headline().orElseThrow();
        return collectives
                .awaited(device)
                .filter(late -> collectives.isMostlyWaiting(device))
                .map(late -> late(collectives, device, late))
                .orElse("Communication-bound: the GPU waits for other GPUs.");
    }

    private String late(Collectives collectives, DeviceActivity device, DeviceActivity late) {
        List<Map.Entry<LedgerClass, Long>> causes =
                collectives.lateness(analysis, late).causes();
        return "Communication-bound: " + device.label() + " waits in collectives, most for "
                + late.label()
                + (causes.isEmpty()
                        ? ""
                        : ", which is late, most of all through "
                                + causes.get(0).getKey().label())
                + ".";
    }

    private String claim(Bound bound) {
        return switch (bound) {
            case GPU -> "GPU-bound: the GPU computes most of its " + ledger.partName() + ".";
            case COMPUTE -> "Compute-bound: the model computes most of the time on the CPU.";
            case WAITING -> (isIdle(ledger) ? "Idle: the program " : "Waiting: the program ") + waits(analysis) + ".";
            case COPY -> "Copy-bound: the GPU waits for copies.";
            case COMMUNICATION -> communication();
            case CPU ->
                analysis.devices().isEmpty()
                        ? "CPU-bound: " + outsideTheModel(ledger) + "."
                        : "CPU-bound: the host does not keep up.";
            case BALANCED -> "Balanced: no single cause limits the program.";
            case WITHHELD -> "Too much of the time is unexplained for a verdict.";
        };
    }
}
