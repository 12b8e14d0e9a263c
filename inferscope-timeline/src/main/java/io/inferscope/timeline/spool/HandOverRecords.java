package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns hand-overs of one spool into rows. They are linked later with its requests: both sides may be in different
 * spools.
 */
final class HandOverRecords {
    /** The detail of a request of which single tokens were recorded. */
    private static final Pattern GAPS = Pattern.compile("\\{\"gaps_us\":\\[([0-9,]+)\\]\\}");

    private final SpoolFields fields;
    private final SpoolRun run;

    HandOverRecords(SpoolFields fields) {
        this.fields = fields;
        this.run = fields.run();
    }

    void handOver(SpoolRecordView view) {
        long timeNs = view.i64(HAND_OVER_TIME_NS);
        boolean takes = view.u16(HAND_OVER_DIRECTION) == DIRECTION_TAKES;
        long startNs = takes && view.i64(HAND_OVER_WAIT_START_NS) > 0 ? view.i64(HAND_OVER_WAIT_START_NS) : timeNs;
        if (!fields.isPlausible(view, timeNs) || !fields.isInterval(view, startNs, timeNs)) {
            return;
        }
        int pid = fields.pid(view, HAND_OVER_PID);
        HandOver means = HandOver.of(view.u16(HAND_OVER_MEANS));
        String word = fields.text(view, HAND_OVER_NAME);
        String text = (takes ? "takes " : "gives ") + means.name().toLowerCase(Locale.ROOT) + ' ' + word;
        TimelineBuilder builder = run.builder();
        int name = builder.name(text.strip());
        int row = builder.row(RowKind.HAND_OVER, run.thread(pid, view.i32(HAND_OVER_TID)), startNs, timeNs, name);
        builder.attribute(row, Attribute.HAND_OVER, means.ordinal());
        if (takes) {
            builder.attribute(row, Attribute.TAKES, 1);
        }
        HandOver.What.of(word).store(builder, row);
        fields.textAttribute(view, HAND_OVER_NAME, row, Attribute.DETAIL);
        fields.textAttribute(view, HAND_OVER_WHERE, row, Attribute.WHERE);
        run.handOvers()
                .add(new HandOvers.Side(
                        view.i64(HAND_OVER_KEY), view.u32(HAND_OVER_NUMBER), timeNs, row, takes, means));
        fields.seen(pid, timeNs);
    }

    void request(SpoolRecordView view) {
        long arrivalNs = view.i64(REQUEST_ARRIVAL_NS);
        long endNs = view.i64(REQUEST_END_NS);
        boolean open = endNs == 0;
        if (!fields.isPlausible(view, arrivalNs) || !fields.isInterval(view, arrivalNs, open ? arrivalNs : endNs)) {
            return;
        }
        int pid = fields.pid();
        fields.seen(pid, Math.max(arrivalNs, endNs));
        String name = fields.text(view, REQUEST_NAME);
        String said = fields.text(view, REQUEST_DETAIL);
        Matcher gaps = GAPS.matcher(said);
        boolean timed = gaps.matches();
        String detail = timed ? "" : said;
        long waitedUs = view.u32(REQUEST_WAITED_US);
        String id = view.i32(REQUEST_ID) != 0 || !detail.isEmpty()
                ? fields.text(view, REQUEST_ID)
                : run.requests().nextId(pid);
        run.requests()
                .add(new Requests.Request(
                        pid,
                        arrivalNs,
                        open ? 0 : endNs,
                        view.i64(REQUEST_FIRST_NS) > 0 ? view.i64(REQUEST_FIRST_NS) - arrivalNs : Attribute.ABSENT,
                        view.u32(REQUEST_TID),
                        name.isEmpty() ? id : name,
                        view.u32(REQUEST_ITEMS),
                        waitedUs == 0 ? Attribute.ABSENT : waitedUs * 1_000,
                        timed ? gaps.group(1) : "",
                        detail.isEmpty() && !name.isEmpty() ? id : detail));
    }
}
