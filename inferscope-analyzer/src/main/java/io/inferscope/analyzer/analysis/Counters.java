package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoublePredicate;

/**
 * The counters of a recording. A counter's name is its writer's, without the labels that Prometheus appends: {@code
 * vllm:num_preemptions_total{model_name="m"}} is a series of {@code vllm:num_preemptions_total}.
 */
public final class Counters {
    private final List<Series> all;

    Counters(Timeline timeline) {
        all = timeline.tracks(TrackKind.COUNTER)
                .map(track -> new Series(timeline, track))
                .filter(series -> series.size() > 0)
                .toList();
    }

    /** Returns every series with a finite value, in the order of tracks. */
    public List<Series> all() {
        return all;
    }

    /** Returns the series of a name, whatever their process and labels. */
    public List<Series> named(String name) {
        return all.stream().filter(series -> series.name().equals(name)).toList();
    }

    /** Returns the series of a name whose label is a device. */
    public Optional<Series> ofDevice(String name, String device) {
        return named(name).stream()
                .filter(s -> DeviceCounters.device(s.key()).equals(device))
                .findFirst();
    }

    /** Returns the longest series of the first name that was recorded: writers rename counters. */
    public Optional<Series> first(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> named(name).stream().max((a, b) -> Integer.compare(a.size(), b.size())).stream())
                .findFirst();
    }

    /** Returns the total growth of all series of the first name that was recorded; empty if none was. */
    public Optional<Double> growth(String... names) {
        return Arrays.stream(names)
                .map(this::named)
                .filter(series -> !series.isEmpty())
                .findFirst()
                .map(series -> series.stream().mapToDouble(Series::growth).sum());
    }

    /** The values of one counter, in the order of time. Values that are no finite numbers are left out. */
    public static final class Series {
        private final String key;
        private final int process;
        private final long[] times;
        private final double[] values;

        private Series(Timeline timeline, Track track) {
            key = track.key();
            process = track.parent();
            int[] rows = timeline.rows(track.id(), RowKind.COUNTER)
                    .filter(row -> timeline.attribute(row, Attribute.COUNTER_VALUE) != Attribute.ABSENT)
                    .filter(row -> Double.isFinite(value(timeline, row)))
                    .toArray();
            times = Arrays.stream(rows).mapToLong(timeline::startNs).toArray();
            values =
                    Arrays.stream(rows).mapToDouble(row -> value(timeline, row)).toArray();
        }

        private Series(Series whole, int from, int to) {
            key = whole.key;
            process = whole.process;
            times = Arrays.copyOfRange(whole.times, from, to);
            values = Arrays.copyOfRange(whole.values, from, to);
        }

        private static double value(Timeline timeline, int row) {
            return Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE));
        }

        /** Returns the name as its writer gave it, labels included. */
        public String key() {
            return key;
        }

        /** Returns the name without labels. */
        public String name() {
            int labels = key.indexOf('{');
            return labels < 0 ? key : key.substring(0, labels);
        }

        /** Returns the track of the counter's process or device, -1 for the machine. */
        public int process() {
            return process;
        }

        /** Returns the number of readings. */
        public int size() {
            return times.length;
        }

        /** Returns when value {@code i} was read, in ns on the axis. */
        public long timeNs(int i) {
            return times[i];
        }

        public double value(int i) {
            return values[i];
        }

        public double first() {
            return values[0];
        }

        public double last() {
            return values[values.length - 1];
        }

        /** Returns the smallest value. */
        public double least() {
            return Arrays.stream(values).min().orElseThrow();
        }

        /** Returns the largest value. */
        public double most() {
            return Arrays.stream(values).max().orElseThrow();
        }

        /** Returns the median, the larger of two middle values. */
        public double median() {
            return Arrays.stream(values).sorted().toArray()[size() / 2];
        }

        public double sum() {
            return Arrays.stream(values).sum();
        }

        /** Returns the last value read by {@code ns}, the first one before that. */
        public double at(long ns) {
            int found = Arrays.binarySearch(times, ns);
            return values[Math.max(0, found >= 0 ? found : -found - 2)];
        }

        /** Returns the value at an instant, on the line between the readings around it; the first or last one outside. */
        public double between(long ns) {
            int next = BinarySearch.first(0, size(), i -> times[i] >= ns);
            if (next == 0 || next == size()) {
                return values[next == 0 ? 0 : next - 1];
            }
            double part = (double) (ns - times[next - 1]) / (times[next] - times[next - 1]);
            return values[next - 1] + part * (values[next] - values[next - 1]);
        }

        /** Returns the values that were read in {@code [fromNs, toNs]}; it may have none. */
        public Series between(long fromNs, long toNs) {
            int from = BinarySearch.first(0, size(), i -> times[i] >= fromNs);
            int to = BinarySearch.first(from, size(), i -> times[i] > toNs);
            return new Series(this, from, to);
        }

        /** Returns the time from the first to the last value, in ns. */
        public long spanNs() {
            return times[times.length - 1] - times[0];
        }

        /**
         * Returns the growth of a counter that only counts up. If it restarts from zero, as after a restart of its
         * writer, counting continues.
         */
        public double growth() {
            double total = 0;
            for (int i = 1; i < values.length; i++) {
                total += values[i] >= values[i - 1] ? values[i] - values[i - 1] : values[i];
            }
            return total;
        }

        /** Returns how many of the values meet a condition, as a ratio. */
        public double share(DoublePredicate wanted) {
            return (double) Arrays.stream(values).filter(wanted).count() / values.length;
        }
    }
}
