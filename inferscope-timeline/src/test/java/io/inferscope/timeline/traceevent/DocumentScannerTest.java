package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.traceevent.DocumentScanner.Next;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentScannerTest {
    /** Otherwise the slow reader would take over, at three times the cost. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\"first\":1,"})
    void aMemberThatIsLongerThanTheWindowIsScanned(String before) throws IOException {
        String document = "{" + before + "\"long\":{\"text\":\"" + "x".repeat(1_000) + "\"},\"traceEvents\":[]}";
        ByteWindow window = new ByteWindow(64);
        window.reset(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)), 0);
        List<String> paths = new ArrayList<>();
        DocumentScanner scanner = new DocumentScanner(
                window,
                new TraceEventReader.Sink() {
                    @Override
                    public void property(String path, String value) {
                        paths.add(path);
                    }

                    @Override
                    public void restart() {}

                    @Override
                    public void event(TraceEvent event) {}
                },
                new ImportStats.Builder());

        assertThat(scanner.start()).isEqualTo(Next.EVENTS);
        assertThat(paths).endsWith("long.text").hasSize(before.isEmpty() ? 1 : 2);
    }
}
