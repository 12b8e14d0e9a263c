package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Numbers the devices of a run. Each process counts its visible devices from 0, so that device 0 of two processes with
 * different CUDA_VISIBLE_DEVICES may be two devices. Unique ids distinguish them, and identify a device that several
 * processes use.
 *
 * <pre>
 *   process 10   0 = A          A is 0
 *   process 11   0 = B          B is 1
 *   process 12   0 = A, 1 = B
 * </pre>
 *
 * Numbers come from the driver's counters if recorded, otherwise from the processes that see most devices. A MIG
 * instance is a separate device.
 */
final class RunDevices {
    private final List<OfProcess> processes = new ArrayList<>();
    private final OfProcess driver = new OfProcess();
    private final Map<String, Integer> numbers = new TreeMap<>();
    private final Map<Integer, Integer> unknown = new TreeMap<>();
    private boolean assigned;

    /** The devices of one process by its own numbers. */
    final class OfProcess {
        private final Map<Integer, String> ids = new TreeMap<>();

        /** Adds the record if it describes a device. */
        void collect(SpoolRecordView view) {
            String id = view.type() == DEVICE && !isHidden(view) ? id(view) : "";
            if (!id.isEmpty()) {
                ids.put(view.i32(DEVICE_NUMBER), id);
            }
        }

        /**
         * Returns the run's number of a device of the process. Call it after the devices of all processes were
         * collected.
         */
        int number(int local) {
            assign();
            String id = ids.get(local);
            return id == null ? ofUnknown(local) : numbers.getOrDefault(id, local);
        }
    }

    OfProcess process() {
        OfProcess process = new OfProcess();
        processes.add(process);
        return process;
    }

    /** Adds the id of one of the driver's devices, if the note is one. */
    void note(String key, String id) {
        String number =
                key.startsWith(DeviceCounters.UUID_NOTE) ? key.substring(DeviceCounters.UUID_NOTE.length()) : "";
        if (number.matches("\\d{1,4}")) {
            driver.ids.put(Integer.parseInt(number), bare(id));
        }
    }

    /** Removes the {@code GPU-} that the driver's library writes before the id. */
    private static String bare(String id) {
        return id.startsWith("GPU-") ? id.substring("GPU-".length()) : id;
    }

    /**
     * CUPTI also describes devices that CUDA_VISIBLE_DEVICES hides from the program; the program does not use their
     * numbers.
     */
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
        claims.sort(Order.<Map<Integer, String>>comparingInt(ids -> -ids.size()).thenComparing(Map::toString));
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

    /**
     * Returns the number of a device without an id: that of other processes, unless they have several devices of this
     * number.
     */
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
