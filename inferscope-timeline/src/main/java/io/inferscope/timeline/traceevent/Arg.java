package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The event arguments that are read and written; all others are skipped unread. Names are Kineto's unless a comment
 * names another writer; InferScope's own begin with {@code inferscope}.
 */
public enum Arg {
    /** XLA's spelling is the second one, that of Ascend's profiler the third, that of CUPTI's structures the last. */
    CORRELATION("correlation", null, false, "correlation_id", "connection_id", "correlationId", "corr_id"),
    /** A number that a call and the work it queues have in common, where nothing says what it is. */
    ID("id", null, false),
    EXTERNAL_ID("External id", Attribute.SEQUENCE, false),
    PYTHON_ID("Python id", Attribute.SEQUENCE, false),
    DEVICE("device", null, true),
    STREAM("stream", null, true),
    CONTEXT("context", null, true),
    WAITED_STREAM("wait_on_stream", null, true),
    WAITED_RECORDING("wait_on_cuda_event_record_corr_id", null, false),
    SEQUENCE_NUMBER("Sequence number", null, false),
    FORWARD_THREAD("Fwd thread id", null, false),
    COLLECTIVE("Collective name", Attribute.COLLECTIVE, true),
    MESSAGE_ELEMENTS("In msg nelems", Attribute.MESSAGE_ELEMENTS, false),
    ELEMENT_TYPE("dtype", Attribute.ELEMENT_TYPE, true),
    GROUP_NAME("Process Group Name", Attribute.GROUP_NAME, true),
    GROUP_SIZE("Group size", Attribute.GROUP_SIZE, false),
    BYTES("bytes", Attribute.SIZE_BYTES, false),
    /** MTIA spells a copy's direction the second way. */
    KIND("kind", null, true, "direction"),
    /** The second one is that of labels of processes. */
    NAME("name", null, true, "labels"),
    THREAD("thread", null, true),
    /** Spellings of PyTorch 1.8 and of converters. */
    INPUT_DIMS("Input Dims", Attribute.INPUT_DIMS, true, "Input dims"),
    INPUT_TYPES("Input type", Attribute.INPUT_TYPES, true, "Input types", "Input Types"),
    CONCRETE_INPUTS("Concrete Inputs", Attribute.CONCRETE_INPUTS, true),
    GRID("grid", null, true),
    BLOCK("block", null, true),
    TOTAL_ALLOCATED("Total Allocated", Attribute.ALLOCATED_BYTES, false),
    TOTAL_RESERVED("Total Reserved", Attribute.RESERVED_BYTES, false),
    MEMORY_DEVICE("Device Id", Attribute.MEMORY_DEVICE, false),
    VALUE("value", null, true),
    MEMORY_KINDS("inferscope_memory_kinds", Attribute.MEMORY_KINDS, true),
    WHERE("where", Attribute.WHERE, true),
    ACTIVITY("inferscope_activity", Attribute.ACTIVITY, false),
    USER_SCOPE("inferscope_user_scope", Attribute.USER_SCOPE, false),
    ON_CPU("on_cpu_ns", Attribute.ON_CPU_NS, false),
    RUNNABLE("runnable_ns", Attribute.RUNNABLE_NS, false),
    WAIT_REASON("inferscope_wait_reason", Attribute.WAIT_REASON, false),
    WAIT_DETAIL("inferscope_wait_detail", Attribute.WAIT_DETAIL, false),
    PAGE_FAULTS("page_faults", Attribute.PAGE_FAULTS, false),
    DETAIL("detail", Attribute.DETAIL, true),
    SAMPLES("inferscope_samples", Attribute.SAMPLES, false),
    LOOKED("inferscope_looked_ns", Attribute.LOOKED_NS, false),
    FRAMES_READ("inferscope_frames_read_ns", Attribute.FRAMES_READ_NS, false),
    COLUMNS("inferscope_columns", Attribute.COLUMNS, false),
    CALL_START("inferscope_call_start_ns", Attribute.CALL_START_NS, false),
    COUNTED("inferscope_counted", Attribute.COUNTED, false),
    LOADED("inferscope_loaded", Attribute.LOADED, true),
    KNOWN_PERCENT("inferscope_known_percent", Attribute.KNOWN_PERCENT, false),
    GRID_BLOCKS("inferscope_grid_blocks", Attribute.GRID_BLOCKS, false),
    BLOCK_THREADS("inferscope_block_threads", Attribute.BLOCK_THREADS, false),
    GIL("inferscope_gil", Attribute.GIL, false),
    FUTEX("inferscope_futex", Attribute.FUTEX, false),
    OTHER_THREAD("inferscope_other_thread", Attribute.OTHER_THREAD, false),
    HAND_OVER("inferscope_hand_over", Attribute.HAND_OVER, false),
    HANDED_OVER("inferscope_handed_over", Attribute.HANDED_OVER, false),
    TAKES("inferscope_takes", Attribute.TAKES, false),
    FIRST_ANSWER("first_answer_ns", Attribute.FIRST_ANSWER_NS, false),
    WAITED("waited_ns", Attribute.WAITED_NS, false),
    ITEMS("items", Attribute.ITEMS, false),
    ANSWER_GAPS("answer_gaps_us", Attribute.ANSWER_GAPS, true),
    /** The member {@code sf} of the event itself: the id of a stack frame outside the event list. */
    STACK_FRAME("inferscope_stack_frame", null, true),
    /** The member {@code id} or {@code id2} of an asynchronous event itself, which connects its begin and end. */
    ASYNC_ID("inferscope_async_id", null, true),
    /** The arguments of a counter event that are not read by name and hold numbers: name and number in turn, a line each. */
    SERIES("inferscope_series", null, true),
    COUNTER_BITS("inferscope_counter_bits", Attribute.COUNTER_VALUE, false),
    EXACT_KIND("inferscope_kind", null, true),
    TRACK("inferscope_track", null, true),
    TRACK_KEY("inferscope_key", null, true),
    TRACK_PARENT("inferscope_parent", null, true),
    PROPERTY("inferscope_property", null, true),
    ROW("inferscope_row", null, false),
    LINK_FROM("inferscope_from", null, false),
    LINK_TO("inferscope_to", null, false),
    LINK_CONFIDENCE("inferscope_confidence", null, false),
    // ONNX Runtime
    OP_NAME("op_name", null, true),
    PARENT_NAME("parent_name", null, true),
    PROVIDER("provider", Attribute.PROVIDER, true),
    INPUT_TYPE_SHAPE("input_type_shape", null, true),
    // XLA
    HLO_OP("hlo_op", Attribute.HLO_INSTRUCTION, true),
    HLO_MODULE("hlo_module", Attribute.HLO_MODULE, true),
    HLO_MEANING("inferscope_hlo_meaning", Attribute.HLO_MEANING, true),
    MEMCPY_DETAILS("memcpy_details", null, true),
    MEMSET_DETAILS("Memset_details", null, true);

