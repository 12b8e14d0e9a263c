package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Threads that were made alike: those of a process whose names differ in numbers alone, as pools and servers name theirs, and what they took from
 * queues.
 *
 * <pre>
 *   submits   a b c d
 *   worker 1    [a    ][c    ]
 *   worker 2     [b     ][d   ]
 *   waiting      1122222211         items that were given and not taken yet
 * </pre>
 */
public final class Pools {
    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    /** What {@code concurrent.futures} is given; other futures are results, for which whoever asked waits. */
    private static final String SUBMITTED = "takes future Executor.submit";

    /** In the name of what a queue only signals, such as room in it. */
    private static final String SIGNAL = ": ";

    /**
     * Threads made alike.
     *
     * @param name what their names have in common
     * @param process the track of their process
     * @param threads their tracks, ascending
     * @param items what they took from queues, in the order in which it was given
     */
    public record Pool(String name, int process, List<Integer> threads, List<Item> items) {
        /** Returns how many items were given and not taken, on average over a stretch. */
        public double meanWaiting(Stretch part) {
            long waitedNs =
                    items.stream().mapToLong(item -> item.waitedNs(part)).sum();
            return (double) waitedNs / Math.max(1, part.durationNs());
        }

        /** Returns from the first item to the last of those that were taken in a stretch; an empty stretch at its start without any. */
        public Stretch taking(Stretch part) {
            long firstNs = Long.MAX_VALUE;
            long lastNs = part.startNs();
            for (Item item : items) {
                if (item.takenNs >= part.startNs() && item.takenNs < part.endNs()) {
                    firstNs = Math.min(firstNs, item.takenNs);
                    lastNs = Math.max(lastNs, item.takenNs);
                }
            }
            return new Stretch(Math.min(firstNs, lastNs), lastNs);
        }

        /** Returns how long the threads together had nothing to do in a stretch, by the waits that items ended, in ns. */
        public long idleNs(Stretch part) {
            return items.stream()
                    .mapToLong(item -> overlapNs(item.idleSinceNs, item.takenNs, part))
                    .sum();
        }
    }

    /**
     * One item of a queue, or one call that an executor was given.
     *
     * @param givenNs when it was given
     * @param takenNs when a thread took it
     * @param idleSinceNs since when that thread had waited for one
     * @param giver the track of the thread that gave it
     * @param thread the track of the thread that took it
     */
    public record Item(long givenNs, long takenNs, long idleSinceNs, int giver, int thread) {
        long waitedNs(Stretch part) {
            return overlapNs(givenNs, takenNs, part);
        }
    }

    private final List<Pool> pools;

    private Pools(List<Pool> pools) {
        this.pools = List.copyOf(pools);
    }

    /** Returns the pools of a recording, those of one thread included; InferScope's own threads are none. */
    public static List<Pool> of(Analysis analysis) {
        return analysis.once(Pools.class, a -> new Pools(find(a.timeline(), a.threads()))).pools;
    }

    static List<Pool> find(Timeline timeline, Threads threads) {
        Map<Integer, List<Item>> items = items(timeline);
        Map<String, List<Integer>> alike = new TreeMap<>();
        for (Track thread : threads.all()) {
            if (!Threads.isRecorders(timeline, thread.id())) {
                alike.computeIfAbsent(thread.parent() + "\n" + shared(thread.name()), key -> new ArrayList<>())
                        .add(thread.id());
            }
        }
        List<Pool> pools = new ArrayList<>();
        alike.forEach((key, tracks) -> {
            Set<Integer> members = new HashSet<>(tracks);
            List<Item> taken = items.entrySet().stream()
                    .filter(entry -> members.contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .sorted(Comparator.comparingLong(Item::givenNs).thenComparingLong(Item::takenNs))
                    .toList();
            String name = key.substring(key.indexOf('\n') + 1);
            int process = timeline.tracks().get(tracks.get(0)).parent();
            pools.add(new Pool(name, process, List.copyOf(tracks), taken));
        });
        return pools;
    }

    /** Returns a name without the numbers that tell threads of a pool apart. */
    private static String shared(String name) {
        return NUMBERS.matcher(name).replaceAll("N");
    }

    /** Returns the items by the thread that took them. */
    private static Map<Integer, List<Item>> items(Timeline timeline) {
        Map<Integer, List<Item>> found = new HashMap<>();
        if (!timeline.has(Attribute.HAND_OVER)) {
            return found;
        }
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            int gives = links.fromRow(link);
            int takes = links.toRow(link);
            if (links.kind(link) == LinkKind.HAND_OVER
                    && timeline.kind(takes) == RowKind.HAND_OVER
                    && timeline.track(gives) != timeline.track(takes)
                    && isItem(timeline, takes)) {
                found.computeIfAbsent(timeline.track(takes), track -> new ArrayList<>())
                        .add(new Item(
                                timeline.startNs(gives),
                                timeline.endNs(takes),
                                timeline.startNs(takes),
                                timeline.track(gives),
                                timeline.track(takes)));
            }
        }
        return found;
    }

    private static boolean isItem(Timeline timeline, int takes) {
        HandOver means = HandOver.of(timeline.attribute(takes, Attribute.HAND_OVER));
        String name = timeline.name(takes);
        return means == HandOver.QUEUE ? !name.contains(SIGNAL) : means == HandOver.FUTURE && name.equals(SUBMITTED);
    }

    private static long overlapNs(long fromNs, long toNs, Stretch part) {
        return Math.max(0, Math.min(toNs, part.endNs()) - Math.max(fromNs, part.startNs()));
    }
}
