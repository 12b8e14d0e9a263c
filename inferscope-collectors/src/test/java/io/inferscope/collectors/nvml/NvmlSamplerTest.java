package io.inferscope.collectors.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.collectors.nvml.NvmlSampler.View;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sampler over a driver whose figures are known. */
@EnabledOnOs(OS.LINUX)
class NvmlSamplerTest {
    private final List<SpoolRecord> records = Collections.synchronizedList(new ArrayList<>());
    private final FakeDriver driver = new FakeDriver("A", "A", "A", "A");

    /** Devices of the given names; each reading says its own number. */
    private static final class FakeDriver implements GpuDriver {
        private final List<String> names;
        private final CountDownLatch read = new CountDownLatch(1);
        private final AtomicInteger closed = new AtomicInteger();
        private boolean broken;

        FakeDriver(String... names) {
            this.names = List.of(names);
        }

        @Override
        public int devices() {
            return names.size();
        }

        @Override
        public Device describe(int index) {
            Map<String, Double> limits = Map.of(
                    DeviceCounters.MEMORY_TOTAL, 8e10,
                    DeviceCounters.SM_CLOCK_MOST, 2e9,
                    DeviceCounters.POWER_LIMIT, Double.NaN);
            return new Device(names.get(index), "GPU-" + index + "000", limits);
        }

        @Override
        public Map<String, Double> read(int index) {
            read.countDown();
            if (broken) {
                throw new IllegalStateException("gone");
            }
            return Map.of(
                    DeviceCounters.UTILISATION,
                    index / 10.0,
                    DeviceCounters.CLOCK_REASONS,
                    4.0,
                    DeviceCounters.ECC_CORRECTED,
                    Double.NaN);
        }

        @Override
        public Map<String, Double> surroundings(int index) {
            return Map.of(
                    DeviceCounters.PCIE_SENT, 1.0, DeviceCounters.PCIE_WIDTH, 16.0, DeviceCounters.PROCESSES, (double)
                            index);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    private void sample(@Nullable String visible, String order) throws InterruptedException {
        NvmlSampler sampler =
                new NvmlSampler(new LinuxSystem(), records::add, () -> driver, new View(visible, order), 0.03);
        if (visible == null || !visible.isEmpty()) {
            driver.read.await();
        }
        sampler.stop();
    }

    private List<SpoolRecord.Counter> counters(String name) {
        return records.stream()
                .filter(SpoolRecord.Counter.class::isInstance)
                .map(SpoolRecord.Counter.class::cast)
                .filter(counter -> counter.name().startsWith(name))
                .toList();
    }

    private SpoolRecord.Coverage coverage() {
        return records.stream()
                .filter(SpoolRecord.Coverage.class::isInstance)
                .map(SpoolRecord.Coverage.class::cast)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyDeviceHasItsOwnCounters() throws Exception {
        sample(null, "");

        assertThat(counters(DeviceCounters.UTILISATION))
                .extracting(SpoolRecord.Counter::name, SpoolRecord.Counter::value)
                .contains(
                        tuple("nvml.utilisation_ratio{device=\"0\"}", 0.0),
                        tuple("nvml.utilisation_ratio{device=\"3\"}", 0.3));
        assertThat(counters(DeviceCounters.PCIE_SENT)).hasSizeGreaterThanOrEqualTo(4);
        assertThat(counters(DeviceCounters.PROCESSES))
                .extracting(SpoolRecord.Counter::name, SpoolRecord.Counter::value)
                .contains(tuple("nvml.processes{device=\"3\"}", 3.0));
        assertThat(counters(DeviceCounters.PCIE_WIDTH)).hasSizeGreaterThanOrEqualTo(4);
        assertThat(counters(DeviceCounters.ECC_CORRECTED))
                .as("what a device does not tell")
                .isEmpty();
        assertThat(coverage().why()).startsWith("counters of 4 of 4 devices, every ");
        assertThat(coverage().status()).isZero();
        assertThat(driver.closed).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"2,0 | 0=0.2 1=0.0", "GPU-3000,GPU-10 | 0=0.3 1=0.1", "1,9,2 | 0=0.1", "-1 | ''", "1,1 | 0=0.1"})
    void devicesAreCalledAsTheProgramCallsThem(String visible, String expected) throws Exception {
        driver.read.countDown();
        sample(visible, "");

        StringBuilder first = new StringBuilder();
        for (SpoolRecord.Counter counter : counters(DeviceCounters.UTILISATION)) {
            String one = DeviceCounters.device(counter.name()) + "=" + counter.value();
            if (first.indexOf(one) < 0) {
                first.append(first.isEmpty() ? "" : " ").append(one);
            }
        }
        assertThat(first).hasToString(expected);
    }

    @Test
    void unequalDevicesInTheFastestFirstOrderAreNotNamed() throws Exception {
        FakeDriver mixed = new FakeDriver("A", "B");
        NvmlSampler sampler = new NvmlSampler(new LinuxSystem(), records::add, () -> mixed, new View(null, ""), 0.03);
        mixed.read.await();
        sampler.stop();

        assertThat(counters(DeviceCounters.UTILISATION))
                .extracting(SpoolRecord.Counter::name)
                .contains("nvml.utilisation_ratio{nvml_index=\"1\"}")
                .noneMatch(name -> name.contains("device="));
        assertThat(coverage().why()).contains("CUDA_DEVICE_ORDER is not PCI_BUS_ID");
    }

    @Test
    void aDriverThatFailsCostsItsCountersOnly() throws Exception {
        driver.broken = true;
        sample(null, "");

        assertThat(coverage().status()).isEqualTo(2);
        assertThat(coverage().why()).contains("reading stopped early", "gone");
        assertThat(driver.closed).hasValue(1);
    }

    @Test
    void aDriverThatIsNotThereIsSaid() {
        NvmlSampler.Opener none = () -> {
            throw new NvmlUnavailable("NVML: Driver Not Loaded (9)");
        };
        new NvmlSampler(new LinuxSystem(), records::add, none, new View(null, ""), 0.03).stop();

        assertThat(coverage().why()).isEqualTo("NVML: Driver Not Loaded (9)");
        assertThat(coverage().status()).isEqualTo(2);
    }
}