    private static final Map<String, Arg> BY_KEY = new HashMap<>();

    static {
        for (Arg arg : values()) {
            for (String name : arg.names()) {
                BY_KEY.put(name, arg);
                BY_KEY.put(name.toLowerCase(Locale.ROOT), arg);
            }
        }
    }

    private final String key;
    private final @Nullable Attribute attribute;
    private final boolean text;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of cannot be changed.
    private final Set<String> otherKeys;

    Arg(String key, @Nullable Attribute attribute, boolean text, String... otherKeys) {
        this.key = key;
        this.otherKeys = Set.of(otherKeys);
        this.attribute = attribute;
        this.text = text;
    }

    /** Returns the argument with a member name, null when it is not read. */
    static @Nullable Arg of(String key) {
        return BY_KEY.get(key);
    }

    /** Returns the member names of the argument. */
    Set<String> names() {
        Set<String> names = new HashSet<>(otherKeys);
        names.add(key);
        return names;
    }

    /** Returns the member name. */
    public String key() {
        return key;
    }

    /** Returns the attribute that stores the argument, null if the importer interprets it. */
    public @Nullable Attribute attribute() {
        return attribute;
    }

    /** Returns whether a row of a kind is written with this argument: one attribute has two names in Kineto. */
    public boolean isWrittenFor(RowKind kind) {
        return switch (this) {
            case EXTERNAL_ID -> kind != RowKind.PYTHON_FUNCTION;
            case PYTHON_ID -> kind == RowKind.PYTHON_FUNCTION;
            case COUNTER_BITS -> kind != RowKind.COUNTER;
            default -> true;
        };
    }

    /** Returns whether the value is kept as text rather than as an integer. */
    public boolean isText() {
        return text;
    }
}
