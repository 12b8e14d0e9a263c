package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Tells the devices of a run apart. Each process counts the ones that it sees from 0, so that two processes with different
 * CUDA_VISIBLE_DEVICES mean two devices by 0; unique ids tell them apart, and join what several processes did on one device.
 *
 * <pre>
 *   process 10   0 = A          A is 0
 *   process 11   0 = B          B is 1
 *   process 12   0 = A, 1 = B
 * </pre>
 *
 * The driver's own counters, where they were recorded, say first which number a device has; then the processes that see most devices. An
 * instance of MIG is a device of its own.
 */
final class RunDevices {
    private final List<OfProcess> processes = new ArrayList<>();
    private final OfProcess driver = new OfProcess();
    private final Map<String, Integer> numbers = new TreeMap<>();
    private final Map<Integer, Integer> unknown = new TreeMap<>();
    private boolean assigned;

    /** What one process calls its devices. */
    final class OfProcess {
        private final Map<Integer, String> ids = new TreeMap<>();

        /** Takes the record if it describes a device. */
        void collect(SpoolRecordView view) {
            String id = view.type() == DEVICE && !isHidden(view) ? id(view) : "";
            if (!id.isEmpty()) {
                ids.put(view.i32(DEVICE_NUMBER), id);
            }
        }

        /** Returns the run's number of the device that the process calls so. All processes' devices were collected. */
        int number(int local) {
            assign();
            String id = ids.get(local);
            return id == null ? ofUnknown(local) : numbers.getOrDefault(id, local);
        }
    }

    /** Returns what takes the devices of another process. */
    OfProcess process() {
        OfProcess process = new OfProcess();
        processes.add(process);
        return process;
    }

    /** Takes what the driver's counters say about one of their numbers, if the note does. */
    void note(String key, String id) {
        String number =
                key.startsWith(DeviceCounters.UUID_NOTE) ? key.substring(DeviceCounters.UUID_NOTE.length()) : "";
        if (number.matches("\\d{1,4}")) {
            driver.ids.put(Integer.parseInt(number), bare(id));
        }
    }

    /** The driver's library writes {@code GPU-} before what CUDA has as 16 bytes. */
    private static String bare(String id) {
        return id.startsWith("GPU-") ? id.substring("GPU-".length()) : id;
    }

    /** CUPTI also describes devices that CUDA_VISIBLE_DEVICES hides from the program; their numbers mean nothing to it. */
    static boolean isHidden(SpoolRecordView view) {
        return (view.flags() & DEVICE_FLAG_HIDDEN) != 0;
    }

    private static String id(SpoolRecordView view) {
        String instance = text(view, DEVICE_INSTANCE_ID);
        return instance.isEmpty() ? text(view, DEVICE_ID) : "MIG-" + instance;
    }

    private static String text(SpoolRecordView view, int field) {
        long high = Long.reverseBytes(view.i64(field));
        long low = Long.reverseBytes(view.i64(field + Long.BYTES));
        return high == 0 && low == 0 ? "" : new UUID(high, low).toString();
    }

    private void assign() {
        if (assigned) {
            return;
        }
        assigned = true;
        List<Map<Integer, String>> claims = new ArrayList<>();
        processes.forEach(process -> claims.add(process.ids));
        claims.sort(Comparator.<Map<Integer, String>>comparingInt(ids -> -ids.size())
                .thenComparing(Map::toString));
        claims.add(0, driver.ids);
        TreeSet<String> rest = new TreeSet<>();
        for (Map<Integer, String> ids : claims) {
            ids.forEach((local, id) -> {
                rest.add(id);
                if (!numbers.containsValue(local)) {
                    numbers.putIfAbsent(id, local);
                }
            });
        }
        for (String id : rest) {
            numbers.computeIfAbsent(id, free -> nextFree());
        }
    }

    private int nextFree() {
        int number = 0;
        while (numbers.containsValue(number) || unknown.containsValue(number)) {
            number++;
        }
        return number;
    }

    /** A device that was not described is the one that other processes call so; where they mean several by it, it is none of them. */
    private int ofUnknown(int local) {
        TreeSet<String> meant = new TreeSet<>();
        processes.forEach(process -> {
            if (process.ids.containsKey(local)) {
                meant.add(process.ids.get(local));
            }
        });
        if (meant.size() == 1) {
            return numbers.getOrDefault(meant.first(), local);
        }
        return meant.isEmpty() && (driver.ids.containsKey(local) || !numbers.containsValue(local))
                ? local
                : unknown.computeIfAbsent(local, any -> nextFree());
    }
}
