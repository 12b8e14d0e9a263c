package io.inferscope.analyzer.work;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The devices whose peaks are known. Figures in teraoperations and gigabytes per second; each row names its source. */
public final class DevicePeaks {
    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final double MIB = 1 << 20;

    /** A device, and the words that must all occur in the driver's name for it. */
    private record Row(List<String> words, DevicePeak peak) {}

    /** The first row whose words all occur counts, so special rows come before general ones. */
    private static final List<Row> ROWS = List.of(
            // NVIDIA: fp64 fp32 tf32 fp16 fp8 int8, GB/s, MiB of L2
            row("GB200", "GB200", 40, 80, 1250, 2500, 5000, 5000, 8000, 126, "NVIDIA GB200 NVL72 data sheet"),
            row("B200", "B200", 37, 75, 1100, 2250, 4500, 4500, 7700, 126, "NVIDIA HGX B200 data sheet"),
            row("GH200 144G", "GH200 144GB", 67, 67, 494.7, 989.4, 1978.9, 1978.9, 4900, 50, "NVIDIA GH200 data sheet"),
            row("GH200", "GH200", 67, 67, 494.7, 989.4, 1978.9, 1978.9, 4000, 50, "NVIDIA GH200 data sheet"),
            row("H200", "H200", 67, 67, 494.7, 989.4, 1978.9, 1978.9, 4800, 50, "NVIDIA H200 data sheet"),
            row("H100 NVL", "H100 NVL", 60, 60, 417.5, 835.5, 1670.5, 1670.5, 3900, 50, "NVIDIA H100 NVL data sheet"),
            row("H100 PCIe", "H100 PCIe", 51.2, 51.2, 378, 756, 1513, 1513, 2000, 50, "NVIDIA H100 white paper"),
            row("H100", "H100 SXM", 66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 3352, 50, "NVIDIA H100 white paper"),
            row("A100 80GB PCIe", "A100 80GB PCIe", 19.5, 19.5, 156, 312, 0, 624, 1935, 40, "NVIDIA A100 data sheet"),
            row("A100 80GB", "A100 80GB SXM", 19.5, 19.5, 156, 312, 0, 624, 2039, 40, "NVIDIA A100 data sheet"),
            row("A100", "A100 40GB", 19.5, 19.5, 156, 312, 0, 624, 1555, 40, "NVIDIA A100 data sheet"),
            row("A30", "A30", 10.3, 10.3, 82, 165, 0, 330, 933, 24, "NVIDIA A30 data sheet"),
            row("A40", "A40", 0.6, 37.4, 74.8, 149.7, 0, 299.3, 696, 6, "NVIDIA A40 data sheet"),
            row("A10", "A10", 0.5, 31.2, 62.5, 125, 0, 250, 600, 6, "NVIDIA A10 data sheet"),
            row("L40S", "L40S", 1.4, 91.6, 183, 362, 733, 733, 864, 96, "NVIDIA L40S data sheet"),
            row("L40", "L40", 1.4, 90.5, 90.5, 181, 362, 362, 864, 96, "NVIDIA L40 data sheet"),
            row("L4", "L4", 0.5, 30.3, 60, 121, 242, 242, 300, 48, "NVIDIA L4 data sheet"),
            row("T4", "T4", 0.25, 8.1, 0, 65, 0, 130, 320, 4, "NVIDIA T4 product brief"),
            row("V100 PCIe", "V100 PCIe", 7, 14, 0, 112, 0, 0, 900, 6, "NVIDIA V100 data sheet"),
            row("V100", "V100 SXM2", 7.8, 15.7, 0, 125, 0, 0, 900, 6, "NVIDIA V100 data sheet"),
            row("RTX 4090", "RTX 4090", 1.3, 82.6, 82.6, 165.2, 330.3, 660.6, 1008, 72, "NVIDIA Ada white paper"),
            row("RTX 3090", "RTX 3090", 0.6, 35.6, 35.6, 71, 0, 284, 936, 6, "NVIDIA GA102 white paper"),
            // AMD: matrix units in every column; for MI250 and MI250X one of the two dies, because each is a device
            row("MI355X", "MI355X", 78.6, 157.3, 0, 2516.6, 5033.2, 5033.2, 8000, 256, "AMD MI355X data sheet"),
            row("MI325X", "MI325X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, 6000, 256, "AMD MI325X data sheet"),
            row("MI300X", "MI300X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, 5300, 256, "AMD MI300X data sheet"),
            row("MI250X", "MI250X, one die", 47.9, 47.9, 0, 191.5, 0, 191.5, 1638, 8, "AMD MI250X data sheet"),
            row("MI250", "MI250, one die", 45.3, 45.3, 0, 181, 0, 181, 1638, 8, "AMD MI250 data sheet"),
            row("MI210", "MI210", 45.3, 45.3, 0, 181, 0, 181, 1638, 8, "AMD MI210 data sheet"));

    private DevicePeaks() {}

    /** Returns the models of the table. */
    public static List<String> models() {
        return ROWS.stream().map(row -> row.peak.model()).toList();
    }

    /** Returns every peak, in the order in which names are tried. */
    static List<DevicePeak> all() {
        return ROWS.stream().map(Row::peak).toList();
    }

    private static Row row(
            String words,
            String model,
            double fp64,
            double fp32,
            double tf32,
            double fp16,
            double fp8,
            double int8,
            double gigabytesPerSecond,
            double cacheMib,
            String source) {
        return new Row(
                List.of(words.toLowerCase(Locale.ROOT).split(" ")),
                new DevicePeak(
                        model,
                        fp64 * TERA,
                        fp32 * TERA,
                        tf32 * TERA,
                        fp16 * TERA,
                        fp8 * TERA,
                        int8 * TERA,
                        gigabytesPerSecond * GIGA,
                        cacheMib * MIB,
                        source));
    }

    /**
     * Returns the peak of a device, null for one that is not in the table.
     *
     * @param name as the driver gives it, such as {@code NVIDIA H100 80GB HBM3}; empty when not recorded
     * @param multiprocessors number of its multiprocessors, 0 when not recorded
     * @param memoryBytes its memory, 0 when not recorded
     */
    public static @Nullable DevicePeak of(String name, long multiprocessors, long memoryBytes) {
        String text = " " + name.toLowerCase(Locale.ROOT).replaceAll("[-_/]", " ") + ' ';
        boolean large = text.contains(" a100 ") && memoryBytes > 60e9 && !text.contains("80gb");
        String named = large ? text + "80gb " : text;
        for (Row row : ROWS) {
            if (row.words.stream().allMatch(word -> named.contains(' ' + word + ' '))) {
                return row.peak;
            }
        }
        return unnamed(named, multiprocessors, memoryBytes);
    }

    /** ROCm gives some devices a generic name; compute units and memory distinguish them (AMD data sheets). */
    private static @Nullable DevicePeak unnamed(String text, long multiprocessors, long memoryBytes) {
        if (!text.isBlank() && !text.contains("amd")) {
            return null;
        }
        if (multiprocessors == 304 && memoryBytes > 180e9) {
            return of(memoryBytes > 240e9 ? "MI325X" : "MI300X", 0, 0);
        }
        if (multiprocessors == 110 && memoryBytes > 60e9) {
            return of("MI250X", 0, 0);
        }
        return multiprocessors == 104 && memoryBytes > 60e9 ? of("MI250", 0, 0) : null;
    }
}
