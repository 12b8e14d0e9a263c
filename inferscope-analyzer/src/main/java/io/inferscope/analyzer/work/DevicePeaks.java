package io.inferscope.analyzer.work;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The devices whose peaks are known: the table {@code device-peaks.tsv}, each row with its source. */
public final class DevicePeaks {
    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final double MIB = 1 << 20;

    /** A device, and the words that must all occur in the driver's name for it. */
    private record Row(List<String> words, DevicePeak peak) {}

    private static final List<Row> ROWS = KnowledgeTable.read(Knowledge.class, "device-peaks.tsv", DevicePeaks::row);

    private DevicePeaks() {}

    /** Returns the models of the table. */
    public static List<String> models() {
        return ROWS.stream().map(row -> row.peak.model()).toList();
    }

    /** Returns every peak, in the order in which names are tried. */
    static List<DevicePeak> all() {
        return ROWS.stream().map(Row::peak).toList();
    }

    private static Row row(String[] cells) {
        double[] of =
                Arrays.stream(cells, 2, 10).mapToDouble(Double::parseDouble).toArray();
        return new Row(
                List.of(cells[0].toLowerCase(Locale.ROOT).split(" ")),
                new DevicePeak(
                        cells[1],
                        of[0] * TERA,
                        of[1] * TERA,
                        of[2] * TERA,
                        of[3] * TERA,
                        of[4] * TERA,
                        of[5] * TERA,
                        of[6] * GIGA,
                        of[7] * MIB,
                        cells[10]));
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
