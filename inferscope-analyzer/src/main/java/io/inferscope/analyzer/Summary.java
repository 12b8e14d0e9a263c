package io.inferscope.analyzer;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.HolderEvidence;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice;
import io.inferscope.analyzer.rules.Rules;
import io.inferscope.analyzer.steps.RecordingSlowdown;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.tables.ThreadTime;
import io.inferscope.analyzer.trust.MissingTime;
import io.inferscope.analyzer.trust.ProgramEnd;
import io.inferscope.analyzer.trust.TrustGate;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.merge.TimelineMerge;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** The few sentences at the head of a report. */
final class Summary {
    private static final int MAX_SUGGESTIONS = 5;
    private static final double WORTH_SAYING = 0.20;

    /** Five samples at the usual 100 a second. */
    private static final long FEW_SAMPLES_NS = 50_000_000L;

    private static final double STEP_WORTH_SAYING = 0.05;
    private static final double LINE_WORTH_SAYING = 0.05;

    /** So many sentences are shown on a terminal: that on the requests is one of them. */
    private static final int SHOWN = 3;

    /** Most devices that get a sentence each. */
    private static final int MOST_DEVICES = 2;

    private static final List<DeviceActivity> NO_DEVICES = List.of();

    private Summary() {}

    /**
     * Returns what is wrong, in a few sentences.
     *
     * @param refused whether a failed check withholds the verdict; time without recorded device work need not be idle
     *     then
     */
    static List<String> diagnosis(Analysis analysis, BoundVerdict verdict, boolean refused) {
        List<String> lines = new ArrayList<>();
        ProgramEnd.sentence(analysis.timeline()).ifPresent(lines::add);
        lines.addAll(idle(analysis, refused));
        lines.add(bound(analysis, verdict.bound()) + shortSpan(analysis, verdict));
        Tables.of(analysis)
                .requestSentence()
                .ifPresent(sentence -> lines.add(Math.min(lines.size(), SHOWN - 1), sentence));
        analysis.ledger(LedgerPart.HEAD)
                .filter(head -> !startsInTheMiddle(analysis, analysis.headline().orElseThrow()))
                .ifPresent(head -> outside(analysis, head, "before the first GPU operation", lines));
        analysis.ledger(LedgerPart.TAIL)
                .ifPresent(tail -> outside(analysis, tail, "after the last GPU operation", lines));
        eachStep(analysis).ifPresent(lines::add);
        // Without the device's work, which may be lost, the host's calls look like computing.
        dominating(analysis, verdict.bound()).filter(sentence -> !refused).ifPresent(lines::add);
        hottest(analysis).ifPresent(lines::add);
        return lines;
    }

    /** One sentence for each device; with many devices, one sentence about the least and the most idle one. */
    private static List<String> idle(Analysis analysis, boolean refused) {
        List<DeviceActivity> devices = analysis.timeline().instantsAreRecorded() ? analysis.devices() : NO_DEVICES;
        if (devices.size() <= MOST_DEVICES) {
            return devices.stream()
                    .map(device -> {
                        String name = devices.size() == 1 ? "GPU" : device.label();
                        return unknown(analysis, device, refused)
                                ? "No work of " + (devices.size() == 1 ? "the GPU" : name) + " is recorded for "
                                        + idlePercent(analysis, device, 0) + "% of the timeline"
                                : name + " is idle for " + idleInterval(analysis, device) + "% of the timeline"
                                        + idleWithout(analysis, device);
                    })
                    .toList();
        }
        List<DeviceActivity> byIdleness = devices.stream()
                .sorted(Order.comparingLong(device -> -device.busy().totalNs()))
                .toList();
        DeviceActivity least = byIdleness.get(0);
        DeviceActivity most = byIdleness.get(devices.size() - 1);
        boolean unknown = devices.stream().anyMatch(device -> unknown(analysis, device, refused));
        String words = idlePercent(analysis, least, 0) + "% (" + least.label() + ") to "
                + idlePercent(analysis, most, 0) + "% (" + most.label() + ") of the timeline";
        return List.of(
                unknown
                        ? "No work of the " + devices.size() + " GPUs is recorded for " + words
                        : "The " + devices.size() + " GPUs are idle for " + words);
    }

