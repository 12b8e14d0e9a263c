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
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.path.CriticalPath;
import io.inferscope.analyzer.work.DevicePeak;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of a report, each computed when first asked for. */
public final class Tables implements FigureTables {
    /** All tables, in the order of reports: the most important first. */
    private static final Map<TableId<?>, Function<Tables, List<?>>> MADE = new LinkedHashMap<>();

    static {
        made(StepTables.PHASES, StepFigures::phases);
        made(StepTables.STEPS, StepFigures::steps);
        made(StepTables.LARGEST_GAPS, StepFigures::gaps);
        made(StepTables.IDLE_OPERATORS, StepFigures::operators);
        made(RequestTables.REQUEST_TIME, RequestParts::of);
        made(Report.DEVICES, DeviceTables::devices);
        made(Report.IDLE_BLAME, Analysis::blameFigures);
        madeBy(PathTables.CLASSES, of -> of.path().rows(PathTables.CLASSES));
        madeBy(PathTables.WORK, of -> of.path().rows(PathTables.WORK));
        madeBy(PathTables.LINES, of -> of.path().rows(PathTables.LINES));
        madeBy(PathTables.PIECES, of -> of.path().rows(PathTables.PIECES));
        madeBy(PathTables.TRACKS, of -> of.path().rows(PathTables.TRACKS));
        madeBy(
                HostTables.HOST_TIME,
                of -> of.isPlaced() || of.isMeasured() ? of.time().figures() : List.of());
        madeBy(HostTables.WAITED_FOR, of -> of.isPlaced() ? of.meanwhile().figures() : List.of());
        made(HostTables.REQUESTS, RequestFigures::of);
        made(
                HostTables.MACHINE,
                of -> of.has(RowKind.COUNTER) ? MachineFigures.of(of.timeline(), of.counters()) : List.of());
        madeBy(Report.SAMPLED_LINES, of -> of.sampled().lines());
        madeBy(Report.SAMPLED_FUNCTIONS, of -> of.sampled().functions());
        made(HostTables.NATIVE_MODULES, NativeModuleTable::of);
        made(Report.KERNELS, DeviceTables::kernels);
        made(Report.COPIES, DeviceTables::copies);
        made(Report.OPERATORS, of -> HostFigures.operators(of, HostFigures.ALL));
        made(Report.SCOPES, of -> HostFigures.scopes(of, HostFigures.ALL));
        made(Report.THREADS, HostFigures::threads);
        made(Report.LAUNCHES, DeviceTables::launches);
        ofDevices(WorkTables.KERNEL_CATEGORIES, KernelCategories::of);
        ofDevices(WorkTables.HLO_OPERATIONS, HloTable::of);
        madeBy(WorkTables.MODULES, of -> of.hasDevices() ? of.modules.get().kept() : List.of());
        ofDevices(WorkTables.COLLECTIVES, CollectiveTable::of);
        ofDevices(WorkTables.KERNEL_SEQUENCES, SequenceTable::of);
        ofDevices(WorkTables.LAUNCH_QUEUES, QueueTable::of);
        made(ShapeTables.GRAPHS, of -> of.has(RowKind.GRAPH_LAUNCH) ? GraphTable.of(of) : List.of());
        madeBy(
                ShapeTables.OPERATOR_SHAPES,
                of -> of.operatorShapes.get().map(ShapeTable::operators).orElse(List.of()));
        made(ShapeTables.LOGGED_SHAPES, of -> List.of());
        madeBy(
                WorkTables.MODEL_UTILISATION,
                of -> of.hasDevices()
                        ? ModelUtilisation.of(
                                of.analysis, of.operatorShapes.get().orElse(null))
                        : List.of());
        madeBy(
                ShapeTables.DEVICE_PEAKS,
                of -> of.operatorShapes
                        .get()
                        .map(shapes -> shapes.peaks(of.analysis))
                        .orElse(List.of()));
        made(ShapeTables.ALLOCATORS, AllocatorTable::of);
    }

    private final Analysis analysis;
    private final Map<TableId<?>, Lazy<List<?>>> tables = new HashMap<>();
    private final Lazy<SampledCode> sampled = lazy(SampledCode::of);
    private final Lazy<SampledCode> sampledOfSubject = lazy(of -> SampledCode.ofSubject(of, HostFigures.ALL));
    private final Lazy<List<ScopeFigures>> steadyScopes = lazy(of -> HostFigures.scopes(of, steady(of)));
    private final Lazy<List<OperatorFigures>> steadyOperators = lazy(of -> HostFigures.operators(of, steady(of)));
    private final Lazy<SampledCode> steadySamples = lazy(of -> SampledCode.ofSubject(of, steady(of)));
    private final Lazy<ThreadTime> time = lazy(of -> new ThreadTime(of, of.threadTime()));
    private final Lazy<ThreadTime> judgedTime = lazy(of -> new ThreadTime(of, of.judgedThreadTime()));
    private final Lazy<HolderTable> meanwhile = lazy(HolderTable::of);
    private final Lazy<FigureTables> path = lazy(of ->
            of.timeline().instantsAreRecorded() ? CriticalPath.of(of).figures().tables() : new TableRows());
    private final Lazy<Optional<ShapeTable>> operatorShapes = lazy(Tables::operatorShapes);
    private final Lazy<ModuleTable.Cut> modules = lazy(ModuleTable::of);

