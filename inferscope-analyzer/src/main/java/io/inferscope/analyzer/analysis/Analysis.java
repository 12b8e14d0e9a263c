package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.activity.MissingOperations;
import io.inferscope.analyzer.activity.RowsByKind;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.blame.StepTime;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.DeviceOperators;
import io.inferscope.analyzer.knowledge.KernelNames;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.ledger.DeviceBlame;
import io.inferscope.analyzer.ledger.LedgerBook;
import io.inferscope.analyzer.ledger.ThreadBlame;
import io.inferscope.analyzer.ledger.Windows;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Judged;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.LoopFinder;
import io.inferscope.analyzer.steps.PhaseFinder;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.analyzer.steps.SteadyState;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Everything computed from one timeline, read by the trust gate and the rules. Immutable to its readers. */
public final class Analysis {
    /** Devices share the work equally if each computes this part of the longest compute time or more. */
    private static final double EQUAL_WORK = 0.99;

    /** A service that takes less than this part of the steady state of another thread's loop is not what is judged. */
    private static final double BESIDE = 0.1;

    private final Timeline timeline;
    private final Thresholds thresholds;
    private final List<DeviceActivity> devices;
    private final Optional<DeviceActivity> headline;
    private final RowsByKind kinds;
    private final NamePredicate launches;
    private final NamePredicate synchronisations;
    private final NamePredicate allocations;
    private final NamePredicate nextBatches;
    private final Stretch window;
    private final ActivityClassifier classifier;
    private final Threads threads;
    private final StepTime stepTime;
    private final MissingOperations missing;
    private final DeviceBlame blame;
    private final ThreadBlame threadBlame;
    private final Optional<Service> service;
    private final Optional<Service.Time> serviceTime;
    private final LedgerBook book;
    private final int subjectThread;
    private final Phases phases;
    private final Lazy<List<BlameFigures>> judgedBlame;
    private final Lazy<int[]> apiCalls = new Lazy<>(() -> rows(RowKind::isApiCall));
    private final Lazy<DeviceOperators.Seen> unseen = new Lazy<>(this::findUnseen);
    private final Lazy<Intervals> idle = new Lazy<>(this::idleOfHeadline);
    private final Lazy<Intervals> busy = new Lazy<>(this::unionOfBusy);
    private final Lazy<Boolean> run = new Lazy<>(this::hasProcessOrCpuTime);
    private final Lazy<Counters> counters = new Lazy<>(this::readCounters);
    private final KernelNames kernelNames;
    private final Map<Class<?>, Object> once = new HashMap<>();

    private Analysis(Timeline timeline, Thresholds thresholds) {
        this.timeline = timeline;
        this.thresholds = thresholds;
        this.kinds = new RowsByKind(timeline);
        this.kernelNames = new KernelNames(timeline);
        this.launches = new NamePredicate(timeline, ApiCalls::isLaunch);
        this.synchronisations = new NamePredicate(timeline, ApiCalls::isSynchronising);
        this.allocations = new NamePredicate(timeline, ApiCalls::isAllocation);
        this.nextBatches = new NamePredicate(timeline, NameRole.NEXT_BATCH::in);
        this.devices = DeviceActivity.of(timeline, kernelNames);
        this.headline = headline(devices);
        this.window = Windows.of(timeline, kinds, devices);
        this.classifier = new ActivityClassifier(timeline, !devices.isEmpty() || missesDeviceWork());
        this.threads = new Threads(timeline, classifier);
        this.subjectThread = devices.isEmpty()
                ? threads.subject()
                : launchingThread(headline().orElseThrow());
        this.phases = findPhases();
        this.stepTime = new StepTime(phases.steps());
        this.missing = new MissingOperations(timeline, devices, apiCalls(), launches);
        this.blame =
                new DeviceBlame(timeline, window, threads, classifier, missing, phases, stepTime, devices, headline);
        StepTime ofThread = headline.isPresent() ? null : stepTime;
        this.threadBlame = new ThreadBlame(timeline, window, threads, classifier, phases, subjectThread, ofThread);
        this.service = devices.isEmpty() && has(RowKind.REQUEST)
                ? Service.find(timeline, rows(RowKind.REQUEST), Pools.find(timeline, threads))
                        .filter(found -> !isBeside(found))
                : Optional.empty();
        this.serviceTime = service.map(found -> found.explain(threads, classifier));
        Optional<LedgerBook.Served> served = service.flatMap(
                found -> serviceTime.map(time -> new LedgerBook.Served(time.ledger(), found.stretch())));
        this.book = new LedgerBook(window, phases, subjectThread, devices, headline, blame, threadBlame, served);
        this.judgedBlame = new Lazy<>(() -> blame.figures(judgesSteadyState()));
    }

