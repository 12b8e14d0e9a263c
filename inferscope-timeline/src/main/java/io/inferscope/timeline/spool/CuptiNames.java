package io.inferscope.timeline.spool;

import io.inferscope.timeline.RowKind;

/**
 * Names of CUPTI's enumerations, as Kineto uses them. Values: CUPTI documentation, "Enumerations" of the activity API.
 */
public final class CuptiNames {
    private static final String[] COPIES = {
        "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"
    };
    private static final String[] MEMORY = {
        "Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"
    };
    private static final String[] SYNCHRONISATIONS = {
        "Synchronisation", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"
    };

    /** {@code CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE}. */
    static final int EVENT_SYNC = 1;

    /** {@code CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT}. */
    static final int STREAM_WAIT_EVENT = 2;

    /** {@code CUPTI_SYNCHRONIZATION_INVALID_VALUE}: the synchronisation has no single stream or event. */
    static final int NONE = -1;

    /** {@code CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1}. */
    static final int EXTERNAL_CUSTOM1 = 4;

    private CuptiNames() {}

    private static String of(String[] words, int value) {
        return value > 0 && value < words.length ? words[value] : words[0];
    }

    static String copyName(int kind, int from, int to) {
        String direction = of(COPIES, kind);
        String kinds = memoryKinds(from, to);
        return "Memcpy " + (direction.isEmpty() ? "of unknown direction" : direction)
                + (kinds.isEmpty() ? "" : " (" + kinds + ')');
    }

    /** Returns the kinds of memory of a copy, empty when neither is known. */
    static String memoryKinds(int from, int to) {
        return from == 0 && to == 0 ? "" : of(MEMORY, from) + " -> " + of(MEMORY, to);
    }

    static String fillName(int memory) {
        return memory == 0 ? "Memset" : "Memset (" + of(MEMORY, memory) + ')';
    }

    static String synchronisation(int type) {
        return of(SYNCHRONISATIONS, type);
    }

    static RowKind copyKind(int kind) {
        return copyKind(of(COPIES, kind));
    }

    /** Returns the kind of a copy by its direction, such as {@code HtoD}. Arrays are in device memory. */
    public static RowKind copyKind(String direction) {
        return switch (direction) {
            case "HtoD", "HtoA" -> RowKind.MEMCPY_H2D;
            case "DtoH", "AtoH" -> RowKind.MEMCPY_D2H;
            case "DtoD", "AtoA", "AtoD", "DtoA" -> RowKind.MEMCPY_D2D;
            case "PtoP" -> RowKind.MEMCPY_P2P;
            default -> RowKind.MEMCPY_OTHER;
        };
    }

    /** Returns the name of a {@code CUpti_ActivityOverheadKind}; empty if it is not a cost of recording or loading. */
    static String overhead(int kind) {
        return switch (kind) {
            case 1 -> "Driver Compiler";
            case 1 << 16 -> "Activity Buffer Flush";
            case 2 << 16 -> "Instrumentation";
            case 3 << 16 -> "Resource";
            case 4 << 16 -> "Runtime Triggered Module Loading";
            case 5 << 16 -> "Lazy Function Loading";
            case 7 << 16 -> "Activity Buffer Request";
            case 8 << 16 -> "UVM Activity Init";
            default -> "";
        };
    }

    /** Returns whether such a time is the program's own loading or compiling, rather than a cost of the recorder. */
    static boolean isLoading(int overheadKind) {
        return overheadKind == 1 || overheadKind == 4 << 16 || overheadKind == 5 << 16;
    }
}
