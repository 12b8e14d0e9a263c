package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.HandOver.What;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/**
 * Pools of threads: threads of one process whose names differ only in numbers, as pools and servers name theirs; and
 * the items that they took from queues.
 *
 * <pre>
 *   submits   a b c d
 *   worker 1    [a    ][c    ]
 *   worker 2     [b     ][d   ]
 *   waiting      1122222211         items that were given and not taken yet
 * </pre>
 */
public final class Pools {
    /**
     * A pool of threads.
     *
     * @param name the common part of their names
     * @param process the track of their process
     * @param threads their tracks, ascending
     * @param items the items that they took from queues, in the order in which they were given
     * @param bounded whether other threads waited for them to make room in a queue
     * @param awaited when other threads waited for their results or their end
     */
    public record Pool(
            String name, int process, List<Integer> threads, List<Item> items, boolean bounded, List<Stretch> awaited) {
        /** Returns the total time that other threads waited for the pool in an interval, in ns. */
        public long awaitedNs(Stretch part) {
            return awaited.stream()
                    .mapToLong(wait -> part.overlapNs(wait.startNs(), wait.endNs()))
                    .sum();
        }

        /** Returns the average number of items over an interval that were given and not yet taken. */
        public double meanWaiting(Stretch part) {
            long waitedNs =
                    items.stream().mapToLong(item -> item.waitedNs(part)).sum();
            return (double) waitedNs / Math.max(1, part.durationNs());
        }

        /**
         * Returns the time from the first to the last item taken in an interval; without any item, an empty stretch at
         * the interval's start.
         */
        public Stretch taking(Stretch part) {
            long firstNs = Long.MAX_VALUE;
            long lastNs = part.startNs();
            for (Item item : items) {
                if (part.holds(item.takenNs)) {
                    firstNs = Math.min(firstNs, item.takenNs);
                    lastNs = Math.max(lastNs, item.takenNs);
                }
            }
            return new Stretch(Math.min(firstNs, lastNs), lastNs);
        }

        /** Returns when a thread waited for an item. */
        public Intervals idle(int thread) {
            Intervals.Builder idle = new Intervals.Builder(items.size());
            items.stream()
                    .filter(item -> item.thread == thread)
                    .forEach(item -> idle.add(item.idleSinceNs, item.takenNs));
            return idle.build();
        }

        /**
         * Returns the total time in which the threads waited for items in an interval, in ns; only waits that an item
         * ended count.
         */
        public long idleNs(Stretch part) {
            return items.stream()
                    .mapToLong(item -> part.overlapNs(item.idleSinceNs, item.takenNs))
                    .sum();
        }
    }

    /**
     * One item of a queue, or one call submitted to an executor.
     *
     * @param givenNs when it was given
     * @param takenNs when a thread took it
     * @param idleSinceNs when that thread began to wait for an item
     * @param giver the track of the thread that gave it
     * @param thread the track of the thread that took it
     */
    public record Item(long givenNs, long takenNs, long idleSinceNs, int giver, int thread) {
        long waitedNs(Stretch part) {
            return part.overlapNs(givenNs, takenNs);
        }
    }

    private final List<Pool> pools;

    private Pools(List<Pool> pools) {
        this.pools = List.copyOf(pools);
    }

    /** Returns the pools of a recording, including pools of one thread, without InferScope's own threads. */
    public static List<Pool> of(Analysis analysis) {
        return analysis.once(Pools.class, a -> new Pools(find(a.timeline(), a.threads()))).pools;
    }