    /**
     * Returns the device with most compute time; if the device that communicates least computes as much, that device,
     * because the others wait for it in collectives.
     */
    private static Optional<DeviceActivity> headline(List<DeviceActivity> devices) {
        ToLongFunction<DeviceActivity> computing = device -> device.compute().totalNs();
        ToLongFunction<DeviceActivity> communicating =
                device -> device.exposed(LedgerClass.GPU_COMMUNICATION).totalNs();
        Optional<DeviceActivity> most = devices.stream() // The first of equals.
                .reduce((a, b) -> computing.applyAsLong(b) > computing.applyAsLong(a) ? b : a);
        return devices.stream()
                .filter(device -> communicating.applyAsLong(device) > 0)
                .min((a, b) -> Long.compare(communicating.applyAsLong(a), communicating.applyAsLong(b)))
                .filter(awaited ->
                        computing.applyAsLong(awaited) >= EQUAL_WORK * computing.applyAsLong(most.orElseThrow()))
                .or(() -> most);
    }

    /**
     * Returns whether the judged thread is the client of a service, or the service takes little of the time in which
     * another thread of the program runs its own loop.
     */
    private boolean isBeside(Service found) {
        if (found.isAskedBy(subjectThread)) {
            return true;
        }
        long servedNs =
                found.serving().values().stream().mapToLong(Intervals::totalNs).sum();
        return !found.serving().containsKey(subjectThread)
                && phases.steadyState()
                        .filter(steady -> servedNs < BESIDE * steady.durationNs())
                        .isPresent();
    }

    private Phases findPhases() {
        LoopFinder finder = new LoopFinder(
                timeline,
                kinds,
                threads,
                classifier,
                synchronisations,
                subjectThread,
                window.durationNs(),
                headline.orElse(null));
        SteadyState.Limits limits = new SteadyState.Limits(
                (int) thresholds.get(Thresholds.STEADY_STEPS), thresholds.get(Thresholds.STEADY_DRIFT));
        return PhaseFinder.find(timeline, classifier, window, finder.find(), limits);
    }

    /** Computes everything. */
    public static Analysis of(Timeline timeline, Thresholds thresholds) {
        return new Analysis(timeline, thresholds);
    }

    /**
     * Returns the thread that launched most of a device's operations, itself or through autograd; of several, the one
     * that began first; -1 if no launch was recorded.
     */
    private int launchingThread(DeviceActivity device) {
        int[] counts = new int[timeline.tracks().size()];
        long[] beganNs = new long[counts.length];
        Arrays.fill(beganNs, Long.MAX_VALUE);
        device.launches().forEach(launch -> {
            int track = timeline.track(launch);
            counts[track]++;
            beganNs[track] = Math.min(beganNs[track], timeline.startNs(launch));
        });
        for (int track = 0; track < counts.length; track++) {
            int caller = counts[track] == 0 ? track : threads.callerOf(track);
            if (caller != track) {
                counts[caller] += counts[track];
                beganNs[caller] = Math.min(beganNs[caller], beganNs[track]);
                counts[track] = 0;
            }
        }
        int best = -1;
        for (int track = 0; track < counts.length; track++) {
            int more = counts[track] - (best < 0 ? 0 : counts[best]);
            if (more > 0 || (more == 0 && best >= 0 && beganNs[track] < beganNs[best])) {
                best = track;
            }
        }
        return best;
    }

    public Timeline timeline() {
        return timeline;
    }

    public double threshold(Threshold threshold) {
        return thresholds.get(threshold);
    }

    /** Returns the model of devices that the recording does not name, as the user says; empty if not known. */
    public String gpu() {
        return thresholds.gpu();
    }

    /** Returns the window: the time that the report explains. */
    public Stretch window() {
        return window;
    }

    /** Returns the devices that did any work. */
    public List<DeviceActivity> devices() {
        return devices;
    }

    /** Returns the device that the headline is about: the one that computes most, or that the others wait for. */
    public Optional<DeviceActivity> headline() {
        return headline;
    }

    /** Returns whether the trace has rows of an accelerator that this version does not know. */
    public boolean hasOtherAccelerator() {
        return has(RowKind.OTHER);
    }

    /** Returns the operators that ran on a device, where the recording has neither work of one nor a call of its runtime. */
    public DeviceOperators.Seen operatorsOfUnseenDevice() {
        return unseen.get();
    }

    /** Returns whether a device computed of which nothing can be judged: the host's time is not that of the model. */
    public boolean missesDeviceWork() {
        return devices.isEmpty()
                && (hasOtherAccelerator() || !operatorsOfUnseenDevice().names().isEmpty());
    }