    private static String idleWithout(Analysis analysis, DeviceActivity device) {
        double busy =
                (double) device.busy().totalNs() / Math.max(1, analysis.window().durationNs());
        String idle = RecordingSlowdown.in(analysis.timeline())
                .map(slowdown -> slowdown.idleWithout(busy, analysis.has(RowKind.GRAPH_LAUNCH)))
                .orElse("");
        return idle.isEmpty() ? "" : ", without recording for " + idle;
    }

    private static boolean unknown(Analysis analysis, DeviceActivity device, boolean refused) {
        return refused || startsInTheMiddle(analysis, device);
    }

    /** Where work of the headline device may be missing, both ends. */
    private static String idleInterval(Analysis analysis, DeviceActivity device) {
        boolean missing = analysis.headline().filter(judged -> judged == device).isPresent();
        long least =
                idlePercent(analysis, device, missing ? MissingTime.of(analysis).ns() : 0);
        long most = idlePercent(analysis, device, 0);
        return least == most ? Long.toString(most) : least + "% to " + most;
    }

    private static long idlePercent(Analysis analysis, DeviceActivity device, long missingNs) {
        long idleNs = analysis.window().durationNs() - device.busy().totalNs() - missingNs;
        return Math.round(100.0 * idleNs / Math.max(1, analysis.window().durationNs()));
    }

    private static String shortSpan(Analysis analysis, BoundVerdict verdict) {
        double part = (double) analysis.ledger().durationNs()
                / Math.max(1, analysis.window().durationNs());
        return part >= 0.5 || verdict.bound() == Bound.WITHHELD
                ? ""
                : ". Its " + analysis.ledger().partName() + " is " + Units.percent(part) + " of the timeline";
    }

    /** Returns whether a device's first operation waits for unrecorded work, so the time before it need not be idle. */
    private static boolean startsInTheMiddle(Analysis analysis, DeviceActivity device) {
        return device.launch(0) >= 0 && device.queueDelayNs(0) > analysis.threshold(TrustGate.FIRST_OPERATION);
    }

    private static void outside(Analysis analysis, Ledger part, String when, List<String> lines) {
        double share =
                (double) part.durationNs() / Math.max(1, analysis.window().durationNs());
        if (share >= WORTH_SAYING) {
            LedgerClass cause = part.entries().get(0).ledgerClass();
            lines.add(Math.round(share * 100) + "% of the timeline passes " + when + ", mostly " + cause.label());
        }
    }

    private static String bound(Analysis analysis, Bound bound) {
        String what = trains(analysis.timeline())
                ? "Training"
                : Advice.isOfNoFramework(analysis) ? "The program" : "Inference";
        return switch (bound) {
            case WITHHELD -> "No verdict: the recording is not good enough for one";
            case GPU -> what + " is GPU-bound";
            case COMPUTE -> what + " is compute-bound on the CPU";
            case WAITING -> what + " " + Judge.waits(analysis);
            case COPY -> what + " is copy-bound";
            case COMMUNICATION -> what + " is communication-bound";
            case CPU ->
                what + " is CPU-bound"
                        + (analysis.devices().isEmpty() ? ": " + Judge.outsideTheModel(analysis.ledger()) : "");
            case BALANCED -> what + " is balanced: no single cause limits it";
        };
    }

    private static boolean trains(Timeline timeline) {
        return timeline.names().anyMatch(StepNames::trains);
    }

