package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.report.console.GithubRenderer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class GithubRendererTest {
    @Test
    void aFindingStandsBesideItsLine() {
        List<String> lines =
                Rendered.as("github", ReportFixture.cpuOnly()).lines().toList();

        assertThat(lines.get(0))
                .startsWith("::notice title=InferScope%3A cpu::Work outside of the model takes 50.6%25 of");
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .matches("::warning file=embed\\.py,line=31,title=InferScope%3A .*"
                                + "::The tokenizer takes 2\\.90 s in 412 calls\\. Use AutoTokenizer.*"));
    }

    @Test
    void aRecordingThatCannotBeJudgedIsAWarning() {
        assertThat(Rendered.as("github", ReportFixture.withheld()))
                .startsWith("::warning title=InferScope%3A no verdict::")
                .contains("::warning title=InferScope%3A graph-kernels::120 graph launches");
    }

    @Test
    void textOfATraceEndsNoCommandAndBeginsNone() {
        String hostile = "100%,a:b\n::error title=canary::x";

        String github = Rendered.as("github", Rewritten.texts(ReportFixture.gpu(), old -> hostile));

        assertThat(github.lines())
                .allMatch(line -> line.matches("::(notice|warning) [^:]*::.*"))
                .noneMatch(line -> line.startsWith("::error"))
                .anyMatch(line -> line.contains("100%25,a:b ::error title=canary::x"))
                .anyMatch(line -> line.contains("100%25%2Ca%3Ab"));
    }

    @Test
    void aComparisonSaysItsConclusion() throws IOException {
        StringBuilder out = new StringBuilder();
        new GithubRenderer().render(ComparisonFixture.faster(), out);

        assertThat(out.toString()).startsWith("::notice title=InferScope%3A faster::");
    }
}
