package io.inferscope.timeline;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.regex.Pattern;

/** The calls that submit work to a device: {@code launch-calls.tsv}. */
public final class LaunchCalls {
    private static final Pattern NAMES = Pattern.compile(
            String.join("|", KnowledgeTable.read(LaunchCalls.class, "launch-calls.tsv", cells -> cells[0])));

    private static final Pattern COPY = Pattern.compile("(?i)mem_?cpy|mem(ory)?_?copy|memBuffer(copy|read|write)");
    private static final Pattern SET = Pattern.compile("(?i)mem_?set|fill");

    private LaunchCalls() {}

    /** Returns whether a call of this name submits work. */
    public static boolean contains(String name) {
        return NAMES.matcher(name).matches();
    }

    /** Returns the kind of operation that a call of this name submits: a copy, a memset, else a kernel. */
    public static RowKind operation(String name) {
        if (COPY.matcher(name).find()) {
            return RowKind.MEMCPY_OTHER;
        }
        return SET.matcher(name).find() ? RowKind.MEMSET : RowKind.KERNEL;
    }
}