    private DeviceOperators.Seen findUnseen() {
        boolean isHidden = devices.isEmpty() && apiCalls().length == 0;
        return DeviceOperators.of(timeline, isHidden ? rows(RowKind.OPERATOR) : new int[0]);
    }

    public IdleBlame blameOf(DeviceActivity device) {
        return blame.of(device);
    }

    /** Returns the smallest launch latency of a device, by its track, in ns; 0 when none is known. */
    public long minLatencyNs(int device) {
        return devices.stream()
                .filter(candidate -> candidate.track().id() == device)
                .mapToLong(candidate -> blameOf(candidate).leastLatencyNs())
                .findFirst()
                .orElse(0);
    }

    /** Returns idle time by cause and place over all devices, the headline device first, largest first. */
    public List<BlameFigures> blameFigures() {
        return blame.figures();
    }

    /** Returns when any device was busy. */
    public Intervals busy() {
        return busy.get();
    }

    private Intervals unionOfBusy() {
        Intervals.Builder union = new Intervals.Builder(16);
        devices.forEach(device -> union.addAll(device.busy()));
        return union.build();
    }

    /** Returns the launches whose operations are missing. */
    public MissingOperations missingOperations() {
        return missing;
    }

    /**
     * Returns when the headline device was idle in the judged part, without time in which launched operations are
     * missing. There must be a headline device.
     */
    public Intervals idle() {
        return idle.get();
    }

    private Intervals idleOfHeadline() {
        Stretch part = judged().stretch();
        DeviceActivity device = headline.orElseThrow();
        return device.busy()
                .complementWithin(part.startNs(), part.endNs())
                .minus(blameOf(device).unknown());
    }

    /** Returns the value of a type that is computed from this analysis: computed at the first call, then kept. */
    public <T> T once(Class<T> type, Function<Analysis, T> computation) {
        Object known = once.get(type);
        if (known == null) {
            known = computation.apply(this);
            once.put(type, known);
        }
        return type.cast(known);
    }

    /** Returns the counters that were recorded. */
    public Counters counters() {
        return counters.get();
    }

    private Counters readCounters() {
        return new Counters(timeline);
    }

    public boolean has(RowKind kind) {
        return kinds.has(kind);
    }

    /** Returns the rows of a kind, ascending; the caller owns the array. */
    public int[] rows(RowKind kind) {
        return kinds.rows(kind);
    }

    private int[] rows(Predicate<RowKind> wanted) {
        return kinds.rows(wanted);
    }

    /** Returns the rows of runtime and driver API calls, graph launches included, ascending; not to be changed. */
    public int[] apiCalls() {
        return apiCalls.get();
    }

    /** Returns the names of these calls, each once. */
    public Stream<String> namesOfCalls() {
        BitSet names = new BitSet();
        Arrays.stream(apiCalls()).map(timeline::nameId).forEach(names::set);
        return names.stream().mapToObj(timeline::text);
    }

    /** Returns whether an API call submits work to a device. */
    public boolean isLaunch(int apiCall) {
        return launches.testRow(apiCall);
    }

    /** Returns whether an API call waits until a device has done something. */
    public boolean isSynchronising(int apiCall) {
        return synchronisations.testRow(apiCall);
    }

    /** Returns whether an API call allocates or frees memory of a device, or host memory that a device can read. */
    public boolean isAllocation(int apiCall) {
        return allocations.testRow(apiCall);
    }

    /** Returns whether a scope hands the next batch to the step. */
    public boolean isNextBatch(int annotation) {
        return timeline.attribute(annotation, Attribute.ACTIVITY) == RangeActivity.DATA_LOADING.ordinal()
                || nextBatches.testRow(annotation);
    }

    /** Returns the part of the recording that the verdict judges. */
    public Judged judged() {
        return book.judged();
    }

    /** Returns the service, if the program is one and is judged by its requests. */
    public Optional<Service> service() {
        return service;
    }

    /** Returns whether the program was observed from outside for a while only: no probe could be in it. */
    public boolean isAttached() {
        return timeline.info().coverage().stream()
                .anyMatch(coverage -> coverage.source().equals("probe"));
    }

    /** Returns whether the judged thread's process waits for clients, and none of their requests is recorded. */
    public boolean servesUnknownRequests() {
        return subjectThread >= 0 && !has(RowKind.REQUEST) && classifier.idle().serves(subjectProcess());
    }

    /**
     * Returns whether the program is judged by a thread's time: the subject's, or that of each thread that serves
     * requests.
     */
    public boolean isJudged(int thread) {
        return service.isPresent() ? service.get().serving().containsKey(thread) : thread == subjectThread;
    }

