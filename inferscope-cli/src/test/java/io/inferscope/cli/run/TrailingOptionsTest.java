package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TrailingOptionsTest {
    @Test
    void reportAtTheEndIsInferScopes() {
        TrailingOptions split = split("python infer.py --report report.md");
        assertThat(split.command()).containsExactly("python", "infer.py");
        assertThat(split.reports()).containsExactly("report.md");
        assertThat(split.taken()).containsExactly("--report", "report.md");
    }

    @Test
    void severalMayFollowEachOther() {
        TrailingOptions split = split("python infer.py --n 3 -o a.html --report=b.json --report c.md --report");
        assertThat(split.command()).containsExactly("python", "infer.py", "--n", "3");
        assertThat(split.reports()).containsExactly("a.html", "b.json", "c.md");
        assertThat(split.taken()).hasSize(6);
    }

    @Test
    void onlyTheVeryEndCounts() {
        assertThat(split("prog --report r.md --batch 4").taken()).isEmpty();
        assertThat(split("prog -o out.txt input").taken()).isEmpty();
    }

    @Test
    void theCommandItselfIsNeverTaken() {
        assertThat(split("--report r.md").command()).containsExactly("--report", "r.md");
        assertThat(split("prog r.md").taken()).isEmpty();
    }

    private static TrailingOptions split(String line) {
        return TrailingOptions.split(List.of(line.split(" ", -1)));
    }
}