    /**
     * The length of a step of the steady state and its largest causes; for the kind of steps with most time. Nothing for
     * a service: its requests are judged, whichever threads serve them.
     */
    private static Optional<String> eachStep(Analysis analysis) {
        if (analysis.service().isPresent()) {
            return Optional.empty();
        }
        boolean device = !analysis.devices().isEmpty();
        return Tables.of(analysis).rows(StepTables.STEPS).stream()
                .filter(step -> !step.phase().isEmpty() && !step.causes().isEmpty())
                .findFirst()
                .filter(step -> !device || step.recordedIdleNs() >= STEP_WORTH_SAYING * step.medianNs())
                .map(step -> "Each step (" + step.label() + ") takes " + Units.duration(step.medianNs()) + " (median)"
                        + (device ? "; in it the GPU waits " + Units.duration(step.recordedIdleNs()) : "")
                        + ", above all " + (device ? "for " : "")
                        + withPlace(analysis, step.causes().get(0)));
    }

    private static String withPlace(Analysis analysis, StepCause cause) {
        String where =
                likeliest(analysis, cause.cause()).orElse(cause.where().isEmpty() ? cause.activity() : cause.where());
        return cause.cause().label()
                + heldAt(analysis, cause.cause())
                        .map(line -> ", held at " + line)
                        .orElse(where.isEmpty() ? "" : ": " + where);
    }

    /**
     * Returns the line at which most of the judged thread's time of a class went, as findings name it: samples in some
     * scopes stand for those without any. Empty with devices, and where that is not known.
     */
    private static Optional<String> likeliest(Analysis analysis, LedgerClass cause) {
        if (!analysis.devices().isEmpty() || analysis.subjectThread() < 0) {
            return Optional.empty();
        }
        return Tables.of(analysis).time(analysis.ledger().part()).functions(place -> place.cause() == cause).stream()
                .findFirst()
                .map(ThreadTime.Function::hottest);
    }

    /** Returns the line that held, most of the time, what threads waited for, if that was recorded. */
    private static Optional<String> heldAt(Analysis analysis, LedgerClass cause) {
        return Tables.of(analysis).rows(HostTables.WAITED_FOR).stream()
                .filter(holder -> holder.cause() == cause)
                .findFirst()
                .filter(holder -> holder.known() == HolderEvidence.RECORDED)
                .map(HolderFigures::where)
                .filter(where -> !where.isEmpty());
    }

    /**
     * A sentence on the largest class of work of the judged or most launching host thread; in the steady state if that is
     * judged. It dominates if it is half of the thread's work, unless nothing limits the program.
     */
    private static Optional<String> dominating(Analysis analysis, Bound bound) {
        Map<LedgerClass, Long> spent = new EnumMap<>(LedgerClass.class);
        analysis.judgedThreadTime().stream()
                .filter(amount -> isWork(amount.cause()))
                .forEach(amount -> spent.merge(amount.cause(), amount.ns(), Long::sum));
        double judgedNs = judgedNs(analysis);
        long workNs = spent.values().stream().mapToLong(Long::longValue).sum();
        return spent.entrySet().stream()
                .max((a, b) -> {
                    int byTime = a.getValue().compareTo(b.getValue());
                    return byTime != 0 ? byTime : b.getKey().compareTo(a.getKey());
                })
                .filter(e -> e.getValue() / judgedNs >= WORTH_SAYING)
                .map(e -> work(e.getKey())
                        + (bound != Bound.BALANCED && 2 * e.getValue() >= workNs
                                ? " dominates CPU time"
                                : more(e.getKey(), e.getValue(), workNs)));
    }

    /** Says that a class is the largest, and what the others are together where the verdict counts them together. */
    private static String more(LedgerClass of, long ns, long workNs) {
        String share = Units.percent((double) ns / workNs);
        return " takes " + share + " of CPU time, more than any other class"
                + (of == LedgerClass.CPU_MODEL_COMPUTE
                        ? "; all work outside it takes " + Units.percent((double) (workNs - ns) / workNs)
                        : "");
    }

    static boolean isWork(LedgerClass of) {
        boolean waits = of.isWaiting() && of != LedgerClass.WAIT_GC;
        return (of.isHostWork() || of == LedgerClass.CPU_MODEL_COMPUTE || of == LedgerClass.WAIT_GC)
                && !waits
                && of != LedgerClass.FRAMEWORK_SYNC_RETURN;
    }

