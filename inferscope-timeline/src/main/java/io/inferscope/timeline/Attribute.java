package io.inferscope.timeline;

/** A typed property that only some rows carry. A column exists only when at least one row has the attribute. */
public enum Attribute {
    /** Bytes moved or set. */
    SIZE_BYTES,
    /** Nesting order among rows that start and end together: smaller encloses larger. */
    SEQUENCE,
    /** Name id of {@code from -> to} kinds of memory of a copy, such as {@code Pageable -> Device}. */
    MEMORY_KINDS,
    /** Name id of {@code file:line} of the innermost user frame. */
    WHERE,
    /** Name id of the dimensions of an operator's inputs. */
    INPUT_DIMS,
    /** {@link Activity} ordinal of a range whose recorder knew it. */
    ACTIVITY,
    /** 1 for ranges that the program's author opened. */
    USER_SCOPE,
    /** Nanoseconds on a CPU inside a {@link RowKind#THREAD_STATE} row. */
    ON_CPU_NS,
    /** Nanoseconds runnable but not running inside a {@link RowKind#THREAD_STATE} row. */
    RUNNABLE_NS,
    /** {@link WaitReason} ordinal of what is left of a {@link RowKind#THREAD_STATE} row. */
    WAIT_REASON,
    /** Page faults inside a {@link RowKind#THREAD_STATE} row, minor and major. */
    PAGE_FAULTS,
    /** {@link Double#doubleToRawLongBits} of a counter sample. */
    COUNTER_VALUE,
    /** Name id of free text that belongs to a row: metadata of a mark, the system call of a wait. */
    DETAIL,
    /** Id in {@link Timeline#stacks} of a {@link RowKind#STACK_SAMPLE} row's call stack. */
    STACK,
    /** How many samples a {@link RowKind#STACK_SAMPLE} row stands for; one where absent. */
    SAMPLES;

    /** What {@link Timeline#attribute} returns for a row without the attribute. */
    public static final long ABSENT = Long.MIN_VALUE;

    /** Returns whether values are name ids, to be read with {@link Timeline#attributeText}. */
    public boolean isText() {
        return switch (this) {
            case MEMORY_KINDS, WHERE, INPUT_DIMS, DETAIL -> true;
            default -> false;
        };
    }
}
