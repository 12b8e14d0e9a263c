package io.inferscope.analyzer.model;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything an analysis says. Renderers turn it into text; the same report gives the same bytes.
 *
 * @param title what was analysed: a file or program name without folders
 * @param originUnixNs Unix time, in ns, of the axis' zero
 * @param window what is explained: first to last recorded activity
 * @param judged the part that the verdict is about
 * @param verdict what limits the program
 * @param ledgers the headline's first; one of them has part {@code window}
 * @param rollup ledger of the window, in lines for people, in fixed order, summing to the window
 * @param diagnosis short sentences, most important first
 * @param suggestions what to change, in the order of what it costs not to
 * @param devices figures per device
 * @param idleBlame who is to blame for idle time, largest first
 * @param scopes figures per annotation name, longest first
 * @param kernels figures per kernel name, longest first, cut to the largest
 * @param copies figures per direction and kinds of memory, longest first
 * @param operators figures per operator name, longest first, cut to the largest
 * @param threads figures per thread, busiest first
 * @param launches how launching went, per device
 * @param sampledLines where stack samples were taken, by line, the hottest first, cut to the hottest
 * @param sampledFunctions the same by function
 * @param findings what the rules found, most important first
 * @param outcomes what every rule said, in the rules' order
 * @param trust what the trust gate checked
 * @param sources the recordings that were put on one timeline, empty when there is only one
 * @param coverage what each recorder saw
 * @param overheads what each recorder cost
 * @param importStats what the import could not use
 * @param notes remarks that change how figures must be read
 * @param host what a run recorded beside activity
 * @param steps phases, steps and requests
 * @param path the critical path and what removing a cause would save
 * @param shapes operators by shape, and CUDA graphs
 */
