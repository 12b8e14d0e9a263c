package io.inferscope.analyzer.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of devices in the manual and the one in the code are the same. */
class DevicePeaksPageTest {
    private static final Path PAGE = Path.of("..", "docs", "roofline.md");
    private static final double TERA = 1e12;

    @Test
    void thePageListsEveryDeviceWithItsFiguresInTheOrderInWhichNamesAreTried() throws IOException {
        assertThat(rowsOfThePage())
                .containsExactlyElementsOf(
                        DevicePeaks.all().stream().map(DevicePeaksPageTest::row).toList());
    }

    private static List<String> row(DevicePeak peak) {
        return List.of(
                peak.model(),
                figure(peak.fp64() / TERA),
                figure(peak.fp32() / TERA),
                figure(peak.tf32() / TERA),
                figure(peak.fp16() / TERA),
                figure(peak.fp8() / TERA),
                figure(peak.int8() / TERA),
                figure(peak.bytesPerSecond() / 1e9),
                figure(peak.cacheBytes() / (1 << 20)),
                peak.source());
    }

    /** Rounded to what the page says: a product of the unit and a decimal fraction is not exact. */
    private static String figure(double value) {
        return Double.toString(Math.round(value * 1e4) / 1e4);
    }

    private static List<List<String>> rowsOfThePage() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 12
                    && !cells[1].startsWith(" ---")
                    && !cells[1].strip().equals("Device")) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= 10; i++) {
                    String cell = cells[i].strip();
                    boolean number = i > 1 && i < 10;
                    row.add(number ? figure(cell.equals("-") ? 0 : Double.parseDouble(cell.replace(",", ""))) : cell);
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
