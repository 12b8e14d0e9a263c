package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.CollectiveTable;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.path.CriticalPath;
import io.inferscope.analyzer.work.DevicePeak;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of a report, each computed when first asked for. */
public final class Tables implements FigureTables {
    private final Analysis analysis;
    private final Lazy<List<DeviceFigures>> devices = lazy(Figures::devices);
    private final Lazy<List<LaunchFigures>> launches = lazy(Figures::launches);
    private final Lazy<List<KernelFigures>> kernels = lazy(Figures::kernels);
    private final Lazy<List<CopyFigures>> copies = lazy(Figures::copies);
    private final Lazy<List<ScopeFigures>> scopes = lazy(of -> HostFigures.scopes(of, HostFigures.ALL));
    private final Lazy<List<OperatorFigures>> operators = lazy(of -> HostFigures.operators(of, HostFigures.ALL));
    private final Lazy<List<ThreadFigures>> threads = lazy(HostFigures::threads);
    private final Lazy<SampledCode> sampled = lazy(SampledCode::of);
    private final Lazy<SampledCode> sampledOfSubject = lazy(of -> SampledCode.ofSubject(of, HostFigures.ALL));
    private final Lazy<List<ScopeFigures>> steadyScopes = lazy(of -> HostFigures.scopes(of, steady(of)));
    private final Lazy<List<OperatorFigures>> steadyOperators = lazy(of -> HostFigures.operators(of, steady(of)));
    private final Lazy<SampledCode> steadySamples = lazy(of -> SampledCode.ofSubject(of, steady(of)));
    private final Lazy<ThreadTime> time = lazy(of -> new ThreadTime(of, of.threadTime()));
    private final Lazy<ThreadTime> judgedTime = lazy(of -> new ThreadTime(of, of.judgedThreadTime()));
    private final Lazy<HolderTable> meanwhile = lazy(HolderTable::of);
    private final Lazy<HostTables> host = lazy(this::host);
    private final Lazy<PathTables> pathTables = lazy(of ->
            of.timeline().instantsAreRecorded() ? CriticalPath.of(of).figures().tables() : PathTables.NONE);
    private final Lazy<StepTables> steps = lazy(StepFigures::of);
    private final Lazy<Optional<ShapeTable>> operatorShapes = lazy(Tables::operatorShapes);
    private final Lazy<ShapeTables> shapesWithoutWork = new Lazy<>(this::withoutWork);
    private final Lazy<ShapeTables> shapes = new Lazy<>(this::withWork);

    private Tables(Analysis analysis) {
        this.analysis = analysis;
    }

    private <T> Lazy<T> lazy(Function<Analysis, T> make) {
        return new Lazy<>(() -> make.apply(analysis));
    }

    /** Returns the tables of an analysis; the same object at every call. */
    public static Tables of(Analysis analysis) {
        return analysis.once(Tables.class, Tables::new);
    }

    private static Optional<ShapeTable> operatorShapes(Analysis analysis) {
        boolean inputs = analysis.timeline().has(Attribute.INPUT_DIMS);
        return inputs && computesWhereRecorded(analysis) ? Optional.of(new ShapeTable(analysis)) : Optional.empty();
    }

    private ShapeTables withoutWork() {
        boolean graphs = analysis.has(RowKind.GRAPH_LAUNCH);
        ShapeTable operators = operatorShapes.get().orElse(null);
        return new ShapeTables(
                graphs ? GraphTable.of(analysis) : List.of(),
                operators == null ? null : operators.part(),
                operators == null ? List.of() : operators.operators(),
                operators == null ? List.of() : operators.peaks(analysis),
                AllocatorTable.of(analysis));
    }

    private ShapeTables withWork() {
        if (analysis.devices().isEmpty()) {
            return shapesWithoutWork();
        }
        ModuleTable.Cut modules = ModuleTable.of(analysis);
        return shapesWithoutWork()
                .with(new WorkTables(
                        KernelCategories.of(analysis),
                        modules.kept(),
                        modules.leftOut(),
                        SequenceTable.of(analysis),
                        QueueTable.of(analysis),
                        CollectiveTable.of(analysis),
                        ModelUtilisation.of(analysis, operatorShapes.get().orElse(null)),
                        HloTable.of(analysis)));
    }