    /**
     * Returns the interval that rules about the host judge: the steady state, the time of the requests, or the window.
     */
    public Stretch judgedHostStretch() {
        return judgesSteadyState() || service.isPresent() ? judged().stretch() : window;
    }

    /** Returns whether the steady state is judged, rather than the span or the window. */
    public boolean judgesSteadyState() {
        return judged().what() == LedgerPart.STEADY_STATE;
    }

    /**
     * Returns idle time of the judged part by cause and place, largest first: of the steady state, or of the span of
     * every device.
     */
    public List<BlameFigures> judgedBlame() {
        return judgedBlame.get();
    }

    /** Returns whether a gap lies in the judged part of the timeline. */
    public boolean isJudged(IdleBlame.Gap gap) {
        return gap.startNs() >= judged().stretch().startNs()
                && gap.endNs() <= judged().stretch().endNs();
    }

    /** Returns the ledger of the judged part. */
    public Ledger ledger() {
        return book.judgedLedger();
    }

    /** Returns every ledger, that of the judged part first. */
    public List<Ledger> ledgers() {
        return book.ledgers();
    }

    /** Returns a ledger of the judged subject by its part; empty when there is none. */
    public Optional<Ledger> ledger(LedgerPart part) {
        return book.ledgers().stream()
                .filter(l -> l.part() == part && l.subject().equals(ledger().subject()))
                .findFirst();
    }

    /** Returns the ledger of the judged host thread, or of the thread that launches most; empty if none is known. */
    public Optional<Ledger> threadLedger() {
        return book.ofHostThread();
    }

    /** Returns the phases of the window and the loop from which they were found. */
    public Phases phases() {
        return phases;
    }

    /** Returns the steps in the order of time, each with its phase; empty where nothing recurs. */
    public List<Step> steps() {
        return phases.steps();
    }

    /** Returns the ledger of each phase for the judged subject, in the order of {@link #phases()}. */
    public List<Ledger> phaseLedgers() {
        return book.ofPhases();
    }

    /** Returns the time of the steps by cause: idle time of the headline device, or the judged thread's time. */
    public StepTime stepTime() {
        return stepTime;
    }

    /**
     * Returns the judged thread's time in the window by cause; for a service, the time of the serving threads while
     * they served.
     */
    public List<Amount> threadTime() {
        return serviceTime.map(Service.Time::amounts).orElseGet(threadBlame::amounts);
    }

    /** Returns the same, limited to the steady state if that is judged. */
    public List<Amount> judgedThreadTime() {
        return judgesSteadyState() ? threadBlame.amounts(PhaseKind.STEADY_STATE) : threadTime();
    }

    /** Returns the properties of kernels that their names show. */
    public KernelNames kernelNames() {
        return kernelNames;
    }

    public Threads threads() {
        return threads;
    }

    /** Returns whether InferScope made the recording: only then processes or CPU times of threads are known. */
    public boolean isRun() {
        return run.get();
    }

    private boolean hasProcessOrCpuTime() {
        return has(RowKind.PROCESS)
                || Arrays.stream(rows(RowKind.THREAD_STATE))
                        .anyMatch(row -> timeline.attribute(row, Attribute.ON_CPU_NS) != Attribute.ABSENT);
    }

    /** Returns whether the CPU times of threads were recorded. */
    public boolean threadStatesRecorded() {
        return has(RowKind.THREAD_STATE) && timeline.has(Attribute.ON_CPU_NS);
    }

    /** Returns the classifier of host rows. */
    public ActivityClassifier classifier() {
        return classifier;
    }

    /** Returns the track of the judged thread, or of the thread that launches most; -1 if none is known. */
    public int subjectThread() {
        return subjectThread;
    }

    /** Returns the track of that thread's process, likewise. */
    public int subjectProcess() {
        return subjectThread < 0 ? -1 : timeline.tracks().get(subjectThread).parent();
    }

    /** Returns {@code file:line function} of the innermost user frame around a row, empty when none was recorded. */
    public String where(int row) {
        return classifier.where(row);
    }

    /** Returns the class of a host row's own time. */
    public LedgerClass classify(int row) {
        return classifier.classify(row);
    }

    /** Returns whether sampled stacks contain Python frames but no frames of native code called by them. */
    public boolean pythonStacksWithoutNativeFrames() {
        return classifier.pythonStacksWithoutNativeFrames();
    }

    /** Returns whether Python functions were recorded with their stacks, which makes Python look slower than it is. */
    public boolean pythonStacksRecorded() {
        return has(RowKind.PYTHON_FUNCTION) && classifier.hasPythonFunctions();
    }
}
