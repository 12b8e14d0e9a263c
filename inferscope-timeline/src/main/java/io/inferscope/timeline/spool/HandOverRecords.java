package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns hand-overs of one spool into rows, and hands them and its requests on: both sides of one may stand in different spools. */
final class HandOverRecords {
    private static final int TAKES = 1;

    /** The detail of a request of which single tokens were recorded. */
    private static final Pattern GAPS = Pattern.compile("\\{\"gaps_us\":\\[([0-9,]+)\\]\\}");

    private final SpoolFields fields;
    private final SpoolRun run;

    HandOverRecords(SpoolFields fields) {
        this.fields = fields;
        this.run = fields.run();
    }

    void handOver(SpoolRecordView view) {
        long timeNs = view.i64(8);
        boolean takes = view.u16(48) == TAKES;
        long startNs = takes && view.i64(16) > 0 ? view.i64(16) : timeNs;
        if (!fields.isPlausible(view, timeNs) || !fields.isInterval(view, startNs, timeNs)) {
            return;
        }
        int pid = fields.pid(view, 44);
        HandOver means = HandOver.of(view.u16(50));
        String text =
                (takes ? "takes " : "gives ") + means.name().toLowerCase(Locale.ROOT) + ' ' + fields.text(view, 52);
        TimelineBuilder builder = run.builder();
        int name = builder.name(text.strip());
        int row = builder.row(RowKind.HAND_OVER, run.thread(pid, view.i32(40)), startNs, timeNs, name);
        builder.attribute(row, Attribute.HAND_OVER, means.ordinal());
        if (takes) {
            builder.attribute(row, Attribute.TAKES, 1);
        }
        fields.textAttribute(view, 56, row, Attribute.WHERE);
        run.handOvers().add(new HandOvers.Side(view.i64(24), view.u32(32), timeNs, row, takes, means));
        fields.seen(pid, timeNs);
    }

    void request(SpoolRecordView view) {
        long arrivalNs = view.i64(8);
        long endNs = view.i64(16);
        boolean open = endNs == 0;
        if (!fields.isPlausible(view, arrivalNs) || !fields.isInterval(view, arrivalNs, open ? arrivalNs : endNs)) {
            return;
        }
        int pid = fields.pid(view, 36);
        fields.seen(pid, Math.max(arrivalNs, endNs));
        String id = fields.text(view, 40);
        String name = fields.text(view, 44);
        String said = fields.text(view, 52);
        Matcher gaps = GAPS.matcher(said);
        String detail = gaps.matches() ? "" : said;
        run.requests()
                .add(new Requests.Request(
                        pid,
                        arrivalNs,
                        open ? 0 : endNs,
                        view.i64(24) > 0 ? view.i64(24) - arrivalNs : Attribute.ABSENT,
                        view.u32(32),
                        name.isEmpty() ? id : name,
                        view.u32(48),
                        gaps.matches() ? gaps.group(1) : "",
                        detail.isEmpty() && !name.isEmpty() ? id : detail));
    }
}