    /**
     * Whether operators did their work where it is recorded. If an unrecorded device did the work, their host time is
     * not the time of the work.
     */
    private static boolean computesWhereRecorded(Analysis analysis) {
        return !analysis.devices().isEmpty()
                || (!analysis.hasOtherAccelerator()
                        && Arrays.stream(analysis.apiCalls()).noneMatch(analysis::isLaunch));
    }

    private HostTables host(Analysis analysis) {
        boolean placed = analysis.has(RowKind.STACK_SAMPLE) || analysis.has(RowKind.HAND_OVER);
        boolean measured = analysis.devices().isEmpty() && analysis.has(RowKind.PYTHON_FUNCTION);
        boolean counters = analysis.has(RowKind.COUNTER);
        return new HostTables(
                placed || measured ? time().figures() : List.of(),
                placed ? meanwhile().figures() : List.of(),
                RequestFigures.of(analysis),
                counters ? MachineFigures.of(analysis.timeline(), analysis.counters()) : List.of(),
                NativeModules.of(analysis));
    }

    /** Returns where the time of the judged host thread went. */
    public ThreadTime time() {
        return time.get();
    }

    /** Returns the same, limited to the steady state if that is judged. */
    public ThreadTime judgedTime() {
        return judgedTime.get();
    }

    /** Returns the threads that worked while the judged host thread waited. */
    public HolderTable meanwhile() {
        return meanwhile.get();
    }

    /** Returns how many requests were answered, and how fast, in a few words; empty if none is recorded. */
    public Optional<String> requestSentence() {
        return RequestFigures.sentence(analysis);
    }

    /** Returns every request with its answer, in the order of arrival. */
    public List<Answer> answers() {
        return Answers.of(analysis);
    }

    @Override
    public HostTables host() {
        return host.get();
    }

    /** Returns every series of a counter by its name without labels, including series that no report lists. */
    public List<CounterFigures> counters(String name) {
        return MachineFigures.named(analysis.timeline(), analysis.counters(), name);
    }

    @Override
    public StepTables steps() {
        return steps.get();
    }

    /** Returns the critical path and what removing a cause would save. */
    public PathTables path() {
        return pathTables.get();
    }

    /** Returns operators by shape, CUDA graphs and the work of the devices. */
    public ShapeTables shapes() {
        return shapes.get();
    }

    /** Returns the same without the work of the devices, whose tables no rule needs. */
    public ShapeTables shapesWithoutWork() {
        return shapesWithoutWork.get();
    }

    /** Returns the peak of a device, null if unknown. */
    public @Nullable DevicePeak peakOf(DeviceActivity device) {
        return ShapeTable.peak(analysis, device);
    }

    @Override
    public List<DeviceFigures> devices() {
        return devices.get();
    }

    @Override
    public List<LaunchFigures> launches() {
        return launches.get();
    }

    @Override
    public List<KernelFigures> kernels() {
        return kernels.get();
    }

    @Override
    public List<CopyFigures> copies() {
        return copies.get();
    }

    /** Returns one line per annotation name, longest first. */
    public List<ScopeFigures> scopes() {
        return scopes.get();
    }

    /** Returns one line per operator name, longest first, cut to the largest. */
    public List<OperatorFigures> operators() {
        return operators.get();
    }

    @Override
    public List<ThreadFigures> threads() {
        return threads.get();
    }

    /** Returns the stack samples of all threads by place. */
    public SampledCode sampled() {
        return sampled.get();
    }

    /**
     * Returns the stack samples of the judged thread, or of the thread that launches most; none if no such thread is
     * known.
     */
    public SampledCode sampledOfSubject(LedgerPart part) {
        return isSteady(part) ? steadySamples.get() : sampledOfSubject.get();
    }

    /** Returns the annotations in the steady state if {@code part} is that, otherwise in the whole recording. */
    public List<ScopeFigures> scopes(LedgerPart part) {
        return isSteady(part) ? steadyScopes.get() : scopes.get();
    }

    /** Returns the operators, likewise. */
    public List<OperatorFigures> operators(LedgerPart part) {
        return isSteady(part) ? steadyOperators.get() : operators.get();
    }

    /** Returns where the time of the judged host thread went, likewise. */
    public ThreadTime time(LedgerPart part) {
        return isSteady(part) ? judgedTime.get() : time.get();
    }

    private boolean isSteady(LedgerPart part) {
        return part == LedgerPart.STEADY_STATE && analysis.judgesSteadyState();
    }

    private static Stretch steady(Analysis analysis) {
        return analysis.judged().stretch();
    }
}
