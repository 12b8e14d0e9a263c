package io.inferscope.timeline;

import java.util.List;

/** A typed property that only some rows have. A column exists only if at least one row has the attribute. */
public enum Attribute {
    /** Bytes moved or set. */
    SIZE_BYTES,
    /** Nesting order among rows that start and end together: smaller encloses larger. */
    SEQUENCE,
    /** Name id of {@code from -> to} kinds of memory of a copy, such as {@code Pageable -> Device}. */
    MEMORY_KINDS(true),
    /** Name id of {@code file:line} of the innermost user frame. */
    WHERE(true),
    /** Name id of the dimensions of an operator's inputs. */
    INPUT_DIMS(true),
    /** {@link RangeActivity} ordinal of a range whose recorder knew it. */
    ACTIVITY(RangeActivity.values()),
    /** 1 for ranges that the program's author opened. */
    USER_SCOPE,
    /** Nanoseconds on a CPU inside a {@link RowKind#THREAD_STATE} row. */
    ON_CPU_NS,
    /** Nanoseconds runnable but not running inside a {@link RowKind#THREAD_STATE} row. */
    RUNNABLE_NS,
    /** {@link WaitReason} ordinal of the blocked time of a {@link RowKind#THREAD_STATE} row. */
    WAIT_REASON(WaitReason.values()),
    /** Page faults inside a {@link RowKind#THREAD_STATE} row, minor and major. */
    PAGE_FAULTS,
    /** {@link Double#doubleToRawLongBits} of a counter sample. */
    COUNTER_VALUE,
    /** Name id of free text that belongs to a row: metadata of a mark, the system call of a wait. */
    DETAIL(true),
    /** Id in {@link Timeline#stacks} of a {@link RowKind#STACK_SAMPLE} row's call stack. */
    STACK,
    /** Number of samples merged into a {@link RowKind#STACK_SAMPLE} row; one if absent. */
    SAMPLES,
    /** Whether a sampled thread held the GIL: 1 held it, 2 waited for it, 3 neither; absent where not known. */
    GIL,
    /** Address of the futex on which a thread waited. */
    FUTEX,
    /**
     * Kernel thread id of another thread of the process that a row refers to: the thread that held the lock or the GIL,
     * or served the request.
     */
    OTHER_THREAD,
    /** {@link HandOver} ordinal of a {@link RowKind#HAND_OVER} row. */
    HAND_OVER(HandOver.values()),
    /** 1 for the taker's side of a {@link RowKind#HAND_OVER}. */
    TAKES,
    /** Nanoseconds from a request's arrival to the first byte or token of its answer. */
    FIRST_ANSWER_NS,
    /** Nanoseconds from a request's arrival to the call of what answers it. */
    WAITED_NS,
    /** Tokens or chunks of a request's answer. */
    ITEMS,
    /** Microseconds from each token or chunk of a request's answer to the next: {@link Timeline#numbers}. */
    ANSWER_GAPS(true),
    /**
     * Name id of the types of an operator's inputs, such as {@code [c10::Half,long int,Scalar]}: one for each element
     * of its dimensions.
     */
    INPUT_TYPES(true),
    /**
     * Name id of the values of an operator's inputs that are no tensors; kept of operators whose work depends on them.
     */
    CONCRETE_INPUTS(true),
    /** Bytes allocated to the program by a framework's allocator, at the mark of an allocation or release. */
    ALLOCATED_BYTES,
    /** Bytes reserved by a framework's allocator from the device or the system, at such a mark. */
    RESERVED_BYTES,
    /** Index of the device whose memory such a mark counts, negative for host memory. */
    MEMORY_DEVICE,
    /** Instant of the first sample of a {@link RowKind#STACK_SAMPLE} row, in nanoseconds from the start of the row. */
    LOOKED_NS,
    /**
     * Instant at which the Python frames of such a row were read, if that differs, in nanoseconds from the start of the
     * row.
     */
    FRAMES_READ_NS,
    /**
     * Where the expression at which a {@link RowKind#STACK_SAMPLE} row has its innermost line begins, in columns from 1, times
     * 65,536, plus the column behind its end, 0 if that is on another line.
     */
    COLUMNS,
    /** Name id of a collective's name. */
    COLLECTIVE(true),
    /**
     * Nanoseconds from the start of a coroutine's call to the start of this range, which is a later stretch of the call;
     * absent for the first stretch.
     */
    CALL_START_NS,
    /** What a span of the probe counts besides its time, such as token ids read or made: its name says what (docs/probe.md). */
    COUNTED,
    /** Blocks of a kernel's launch, at most {@link #MOST_BLOCKS}. */
    GRID_BLOCKS,
    /** Threads of each of these blocks, at most {@link #MOST_BLOCKS}. */
    BLOCK_THREADS,
    /** Number of elements that one rank sends in a collective; negative where not known. */
    MESSAGE_ELEMENTS,
    /** Name id of the type of these elements. */
    ELEMENT_TYPE(true),
    /** Name id of the name of a collective's process group. */
    GROUP_NAME(true),
    /** Ranks of that group. */
    GROUP_SIZE,
    /** Name id of the HLO instruction that an operation computes, such as {@code loop_add_fusion.3}. */
    HLO_INSTRUCTION(true),
    /** Name id of the HLO module of that instruction. */
    HLO_MODULE(true),
    /** Name id of what the module says of it: opcode, kind of fusion or target of the call. */
    HLO_MEANING(true),
    /** {@link WaitDetail} ordinal of the blocked time of a {@link RowKind#THREAD_STATE} row. */
    WAIT_DETAIL(WaitDetail.values()),
    /** {@link HandOver.What} ordinal of a {@link RowKind#HAND_OVER} row, where the means do not tell it. */
    HANDED_OVER(HandOver.What.values()),
    /** Name id of what a range loads: equal for the same thing. */
    LOADED(true),
    /** How many percent of the text that a range tokenizes were tokenized before. */
    KNOWN_PERCENT,
    /** Name id of what the recorder says an operator runs on: an execution provider of ONNX Runtime. */
    PROVIDER(true);

    /** More blocks than any device can be asked for. */
    public static final long MOST_BLOCKS = 1L << 50;

    /** Result of {@link Timeline#attribute} for a row without the attribute. */
    public static final long ABSENT = Long.MIN_VALUE;

    private final boolean text;

    @SuppressWarnings("ImmutableEnumChecker") // List.of cannot be changed.
    private final List<? extends Enum<?>> constants;

    Attribute(Enum<?>... constants) {
        this(false, constants);
    }

    Attribute(boolean text, Enum<?>... constants) {
        this.text = text;
        this.constants = List.of(constants);
    }

    /** Returns whether values are name ids, to be read with {@link Timeline#attributeText}. */
    public boolean isText() {
        return text;
    }

    /** Returns the constants whose ordinals the values are; none if they are something else. */
    public List<? extends Enum<?>> constants() {
        return constants;
    }
}