    /** The length of the host thread's judged time: the steady state if that is judged, otherwise the window. */
    private static long judgedNs(Analysis analysis) {
        return Math.max(
                1,
                analysis.judgesSteadyState()
                        ? analysis.ledger().durationNs()
                        : analysis.window().durationNs());
    }

    /** Returns a class of work as the subject of a sentence. */
    static String work(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case FRAMEWORK_COMPILE_LOAD -> "Compiling and loading";
            case LIBRARY_PYTHON -> "Python code of libraries";
            case CPU_PYTHON -> "The program's own Python code";
            case FRAMEWORK_PYTHON -> "The framework's own Python code";
            case CPU_MODEL_COMPUTE -> "The model's computation";
            default -> Units.capitalised(ledgerClass.label());
        };
    }

    /**
     * The line of the program's own code with most work time of the judged thread or of a thread that it waited for.
     */
    private static Optional<String> hottest(Analysis analysis) {
        double judgedNs = judgedNs(analysis);
        String part = analysis.judgesSteadyState() ? analysis.ledger().partName() : "timeline";
        return Tables.of(analysis)
                .judgedTime()
                .hottestLine(Tables.of(analysis).sampled())
                .filter(line -> line.ns() / judgedNs >= LINE_WORTH_SAYING)
                .map(line -> line.place() + " is the hottest line: " + Units.percent(line.ns() / judgedNs) + " of the "
                        + part + ", in " + Threads.withProcess(analysis.timeline(), line.track()));
    }

    /** Returns the findings; if a steady state is judged, without notes on start-up. */
    static List<Finding> aboutJudged(List<Finding> findings, Analysis analysis) {
        return findings.stream()
                .filter(finding -> finding.severity() != Finding.Severity.INFO || !Rules.isOneOff(finding, analysis))
                .toList();
    }

    /** Returns what to change. A withheld verdict already states what to record, so that is left out. */
    static List<String> suggestions(List<Finding> findings, BoundVerdict verdict) {
        return findings.stream()
                .map(Finding::advice)
                .filter(advice -> !advice.isEmpty() && !verdict.asksFor(advice))
                .distinct()
                .limit(MAX_SUGGESTIONS)
                .toList();
    }

    /** Says which run was recorded: command, date, machine, GPUs, and versions of the judged process. */
    private static Optional<String> about(Analysis analysis) {
        Map<String, String> known = analysis.timeline().properties();
        String command = known.getOrDefault("run.command", "");
        if (command.isEmpty()) {
            return Optional.empty();
        }
        long startNs = analysis.timeline().originUnixNs() + analysis.window().startNs();
        List<String> parts = new ArrayList<>();
        parts.add(Instant.ofEpochSecond(startNs / 1_000_000_000) + " on "
                + known.getOrDefault("run.host.name", "this host"));
        for (String key : List.of("run.host.cpu", "run.host.gpus")) {
            parts.add(known.getOrDefault(key, ""));
        }
        SortedMap<String, String> programs = ProcessFact.RUNTIME.all(analysis.timeline());
        ProcessFact.VERSIONS.all(analysis.timeline()).forEach((pid, versions) -> programs.put(pid + ' ', versions));
        programs.values().stream().distinct().limit(3).forEach(parts::add);
        parts.removeIf(String::isEmpty);
        return Optional.of("This run: `" + command + "`, " + String.join("; ", parts) + ".");
    }

    static List<String> notes(Analysis analysis) {
        List<String> notes = new ArrayList<>();
        about(analysis).ifPresent(notes::add);
        ProgramEnd.sentence(analysis.timeline()).ifPresent(notes::add);
        if (analysis.pythonStacksRecorded()) {
            notes.add(
                    "Python functions were recorded one by one: host time, Python above all, is inflated by the recording.");
        }
        Ledger ledger = analysis.ledger();
        long unattributedNs = ledger.ns(LedgerClass.UNATTRIBUTED);
        if (ledger.share(unattributedNs) >= 0.01) {
            notes.add(Units.percent(ledger.share(unattributedNs))
                    + " of the judged part is unattributed: no evidence explains it.");
        }
        if (analysis.isRun() && analysis.window().durationNs() < FEW_SAMPLES_NS) {
            notes.add("The program ran for " + Units.duration(analysis.window().durationNs())
                    + ", too short for more than a few samples: let it repeat its work.");
        }
        Timeline timeline = analysis.timeline();
        RecordingSlowdown.in(timeline).map(RecordingSlowdown::sentence).ifPresent(notes::add);
        RecordingSlowdown.ofSampling(timeline)
                .map(RecordingSlowdown::samplingSentence)
                .ifPresent(notes::add);
        RecordingSlowdown.ofProbe(timeline)
                .map(RecordingSlowdown::probeSentence)
                .ifPresent(notes::add);
        long leftOut = timeline.importStats().count(Reason.NAME_LEFT_OUT);
        if (leftOut > 0) {
            notes.add("Memory is too small for all different names: " + Units.count(leftOut)
                    + " events have none. Give the JVM more, for instance INFERSCOPE_JAVA_OPTS=-Xmx"
                    + Math.max(1, Runtime.getRuntime().maxMemory() >> 29) + "g.");
        }
        String leftAside = timeline.properties().getOrDefault(TimelineInfo.LEFT_ASIDE, "");
        if (!leftAside.isEmpty()) {
            notes.add("Only the usable recordings of the latest run are read; skipped: " + leftAside + ".");
        }
        String captures = timeline.properties().getOrDefault(TimelineInfo.CAPTURES, "");
        if (!captures.isEmpty()) {
            notes.add("The operators of graphs are taken from the captures in " + captures
                    + "; nothing else of that recording is used.");
        }
        ranks(analysis).ifPresent(notes::add);
        if (analysis.devices().size() == DeviceActivity.MOST && DeviceActivity.count(timeline) > DeviceActivity.MOST) {
            notes.add("Of " + Units.count(DeviceActivity.count(timeline)) + " devices, the "
                    + Units.count(DeviceActivity.MOST) + " with most operations are analysed.");
        }
        if (analysis.devices().size() > 1) {
            DeviceActivity headline = analysis.headline().orElseThrow();
            boolean most = analysis.devices().stream()
                    .allMatch(other ->
                            other.compute().totalNs() <= headline.compute().totalNs());
            notes.add("Every device of this node is shown by itself; the headline is about device " + headline.id()
                    + (most
                            ? ", which computes most."
                            : ", which computes as much as the others and waits least for them."));
        }
        return notes;
    }

    /** Returns a sentence on ranks missing in the recording; empty if none is. */
    private static Optional<String> ranks(Analysis analysis) {
        Map<String, String> properties = analysis.timeline().properties();
        String size = properties.getOrDefault("distributedInfo.world_size", "");
        String rank = properties.getOrDefault("distributedInfo.rank", "");
        List<String> ranks = TimelineMerge.sources(analysis.timeline()).stream()
                .map(TimelineMerge.Source::rank)
                .filter(other -> !other.isEmpty())
                .distinct()
                .toList();
        if (rank.isEmpty() || size.isEmpty() || size.equals("1") || size.equals(Integer.toString(ranks.size()))) {
            return Optional.empty();
        }
        boolean communicates = analysis.devices().stream().anyMatch(device -> device.count(1) > 0);
        return Optional.of(
                ranks.size() > 1
                        ? "These are ranks " + String.join(", ", ranks) + " of " + size
                                + ": the work of the others is not in this recording."
                        : "This is rank " + rank + " of " + size
                                + ": the work of other ranks is not in this recording."
                                + (communicates
                                        ? " One rank alone does not show whether its communication is slow or waits for a late rank."
                                        : ""));
    }
}