public record Report(
        String title,
        long originUnixNs,
        Stretch window,
        Judged judged,
        BoundVerdict verdict,
        List<Ledger> ledgers,
        Map<LedgerClass.Rollup, Long> rollup,
        List<String> diagnosis,
        List<String> suggestions,
        List<DeviceFigures> devices,
        List<BlameFigures> idleBlame,
        List<ScopeFigures> scopes,
        List<KernelFigures> kernels,
        List<CopyFigures> copies,
        List<OperatorFigures> operators,
        List<ThreadFigures> threads,
        List<LaunchFigures> launches,
        List<SampleFigures> sampledLines,
        List<SampleFigures> sampledFunctions,
        List<Finding> findings,
        List<RuleOutcome> outcomes,
        List<TrustCheck> trust,
        List<Source> sources,
        List<TimelineInfo.Coverage> coverage,
        List<TimelineInfo.RecorderOverhead> overheads,
        ImportStats importStats,
        List<String> notes,
        HostTables host,
        StepTables steps,
        PathTables path,
        ShapeTables shapes) {

    /** Returns this report with other tables of shapes. */
    public Report withShapes(ShapeTables tables) {
        return new Report(
                title,
                originUnixNs,
                window,
                judged,
                verdict,
                ledgers,
                rollup,
                diagnosis,
                suggestions,
                devices,
                idleBlame,
                scopes,
                kernels,
                copies,
                operators,
                threads,
                launches,
                sampledLines,
                sampledFunctions,
                findings,
                outcomes,
                trust,
                sources,
                coverage,
                overheads,
                importStats,
                notes,
                host,
                steps,
                path,
                tables);
    }

    /** What the subject of a device's ledger begins with; its id follows. */
    public static final String DEVICE_SUBJECT = "device ";

    /** Returns the device that is judged, if one is. */
    public Optional<DeviceFigures> judgedDevice() {
        return devices.stream()
                .filter(device -> judged.subject().equals(DEVICE_SUBJECT + device.id()))
                .findFirst();
    }

    /** Returns a ledger of the judged subject by its part; empty when there is none. */
    public Optional<Ledger> ledger(String part) {
        return ledgers.stream()
                .filter(ledger -> ledger.part().equals(part) && ledger.subject().equals(judged.subject()))
                .findFirst();
    }

    /** Returns whether any device did any work. */
    public boolean hasDeviceWork() {
        return !devices.isEmpty();
    }

    /** A stretch {@code [startNs, endNs)} of the axis. */
    public record Stretch(long startNs, long endNs) {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }
    }

    /**
     * The part that the verdict is about.
     *
     * @param what {@code span}, {@code window} or {@code steady-state}
     * @param subject the device or thread whose ledger is judged
     * @param stretch when it was
     */
    public record Judged(String what, String subject, Stretch stretch) {}

    /**
     * Figures of one device. Idle and busy are unions over all its streams.
     *
     * @param operations operations by class: compute, comm, h2d, d2h, other
     * @param firstNs start of its first operation
     * @param lastNs end of its last one
     * @param gaps maximal idle stretches inside the span
     */
    public record DeviceFigures(
            String id,
            String name,
            Map<String, Long> operations,
            long firstNs,
            long lastNs,
            long spanNs,
            long busyNs,
            long spanIdleNs,
            long windowIdleNs,
            long computeNs,
            long exposedCommunicationNs,
            long exposedH2dNs,
            long exposedD2hNs,
            long exposedOtherCopyNs,
            long gaps,
            long longestGapNs) {}

    /**
     * Idle time of one device with one cause at one place.
     *
     * @param phase {@code head}, {@code span} or {@code tail}
     * @param thread the host thread that the device waited for; empty when not known
     * @param cause the ledger class
     * @param state what the thread's state was: {@code running}, {@code runnable}, a wait, or {@code not recorded}
     * @param activity innermost scope, operator, function or call
     * @param where {@code file:line} of the innermost user frame; empty when not recorded
     * @param gaps how many gaps have a part in it
     */
    public record BlameFigures(
            String device,
            String phase,
            String thread,
            LedgerClass cause,
            String state,
            String activity,
            String where,
            long ns,
            long gaps,
            boolean estimated,
            long boundNs) {}

    /**
     * Figures of one annotation name. Recursive uses count once.
     *
     * @param wallNs time from start to end, summed over uses
     * @param selfNs the same without annotations inside
     * @param onCpuNs CPU time of its thread inside, -1 when not recorded
     * @param deviceBusyNs time under it in which any device was busy
     * @param deviceIdleNs time under it in which no device was busy; 0 without devices
     * @param ledgerClass the class its own time belongs to
     */
    public record ScopeFigures(
            String name,
            String where,
            LedgerClass ledgerClass,
            long count,
            long wallNs,
            long selfNs,
            long onCpuNs,
            long deviceBusyNs,
            long deviceIdleNs) {}

    /**
     * Figures of one kernel name.
     *
     * @param communication whether it is a communication kernel
     * @param launchLatencyNs median from launch call start to kernel start, -1 when no launch is recorded
     * @param queueDelayNs median from launch call end to kernel start, -1 likewise; negative delays count as 0
     * @param operator the operator that launches it most, or empty
     */
    public record KernelFigures(
            String name,
            String device,
            boolean communication,
            long count,
            long totalNs,
            long minNs,
            long maxNs,
            long launchLatencyNs,
            long queueDelayNs,
            String operator) {}

    /**
     * Figures of copies and memory sets of one direction and kind of memory.
     *
     * @param direction {@code H2D}, {@code D2H}, {@code D2D}, {@code P2P}, {@code memset} or {@code other}
     * @param memoryKinds such as {@code Pageable -> Device}; empty when not recorded
     * @param sizeBytes total, -1 when not recorded
     */
    public record CopyFigures(
            String device,
            String direction,
            String memoryKinds,
            long count,
            long sizeBytes,
            long totalNs,
            long maxNs) {}

    /**
     * Figures of one operator name.
     *
     * @param totalNs host time, recursive calls counted once
     * @param selfNs host time outside operators inside
     * @param deviceNs time of device operations launched directly under it
     * @param inputDims its most frequent input dimensions; empty when not recorded
     */
    public record OperatorFigures(
            String name, long count, long totalNs, long selfNs, long deviceNs, long launches, String inputDims) {}

    /**
     * Figures of one host thread.
     *
     * @param thread its id, its name where it has one, and {@link #RECORDERS} where it is one of InferScope's recorders
     * @param onCpuNs CPU time, -1 when not recorded
     * @param runnableNs time runnable but not running, -1 when not recorded
     * @param recordedNs union of what is known of its activity
     * @param launches device operations it launched
     */
    public record ThreadFigures(
            String process, String thread, long onCpuNs, long runnableNs, long recordedNs, long launches) {
        /** How the label of a thread ends that InferScope's recorders have in the program. */
        public static final String RECORDERS = ", InferScope's own";

        /** Returns whether it is one of InferScope's recorders, and no thread of the program. */
        public boolean isRecorders() {
            return thread.endsWith(RECORDERS);
        }
    }

    /**
     * How launching went on one device.
     *
     * @param operations device operations
     * @param withoutLaunch those whose launch is not in the trace
     * @param graphReplayed those replayed by a graph launch
     * @param minLatencyNs smallest launch latency of an operation launched one by one, -1 without any
     * @param medianLatencyNs median launch latency, -1 without any
     * @param p95LatencyNs 95th percentile, -1 without any
     * @param medianQueueDelayNs median queue delay, -1 without any
     */
    public record LaunchFigures(
            String device,
            long operations,
            long withoutLaunch,
            long graphReplayed,
            long minLatencyNs,
            long medianLatencyNs,
            long p95LatencyNs,
            long medianQueueDelayNs) {}

    /**
     * Stack samples taken at one place of the code, over all threads.
     *
     * @param place {@code file:line function} of the innermost frame of the user's own code, or a function
     * @param ledgerClass the class that most of its samples belong to
     * @param samples how many
     * @param selfNs the time they stand for
     * @param boundNs how far that time may be off, either way
     * @param totalNs the time of all samples with the place anywhere on their stack, recursion counted once
     */
    public record SampleFigures(
            String place, LedgerClass ledgerClass, long samples, long selfNs, long boundNs, long totalNs) {}

    /**
     * What one rule said.
     *
     * @param rule its id
     * @param title what it looks for
     * @param outcome {@code found}, {@code clean} or {@code not-applicable}
     * @param because why it is clean or not applicable; empty when found
     */
    public record RuleOutcome(String rule, String title, String outcome, String because) {}

    /**
     * One of several recordings on a timeline.
     *
     * @param name its file's name without folders
     * @param format its format
     * @param offsetNs what was added to its times, in ns
     * @param errorBoundNs how far they may be off after that, in ns; -1 when not known
     * @param evidence how that is known
     */
    public record Source(String name, String format, long offsetNs, long errorBoundNs, String evidence) {}

    /**
     * One check of the trust gate.
     *
     * @param check its id
     * @param passed whether the recording passed
     * @param withholds whether a failure withholds the verdict
     * @param detail what was checked and seen
     * @param remedy how to record it better next time; empty when passed
     */
    public record TrustCheck(String check, boolean passed, boolean withholds, String detail, String remedy) {}
}
