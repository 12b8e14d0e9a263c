package io.inferscope.formats.nsys;

import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reasons of waits in calls of the OS runtime libraries, by name: the table {@code os-runtime-calls.tsv}. */
final class OsRuntimeCalls {
    private static final Map<String, WaitReason> WAITS = new HashMap<>();

    static {
        KnowledgeTable.read(OsRuntimeCalls.class, "os-runtime-calls.tsv", row -> row)
                .forEach(row -> WAITS.put(row[0], WaitReason.valueOf(row[1])));
    }

    /** Functions that return after a character or a line. */
    private static final Set<String> LINES = Set.of("getc", "fgetc", "fgets", "getline", "getdelim");

    /** No file takes so long for one buffer; a terminal or a pipe waits for who writes. */
    private static final long LONGEST_LINE_NS = 500_000_000;

    private OsRuntimeCalls() {}

    /** Returns the reason of a call's wait that took so long, null if it is not known to wait. */
    static @Nullable WaitReason waitReason(String function, long ns) {
        return ns > LONGEST_LINE_NS && LINES.contains(function) ? WaitReason.UNKNOWN : WAITS.get(function);
    }
}
