package io.inferscope.analyzer.model;

import java.util.List;

/**
 * What a run recorded beside activity: where in the code the judged host thread's time went, for whom it waited, requests, and the machine.
 *
 * @param time the time of the host thread by cause and place, largest first; empty without stack samples and hand-overs
 * @param waitedFor who worked while that thread waited, largest first
 * @param requests one line per kind of request, most first
 * @param machine counters of the machine and of memory, in a fixed order
 */
public record HostTables(
        List<PlaceFigures> time,
        List<HolderFigures> waitedFor,
        List<RequestFigures> requests,
        List<CounterFigures> machine) {
    /** Nothing of that was recorded. */
    public static final HostTables NONE = new HostTables(List.of(), List.of(), List.of(), List.of());

    /**
     * Time of the host thread with one cause at one place.
     *
     * @param thread whose doing it was: the thread itself, or the one that it waited for
     * @param followed whether it is another thread than the judged one
     * @param cause the ledger class
     * @param state the state of the judged thread meanwhile
     * @param activity innermost scope, operator, function or call; empty when not recorded
     * @param where {@code file:line function} of the innermost line of the user's own code; empty when not recorded
     * @param pieces how many pieces of time it is put together from
     */
    public record PlaceFigures(
            String thread,
            boolean followed,
            LedgerClass cause,
            String state,
            String activity,
            String where,
            long ns,
            long pieces,
            boolean estimated,
            long boundNs) {}

    /**
     * Who worked while the host thread waited.
     *
     * @param cause what it waited for
     * @param thread process and thread that held the lock or the GIL, or had the CPU
     * @param where what that ran: {@code file:line function}; empty when not recorded
     * @param ns for how long
     * @param known how it is known: {@code recorded}, or {@code at work meanwhile}
     */
    public record HolderFigures(LedgerClass cause, String thread, String where, long ns, String known) {}

    /**
     * Requests of one name.
     *
     * @param name method and route, or the engine
     * @param process who answered
     * @param count how many
     * @param medianNs median time from arrival to the end of the answer; p95 and max likewise
     * @param medianFirstNs median time to the first byte or token, -1 where not recorded; p95 likewise
     * @param items tokens or chunks of all answers, 0 where not recorded
     */
    public record RequestFigures(
            String name,
            String process,
            long count,
            long medianNs,
            long p95Ns,
            long maxNs,
            long medianFirstNs,
            long p95FirstNs,
            long items) {}

    /**
     * A counter of the machine or of a process.
     *
     * @param process whose, empty for the machine's
     * @param name its name
     * @param samples how often it was read
     * @param first its first value; last, least and most likewise
     * @param growth by how much it grew, where it only counts up; one that begins anew goes on from there
     */
    public record CounterFigures(
            String process,
            String name,
            long samples,
            double first,
            double last,
            double least,
            double most,
            double growth) {
        /** Returns the name without labels. */
        public String plainName() {
            int labels = name.indexOf('{');
            return labels < 0 ? name : name.substring(0, labels);
        }
    }
}
