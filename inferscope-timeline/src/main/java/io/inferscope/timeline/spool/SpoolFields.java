package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;

/** Reads the fields that records of one spool share: texts, times and process ids. Implausible values are counted. */
final class SpoolFields {
    /** Stamps further than this from the spool's opening are damaged: 400 days. */
    private static final long PLAUSIBLE_NS = 400L * 86_400 * 1_000_000_000L;

    private final SpoolHeader header;
    private final SpoolTexts texts;
    private final SpoolRun run;
    private final ImportStats.Builder stats;
    private long lastNs;

    SpoolFields(SpoolHeader header, SpoolTexts texts, SpoolRun run, ImportStats.Builder stats) {
        this.header = header;
        this.texts = texts;
        this.run = run;
        this.stats = stats;
        lastNs = header.openedNs();
    }

    SpoolRun run() {
        return run;
    }

    /** Returns the latest time in the spool. */
    long lastNs() {
        return lastNs;
    }

    /** Notes that something happened in a process. */
    void seen(int pid, long timeNs) {
        lastNs = Math.max(lastNs, timeNs);
        run.seen(pid, timeNs);
    }

    void count(Reason reason, SpoolRecordView view, String detail) {
        stats.count(reason, view.fileOffset(), detail);
    }

    /** Returns the id of the process that wrote the spool. */
    int pid() {
        return header.pid();
    }

    int pid(SpoolRecordView view, int field) {
        int pid = view.i32(field);
        return pid != 0 ? pid : pid();
    }

    String text(SpoolRecordView view, int field) {
        String text = texts.text(view.i32(field));
        if (text == null) {
            stats.count(Reason.BAD_TEXT, view.fileOffset(), "text id " + view.i32(field) + " is lost");
            return "";
        }
        return text;
    }

    int name(SpoolRecordView view, int field) {
        return run.builder().name(text(view, field));
    }

    void textAttribute(SpoolRecordView view, int field, int row, Attribute attribute) {
        if (view.i32(field) != 0) {
            run.builder().attribute(row, attribute, name(view, field));
        }
    }

    boolean isPlausible(SpoolRecordView view, long timeNs) {
        boolean plausible = timeNs >= 0 && Math.abs(timeNs - Math.max(0, header.openedNs())) <= PLAUSIBLE_NS;
        if (!plausible) {
            stats.count(Reason.BAD_TIMESTAMP, view.fileOffset(), "time " + timeNs);
        }
        return plausible;
    }

    boolean isInterval(SpoolRecordView view, long startNs, long endNs) {
        boolean good = endNs >= startNs && endNs - startNs <= PLAUSIBLE_NS;
        if (!good) {
            stats.count(Reason.BAD_TIMESTAMP, view.fileOffset(), "interval " + startNs + " to " + endNs);
        }
        return good;
    }
}
