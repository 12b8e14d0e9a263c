package io.inferscope.analyzer.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.timeline.DeviceCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The manual's table and the gate say the same. */
class TrustGateManualTest {
    private static final Path MANUAL = Path.of("..", "docs", "trust-gate.md");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\|.*");

    @Test
    void theManualListsEveryCheckInItsOrder() throws IOException {
        List<String> ids = new ArrayList<>();
        TrustGate.ALL.forEach(check -> ids.add(check.id()));
        ids.add(new InstantsAreRecorded().id());

        assertThat(Files.readAllLines(MANUAL).stream().map(ROW::matcher).filter(row -> row.matches()))
                .extracting(row -> row.group(1))
                .containsExactlyElementsOf(ids);
    }

    @Test
    void theManualNamesEveryThresholdOfTheGate() throws IOException {
        String manual = Files.readString(MANUAL);

        assertThat(Threshold.byKey().keySet())
                .filteredOn(key -> key.startsWith("trust."))
                .isNotEmpty()
                .allSatisfy(key -> assertThat(manual).contains('`' + key + '`'));
    }

    @Test
    void theManualNamesTheCounter() throws IOException {
        assertThat(Files.readString(MANUAL)).contains('`' + DeviceCounters.key(DeviceCounters.UTILISATION, "0") + '`');
    }
}
