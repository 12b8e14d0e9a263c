package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.RangeCalls;
import io.inferscope.analyzer.activity.RowsByKind;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the loop of a program by the most reliable evidence available: docs/steps.md. */
public final class LoopFinder {
    /** Fewer iterations than these are no loop. */
    private static final int LEAST_STEPS = 3;

    /**
     * The least share of a loop's steps with device work, in recordings with any: otherwise it is not the model's loop.
     */
    private static final double WITH_DEVICE_WORK = 0.8;

    /** A loop that only launches show, and that has a smaller share of the device's work, is not what the program is for. */
    private static final double OF_DEVICE_WORK = 0.01;

    /** A thread with a larger share of CPU time in an interval works itself. */
    private static final double WORKS = 0.25;

    /**
     * A loop of another thread counts if it takes this many times as long as the judged thread's loop, which may be a
     * warm-up before serving.
     */
    private static final int MUCH_LONGER = 4;

    private final Timeline timeline;
    private final RowsByKind kinds;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final int track;
    private final long windowNs;
    private final @Nullable DeviceActivity device;
    private final RangeCalls calls;
    private final SpanLoops spans;
    private final NamePredicate synchronisations;

    public LoopFinder(
            Timeline timeline,
            RowsByKind kinds,
            Threads threads,
            ActivityClassifier classifier,
            NamePredicate synchronisations,
            int track,
            long windowNs,
            @Nullable DeviceActivity device) {
        this.timeline = timeline;
        this.kinds = kinds;
        this.threads = threads;
        this.classifier = classifier;
        this.track = track;
        this.windowNs = windowNs;
        this.device = device;
        this.calls = new RangeCalls(timeline);
        this.spans = new SpanLoops(timeline, calls, classifier);
        this.synchronisations = synchronisations;
    }

    /** Returns the loop, empty where nothing recurs or no thread is known. */
    public Optional<Loop> find() {
        if (!timeline.instantsAreRecorded()) {
            return Optional.empty();
        }
        if (track < 0) {
            return device == null
                    ? Optional.empty()
                    : LaunchLoops.onDevice(timeline, device)
                            .filter(this::recurs)
                            .filter(this::matters);
        }
        Optional<Loop> own = ofThread();
        long ownNs = own.map(LoopFinder::stepsNs).orElse(0L);
        boolean mayServe = device == null && kinds.has(RowKind.ANNOTATION);
        Optional<Loop> served = mayServe ? ofServingThread() : Optional.empty();
        Optional<Loop> best =
                served.filter(loop -> stepsNs(loop) > MUCH_LONGER * ownNs).or(() -> own);
        long bestNs = best.map(LoopFinder::stepsNs).orElse(0L);
        return ofThreadsInTurn()
                .filter(loop -> stepsNs(loop) > MUCH_LONGER * bestNs)
                .or(() -> best)
                .map(loop -> SequenceKinds.of(timeline, loop))
                .map(this::onDevice)
                .or(this::sampled);
    }

    private Optional<Loop> ofThread() {
        Predicate<Loop> recurs = this::recurs;
        boolean named = kinds.has(RowKind.ANNOTATION);
        Optional<Loop> found = named ? spans.profilerSteps(kinds.rows(k -> k == RowKind.ANNOTATION)) : Optional.empty();
        return found.filter(recurs)
                .or(() -> named ? spans.passes(track).filter(recurs) : Optional.empty())
                .or(() -> named ? spans.ranges(track, windowNs).filter(recurs) : Optional.empty())
                .or(() -> modules().filter(recurs))
                .or(() ->
                        (device == null ? onHost() : launches()).filter(recurs).filter(this::matters));
    }

    private Optional<Loop> sampled() {
        return device == null && kinds.has(RowKind.STACK_SAMPLE)
                ? SampleLoops.of(timeline, classifier, track)
                : Optional.empty();
    }

    private Loop onDevice(Loop loop) {
        return device == null ? loop : DeviceSteps.of(timeline, device, loop);
    }

