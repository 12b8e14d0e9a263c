package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.HandOver.What;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HandOverTest {
    /** The probe would go on under another word, and no rule would notice. */
    @Test
    void theProbeWritesEachWord() throws IOException {
        try (Stream<Path> hooks = Files.list(Path.of("../python/inferscope/hooks"))) {
            List<Path> sources =
                    hooks.filter(file -> file.toString().endsWith(".py")).toList();
            StringBuilder text = new StringBuilder();
            for (Path source : sources) {
                text.append(Files.readString(source));
            }
            assertThat(What.values())
                    .filteredOn(what -> !what.word.isEmpty())
                    .hasSizeGreaterThan(7)
                    .allSatisfy(what -> assertThat(text).contains('"' + what.word + '"'));
        }
    }

    /** Anyone can write a trace. */
    @Test
    void aNumberThatIsNoneOfOursTellsNothing() {
        TimelineFixture fixture = TimelineFixture.blank().host(RowKind.HAND_OVER, "main", 0, 1, "gives");
        assertThat(What.of(fixture.attribute(Attribute.HANDED_OVER, 999).build(), 0))
                .isEqualTo(What.OTHER);
    }

    @Test
    void onlyTheProbesOwnWordsTellWhatIsHandedOver() {
        assertThat(What.of("Queue: room")).isEqualTo(What.ROOM);
        assertThat(What.of("jobs")).isEqualTo(What.OTHER);
        assertThat(What.of("")).isEqualTo(What.OTHER);
    }
}
