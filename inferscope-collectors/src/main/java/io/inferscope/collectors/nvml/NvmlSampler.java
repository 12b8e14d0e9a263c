package io.inferscope.collectors.nvml;

import io.inferscope.collectors.host.SamplingPace;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.ThreadEnd;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters of every device that the program sees, on its own thread, because opening the driver may take a
 * second and a call milliseconds. It uses at most a quarter of the overhead budget, by reading less often. After a
 * failure only these counters are missing.
 */
final class NvmlSampler {
    private static final String SOURCE = "nvml";

    /** The driver's own figures are averages over 1/6 s to 1 s. */
    private static final int RATE_HZ = 5;

    private static final double SHARE_OF_BUDGET = 0.25;
    private static final long PATIENCE_MS = 3_000;
    private static final long LOOK_PERIOD_NS = 1_000_000_000L;

    private final OperatingSystem system;
    private final Consumer<SpoolRecord> writer;
    private final SamplingPace pace;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile String failure = "";
    private volatile String seen = "";
    private volatile long cpuNs;
    private final AtomicLong readings = new AtomicLong();
    private long nextLookNs;

    /** Opens the driver. */
    interface Opener {
        GpuDriver open() throws NvmlUnavailable;
    }

    /**
     * The program's settings for visible devices.
     *
     * @param visible its CUDA_VISIBLE_DEVICES, null when it is not set
     * @param order its CUDA_DEVICE_ORDER, or empty
     */
    record View(@Nullable String visible, String order) {}

    /**
     * Starts reading.
     *
     * @param opener called on the reading thread
     * @param overheadRatio the whole overhead budget, as a share of one core
     */
    NvmlSampler(OperatingSystem system, Consumer<SpoolRecord> writer, Opener opener, View view, double overheadRatio) {
        this.system = system;
        this.writer = writer;
        pace = new SamplingPace(Math.min(1, overheadRatio * SHARE_OF_BUDGET), RATE_HZ);
        thread = new Thread(() -> run(opener, view), "inferscope-nvml");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Opener opener, View view) {
        long startNs = system.threadCpuNs();
        try (GpuDriver driver = opener.open()) {
            List<GpuDriver.Device> devices = new ArrayList<>();
            for (int i = 0; i < driver.devices(); i++) {
                devices.add(driver.describe(i));
            }
            DeviceLabels labels = DeviceLabels.of(devices, view.visible, view.order);
            seen = describe(devices, labels);
            writeLimits(devices, labels);
            long periodNs = 0;
            while (!stopping) {
                long cpuBeforeNs = system.threadCpuNs();
                readAll(driver, labels);
                periodNs = pace.next(system.threadCpuNs() - cpuBeforeNs, periodNs);
                cpuNs = system.threadCpuNs() - startNs;
                LockSupport.parkNanos(this, periodNs);
            }
            readAll(driver, labels);
        } catch (NvmlUnavailable e) {
            failure = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error broken) { // The recording continues without these counters.
            failure = "reading stopped early: " + broken;
        }
        cpuNs = system.threadCpuNs() - startNs;
    }

    private void writeLimits(List<GpuDriver.Device> devices, DeviceLabels labels) {
        for (int index : labels.indices()) {
            GpuDriver.Device device = devices.get(index);
            count(labels, index, device.limits());
            if (labels.isKnown() && !device.uuid().isEmpty()) {
                String number = DeviceCounters.UUID_NOTE + labels.indices().indexOf(index);
                writer.accept(new SpoolRecord.Note(number, device.uuid(), 0));
            }
        }
    }

    private void readAll(GpuDriver driver, DeviceLabels labels) {
        boolean around = system.monotonicNs() >= nextLookNs;
        for (int index : labels.indices()) {
            count(labels, index, driver.read(index));
            readings.incrementAndGet();
            if (around) {
                count(labels, index, driver.surroundings(index));
            }
        }
        if (around) {
            nextLookNs = system.monotonicNs() + LOOK_PERIOD_NS;
        }
    }

    private void count(DeviceLabels labels, int index, Map<String, Double> counters) {
        long nowNs = system.monotonicNs();
        counters.forEach((counter, value) -> {
            if (!Double.isNaN(value)) {
                writer.accept(new SpoolRecord.Counter(nowNs, value, labels.key(counter, index), 0));
            }
        });
    }

    /** Takes a last reading, and writes overhead and coverage. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        if (!ThreadEnd.awaitEnd(thread, PATIENCE_MS)) {
            failure = "the driver does not answer; the last readings are missing";
        }
        List<String> said = new ArrayList<>();
        if (!failure.isEmpty()) {
            said.add(failure);
        }
        if (!seen.isEmpty()) {
            said.add(seen + String.format(Locale.ROOT, ", every %d ms", Math.round(pace.meanNs() / 1e6)));
        }
        int status = failure.isEmpty() ? 0 : 2;
        writer.accept(new SpoolRecord.Overhead(cpuNs, 0, SOURCE, 0, readings.get()));
        writer.accept(new SpoolRecord.Coverage(
                SOURCE, String.join("; ", said), readings.get(), status == 0 ? 0 : 1, 0, status));
    }

    private static String describe(List<GpuDriver.Device> devices, DeviceLabels labels) {
        String unknown = labels.isKnown()
                ? ""
                : "the devices are of several kinds and CUDA_DEVICE_ORDER is not PCI_BUS_ID, so it is not known which device the program calls 0; ";
        return unknown + "counters of " + labels.indices().size() + " of " + devices.size() + " devices";
    }

    /** Returns the CPU time that reading took, in ns. Complete after {@link #stop}. */
    long cpuNs() {
        return cpuNs;
    }
}