    /**
     * Returns the longest loop of another thread during which the judged thread only waits, such as for a pool that
     * serves its requests.
     */
    private Optional<Loop> ofServingThread() {
        return timeline.tracks(TrackKind.THREAD)
                .filter(thread -> thread.id() != track && !Threads.isRecorders(timeline, thread.id()))
                .flatMap(thread -> spans
                        .passes(thread.id())
                        .filter(this::recurs)
                        .or(() -> spans.ranges(thread.id(), windowNs).filter(this::recurs))
                        .stream())
                .filter(loop -> loop.steps().size() >= LEAST_STEPS && waitsDuring(loop))
                .max((a, b) -> Long.compare(stepsNs(a), stepsNs(b)));
    }

    /**
     * Returns the passes of the threads of the judged thread's process that take turns: a program may start a thread for
     * each request.
     */
    private Optional<Loop> ofThreadsInTurn() {
        if (!kinds.has(RowKind.ANNOTATION)) {
            return Optional.empty();
        }
        int process = timeline.tracks().get(track).parent();
        int[] ofProcess = IntStream.of(kinds.rows(kind -> kind == RowKind.ANNOTATION))
                .filter(row -> isThreadOf(timeline.tracks().get(timeline.track(row)), process))
                .toArray();
        return spans.relayed(ofProcess)
                .filter(this::recurs)
                .filter(loop -> loop.steps().size() >= LEAST_STEPS && (device != null || waitsDuring(loop)));
    }

    private static boolean isThreadOf(Track track, int process) {
        return track.kind() == TrackKind.THREAD && track.parent() == process;
    }

    private static long stepsNs(Loop loop) {
        return loop.steps().stream().mapToLong(Step::durationNs).sum();
    }

    /**
     * Returns whether the judged thread is known to have waited nearly all the time from a loop's first step to its
     * last.
     */
    private boolean waitsDuring(Loop loop) {
        long fromNs = loop.steps().get(0).startNs();
        long toNs = loop.steps().get(loop.steps().size() - 1).endNs();
        boolean recorded = threads.stateTotalNs(track, Attribute.ON_CPU_NS) >= 0;
        return recorded && threads.onCpuNs(track, fromNs, toNs) < WORKS * (toNs - fromNs);
    }

    private Optional<Loop> launches() {
        return device == null ? Optional.empty() : LaunchLoops.of(timeline, track, device, synchronisations);
    }

    private Optional<Loop> modules() {
        return kinds.has(RowKind.PYTHON_FUNCTION)
                ? spans.recurring(Loop.Source.MODULES, track, new FrameLoops(timeline, calls, track).modules(windowNs))
                : Optional.empty();
    }

    /** Returns the loop of a thread that computes on the CPU. */
    private Optional<Loop> onHost() {
        if (!kinds.has(RowKind.OPERATOR)) {
            return Optional.empty();
        }
        Optional<Loop> operators = OperatorLoops.of(timeline, track);
        return operators.isPresent() || !kinds.has(RowKind.PYTHON_FUNCTION)
                ? operators
                : spans.recurring(
                        Loop.Source.FUNCTIONS, track, new FrameLoops(timeline, calls, track).functions(windowNs));
    }

    private boolean recurs(Loop loop) {
        return namesRecur(loop) && (device == null || hasDeviceWork(loop, device.busy()));
    }

    /** Returns whether at least half of the steps have a recurring name; otherwise the steps are no loop. */
    private static boolean namesRecur(Loop loop) {
        Map<String, Integer> counts = new HashMap<>();
        loop.steps().forEach(step -> counts.merge(step.name(), 1, Integer::sum));
        long recurring = loop.steps().stream()
                .filter(step -> counts.getOrDefault(step.name(), 0) >= LEAST_STEPS)
                .count();
        return recurring > 0 && 2 * recurring >= loop.steps().size();
    }

    private boolean matters(Loop loop) {
        if (device == null) {
            return true;
        }
        long fromNs = loop.steps().get(0).startNs();
        long toNs = loop.steps().get(loop.steps().size() - 1).endNs();
        return device.busy().totalWithinNs(fromNs, toNs)
                >= OF_DEVICE_WORK * device.busy().totalNs();
    }

    private static boolean hasDeviceWork(Loop loop, Intervals busy) {
        long working = loop.steps().stream()
                .filter(step -> busy.totalWithinNs(step.startNs(), step.endNs()) > 0)
                .count();
        return working >= WITH_DEVICE_WORK * loop.steps().size();
    }
}
