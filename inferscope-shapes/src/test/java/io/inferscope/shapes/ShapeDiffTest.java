package io.inferscope.shapes;

import static io.inferscope.shapes.ShapeLogFixture.collect;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.shapes.ShapeReport.Difference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapeDiffTest {
    private static final List<String> LABELS = List.of("prefill", "decode");

    @TempDir
    private Path folder;

    @Test
    void namesWhatDiffers() throws Exception {
        Path a = log(
                "a.jsonl", row("mm", 4, ""), row("mm", 4, ""), row("mm", 5, ""), row("add", 1, ""), row("cat", 1, ""));
        Path b = log(
                "b.jsonl", row("mm", 4, ""), row("mm", 6, ""), row("sub", 1, ""), row("sub", 2, ""), row("cat", 1, ""));
        ShapeDifference difference = ShapeDiff.of(collect(a, b), LABELS, false, List.of("MM"), 10);

        assertThat(difference.isSame()).isFalse();
        assertThat(difference.onlyFirst()).extracting(Difference::operation).containsExactly("aten.add.default");
        assertThat(difference.onlySecond()).extracting(Difference::operation).containsExactly("aten.sub.default");
        assertThat(difference.commonOperators()).isEqualTo(2);
        assertThat(difference.counts()).singleElement().satisfies(mm -> {
            assertThat(mm.operation()).isEqualTo("aten.mm.default");
            assertThat(mm.calls()).containsExactly(3L, 2L);
            assertThat(mm.shapes()).containsExactly(2L, 2L);
            assertThat(mm.common()).isEqualTo(1);
        });
        assertThat(difference.alike()).extracting(Difference::operation).containsExactly("aten.cat.default");
        assertThat(difference.shapesTotal()).containsExactly(2L, 3L);
        assertThat(difference.shapesFirst())
                .extracting(s -> s.call().inputs().get(0).dims())
                .containsExactly(List.of(5L), List.of(1L));
        assertThat(difference.examples()).singleElement().satisfies(example -> {
            assertThat(example.first().get(0).call().inputs().get(0).dims()).containsExactly(4L);
            assertThat(example.second().get(0).call().inputs().get(0).dims()).containsExactly(4L);
        });
    }

    @Test
    void theSameCallsInAnotherOrderAreNoDifference() throws Exception {
        Path a = log("a.jsonl", row("mm", 4, ""), row("add", 5, ""));
        Path b = log("b.jsonl", row("add", 5, ""), row("mm", 4, ""));
        ShapeDifference difference = ShapeDiff.of(collect(a, b), LABELS, true, List.of(), 10);

        assertThat(difference.isSame()).isTrue();
        assertThat(difference.alike()).isEmpty();
        assertThat(difference.shapesTotal()).containsExactly(0L, 0L);
    }

    @Test
    void failuresAreComparedApart() throws Exception {
        String error = ", \"error\": {\"error_type\": \"RuntimeError\", \"error_message\": \"launch failed\"}";
        Path a = log("a.jsonl", row("mm", 4, ""));
        Path b = log("b.jsonl", row("mm", 4, ""), row("mm", 4, error));
        ShapeDifference difference = ShapeDiff.of(collect(a, b), LABELS, false, List.of(), 10);

        assertThat(difference.errors()).singleElement().satisfies(failure -> {
            assertThat(failure.firstCalls()).isZero();
            assertThat(failure.secondCalls()).isEqualTo(1);
            assertThat(failure.signature().call().errorMessage()).isEqualTo("launch failed");
        });
        assertThat(difference.shapesTotal()).containsExactly(0L, 0L);
    }

    private static String row(String operator, int size, String error) {
        return "{\"operation\": \"aten." + operator + ".default\", \"inputs\": {\"x\": {\"shape\": [" + size
                + "], \"dtype\": \"torch.float32\"}}, \"outputs\": null" + error + "}\n";
    }

    private Path log(String name, String... rows) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", rows));
    }
}