    private Tables(Analysis analysis) {
        this.analysis = analysis;
        MADE.forEach((id, make) -> tables.put(id, new Lazy<>(() -> make.apply(this))));
    }

    /** Returns all tables, in the order of reports: the most important first. */
    public static List<TableId<?>> all() {
        return List.copyOf(MADE.keySet());
    }

    private static <R extends Record & Row> void made(TableId<R> id, Function<Analysis, List<R>> make) {
        MADE.put(id, of -> make.apply(of.analysis));
    }

    private static <R extends Record & Row> void madeBy(TableId<R> id, Function<Tables, List<R>> make) {
        MADE.put(id, make::apply);
    }

    private static <R extends Record & Row> void ofDevices(TableId<R> id, Function<Analysis, List<R>> make) {
        madeBy(id, of -> of.hasDevices() ? make.apply(of.analysis) : List.of());
    }

    private boolean hasDevices() {
        return !analysis.devices().isEmpty();
    }

    private <T> Lazy<T> lazy(Function<Analysis, T> make) {
        return new Lazy<>(() -> make.apply(analysis));
    }

    /** Returns the tables of an analysis; the same object at every call. */
    public static Tables of(Analysis analysis) {
        return analysis.once(Tables.class, Tables::new);
    }

    @SuppressWarnings("unchecked") // Put there by the same key.
    @Override
    public <R extends Record & Row> List<R> rows(TableId<R> table) {
        Lazy<List<?>> rows = tables.get(table);
        return rows == null ? List.of() : (List<R>) rows.get();
    }

    @Override
    public TableNotes notesOnTables() {
        return notes(true);
    }

    /** Returns the same, with or without the critical path, which takes the longest. */
    public TableNotes notes(boolean withPath) {
        return new TableNotes(
                analysis.phases().evidence(),
                shapesPart(),
                analysis.devices().isEmpty() ? 0 : modules.get().leftOut(),
                withPath ? path.get().notesOnTables().path() : null);
    }

    private static Optional<ShapeTable> operatorShapes(Analysis analysis) {
        boolean inputs = analysis.timeline().has(Attribute.INPUT_DIMS);
        return inputs && computesWhereRecorded(analysis) ? Optional.of(new ShapeTable(analysis)) : Optional.empty();
    }

    /**
     * Whether operators did their work where it is recorded. If an unrecorded device did the work, their host time is
     * not the time of the work.
     */
    private static boolean computesWhereRecorded(Analysis analysis) {
        return !analysis.devices().isEmpty()
                || (!analysis.missesDeviceWork()
                        && Arrays.stream(analysis.apiCalls()).noneMatch(analysis::isLaunch));
    }

    /** Returns the part that contains the operators by shape, null without them. */
    public @Nullable LedgerPart shapesPart() {
        return operatorShapes.get().map(ShapeTable::part).orElse(null);
    }

    /** Returns the tables of the critical path, and its size. */
    public FigureTables path() {
        return path.get();
    }

    private boolean isPlaced() {
        return analysis.has(RowKind.STACK_SAMPLE) || analysis.has(RowKind.HAND_OVER);
    }

    private boolean isMeasured() {
        return analysis.devices().isEmpty() && analysis.has(RowKind.PYTHON_FUNCTION);
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
        return RequestAnswers.of(analysis);
    }

    /** Returns every series of a counter by its name without labels, including series that no report lists. */
    public List<CounterFigures> counters(String name) {
        return MachineFigures.named(analysis.timeline(), analysis.counters(), name);
    }

    /** Returns the highest reading of a counter of the machine, over all processes; empty if it was not read. */
    public OptionalDouble most(String counter) {
        return rows(HostTables.MACHINE).stream()
                .filter(figures -> figures.name().equals(counter))
                .mapToDouble(CounterFigures::most)
                .max();
    }

    /** Returns the peak of a device, null if unknown. */
    public @Nullable DevicePeak peakOf(DeviceActivity device) {
        return ShapeTable.peak(analysis, device);
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
        return isSteady(part) ? steadyScopes.get() : rows(Report.SCOPES);
    }

    /** Returns the operators, likewise. */
    public List<OperatorFigures> operators(LedgerPart part) {
        return isSteady(part) ? steadyOperators.get() : rows(Report.OPERATORS);
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
