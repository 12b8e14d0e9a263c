package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** The requests of a run. Each is put on the first free lane of its process, so that no two overlap on one lane. */
final class Requests {
    private final List<Request> requests = new ArrayList<>();
    private final Map<Integer, Integer> numbers = new HashMap<>();

    /**
     * A request.
     *
     * @param pid id of the process that answered
     * @param arrivalNs when it arrived
     * @param endNs when its answer was complete, 0 = still open
     * @param firstAnswerNs from arrival to the first byte or token of the answer, {@link Attribute#ABSENT} = unknown
     * @param tid kernel thread id of the thread that served it, 0 = unknown
     * @param name method and route, or the engine
     * @param items tokens or chunks of the answer, 0 = unknown
     * @param waitedNs from arrival to the call of what answers it, {@link Attribute#ABSENT} = unknown
     * @param gaps microseconds from each token or chunk of the answer to the next, separated by commas; empty = unknown
     * @param detail metadata, or its id
     */
    record Request(
            int pid,
            long arrivalNs,
            long endNs,
            long firstAnswerNs,
            long tid,
            String name,
            long items,
            long waitedNs,
            String gaps,
            String detail) {}

    private record Lane(int number, long freeNs) {}

    private static final class Lanes {
        private final PriorityQueue<Lane> busy = new PriorityQueue<>(Order.comparingLong(Lane::freeNs));
        private final PriorityQueue<Integer> free = new PriorityQueue<>();
        private int count;

        int take(long arrivalNs, long endNs) {
            while (!busy.isEmpty() && busy.peek().freeNs() <= arrivalNs) {
                free.add(busy.remove().number());
            }
            int number = free.isEmpty() ? ++count : free.remove();
            busy.add(new Lane(number, endNs));
            return number;
        }
    }

    /** Returns the id of the next request of a process that gives its requests none. */
    String nextId(int pid) {
        return pid + "-" + numbers.merge(pid, 1, Integer::sum);
    }

    void add(Request request) {
        requests.add(request);
    }

    /** Adds the rows. An open request ends when its process was last seen, which {@code lastNs} returns. */
    int addRows(SpoolRun run, java.util.function.IntToLongFunction lastNs) {
        requests.sort(Order.comparingLong(Request::arrivalNs));
        Map<Integer, Lanes> lanes = new HashMap<>();
        int open = 0;
        for (Request request : requests) {
            open += request.endNs() == 0 ? 1 : 0;
            long endNs = request.endNs() == 0
                    ? Math.max(request.arrivalNs(), lastNs.applyAsLong(request.pid()))
                    : request.endNs();
            int lane = lanes.computeIfAbsent(request.pid(), p -> new Lanes()).take(request.arrivalNs(), endNs);
            addRow(run, request, run.requestLane(request.pid(), lane), endNs);
        }
        return open;
    }

    private static void addRow(SpoolRun run, Request request, int lane, long endNs) {
        TimelineBuilder builder = run.builder();
        int row = builder.row(RowKind.REQUEST, lane, request.arrivalNs(), endNs, builder.name(request.name()));
        if (request.firstAnswerNs() >= 0 && request.firstAnswerNs() <= endNs - request.arrivalNs()) {
            builder.attribute(row, Attribute.FIRST_ANSWER_NS, request.firstAnswerNs());
        }
        if (request.tid() != 0) {
            builder.attribute(row, Attribute.OTHER_THREAD, request.tid());
        }
        if (request.items() != 0) {
            builder.attribute(row, Attribute.ITEMS, request.items());
        }
        if (request.waitedNs() >= 0 && request.waitedNs() <= endNs - request.arrivalNs()) {
            builder.attribute(row, Attribute.WAITED_NS, request.waitedNs());
        }
        if (!request.gaps().isEmpty()) {
            builder.attribute(row, Attribute.ANSWER_GAPS, builder.name(request.gaps()));
        }
        if (!request.detail().isEmpty()) {
            builder.attribute(row, Attribute.DETAIL, builder.name(request.detail()));
        }
    }
}
