package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.LedgerClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the name of a sampled function says about its work, and what it does not. */
class FramePatternsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv/app/calc.py(3): load",
                "/srv/app/calc.py(3): Gauge.load",
                "/srv/app/loading.py(3): add",
                "/srv/tokenizer-service/app.py(3): add",
                "/srv/load/app.py(3): add"
            })
    void aFolderOrTheWordLoadAloneMakesNoClass(String frame) {
        assertThat(FramePatterns.domain(frame)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/srv/app/calc.py(3): load_model, FRAMEWORK_COMPILE_LOAD",
        "/srv/app/calc.py(3): tokenize_all, CPU_TOKENIZATION",
        "/usr/lib/python3.11/site-packages/transformers/modeling_utils.py(3): from_pretrained, FRAMEWORK_COMPILE_LOAD"
    })
    void aNameThatSaysWhatIsDoneDoes(String frame, LedgerClass expected) {
        assertThat(FramePatterns.domain(frame)).isEqualTo(expected);
    }
}