    static List<Pool> find(Timeline timeline, Threads threads) {
        HandOvers handOvers = new HandOvers(timeline);
        Map<Integer, List<Item>> items = handOvers.items();
        Map<Integer, String> unnamed = mainThreads(timeline, threads);
        Map<String, List<Integer>> alike = new TreeMap<>();
        for (Track thread : threads.all()) {
            if (!Threads.isRecorders(timeline, thread.id())) {
                String name = shared(thread.name());
                String alone = name.equals(unnamed.get(thread.parent())) ? Integer.toString(thread.id()) : "";
                alike.computeIfAbsent(thread.parent() + " " + alone + "\n" + name, key -> new ArrayList<>())
                        .add(thread.id());
            }
        }
        List<Pool> pools = new ArrayList<>();
        alike.forEach((key, tracks) -> {
            Set<Integer> members = new HashSet<>(tracks);
            List<Item> taken = items.entrySet().stream()
                    .filter(entry -> members.contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .sorted(Order.comparingLong(Item::givenNs).thenComparingLong(Item::takenNs))
                    .toList();
            String name = key.substring(key.indexOf('\n') + 1);
            int process = timeline.tracks().get(tracks.get(0)).parent();
            pools.add(new Pool(
                    name,
                    process,
                    List.copyOf(tracks),
                    taken,
                    !taken.isEmpty()
                            && handOvers
                                    .waits(members, HandOvers::isRoom)
                                    .findAny()
                                    .isPresent(),
                    taken.isEmpty()
                            ? List.of()
                            : handOvers.waits(members, HandOvers::isResult).toList()));
        });
        return pools;
    }

    /**
     * Returns the names of the main threads by process. A thread with its main thread's name was given no name of its
     * own: the system gives it the name of its process.
     */
    private static Map<Integer, String> mainThreads(Timeline timeline, Threads threads) {
        Map<Integer, String> names = new HashMap<>();
        for (Track thread : threads.all()) {
            if (thread.parent() >= 0
                    && timeline.tracks().get(thread.parent()).key().equals(thread.key())) {
                names.put(thread.parent(), shared(thread.name()));
            }
        }
        return names;
    }

    /** Returns what the threads of a pool have in common: their process, and their names but for the numbers. */
    public static String kind(Timeline timeline, int thread) {
        Track track = timeline.tracks().get(thread);
        return track.parent() + " " + shared(track.name());
    }

    /** Returns a name with {@code N} for each number: the numbers distinguish the threads of a pool. */
    public static String shared(String name) {
        return StepNames.withNumbers(name, "N");
    }

    /** The hand-overs between threads. */
    private static final class HandOvers {
        private final Timeline timeline;

        /** Pairs of rows: the taker's and the giver's. */
        private final List<int[]> pairs = new ArrayList<>();

        HandOvers(Timeline timeline) {
            this.timeline = timeline;
            Links links = timeline.links();
            if (timeline.has(Attribute.HAND_OVER)) {
                links.of(LinkKind.HAND_OVER)
                        .mapToObj(link -> new int[] {links.toRow(link), links.fromRow(link)})
                        .filter(pair -> timeline.kind(pair[0]) == RowKind.HAND_OVER)
                        .filter(pair -> timeline.track(pair[0]) != timeline.track(pair[1]))
                        .forEach(pairs::add);
            }
        }

        /** Returns the items by the thread that took them. */
        Map<Integer, List<Item>> items() {
            Map<Integer, List<Item>> found = new HashMap<>();
            for (int[] pair : pairs) {
                int takes = pair[0];
                if (isItem(timeline, takes)) {
                    found.computeIfAbsent(timeline.track(takes), track -> new ArrayList<>())
                            .add(new Item(
                                    timeline.startNs(pair[1]),
                                    timeline.endNs(takes),
                                    timeline.startNs(takes),
                                    timeline.track(pair[1]),
                                    timeline.track(takes)));
                }
            }
            return found;
        }

        /** Returns when other threads waited for hand-overs from some threads. */
        Stream<Stretch> waits(Set<Integer> givers, BiPredicate<Timeline, Integer> wanted) {
            return pairs.stream()
                    .filter(pair -> givers.contains(timeline.track(pair[1]))
                            && !givers.contains(timeline.track(pair[0]))
                            && timeline.durationNs(pair[0]) > 0
                            && wanted.test(timeline, pair[0]))
                    .map(pair -> new Stretch(timeline.startNs(pair[0]), timeline.endNs(pair[0])));
        }

        private static HandOver means(Timeline timeline, int takes) {
            return HandOver.of(timeline.attribute(takes, Attribute.HAND_OVER));
        }

        private static boolean isItem(Timeline timeline, int takes) {
            What what = What.of(timeline, takes);
            return switch (means(timeline, takes)) {
                case QUEUE -> what == What.OTHER;
                case FUTURE -> what == What.CALL;
                default -> false;
            };
        }

        private static boolean isRoom(Timeline timeline, int takes) {
            return What.of(timeline, takes) == What.ROOM;
        }

        private static boolean isResult(Timeline timeline, int takes) {
            What what = What.of(timeline, takes);
            return switch (means(timeline, takes)) {
                case QUEUE -> what == What.OTHER || what == What.ALL_DONE;
                case FUTURE -> what != What.CALL;
                case START -> what == What.END;
                case EVENT -> what == What.SET || what == What.WAKE_UP;
                default -> false;
            };
        }
    }
}
