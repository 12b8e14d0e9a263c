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
                "/srv/load/app.py(3): add",
                "/srv/app/calc.py(3): load_model",
                "/srv/app/calc.py(3): tokenize_all",
                "server.py(3): Engine.tokenize",
                "tokenize(std::string const&)",
                "Server::tokenize(std::string const&) [engine]",
                "Engine.java(3): com.acme.Engine.tokenize",
                "nn.Module: TokenizerHead_0"
            })
    void aNameOfTheProgramMakesNoClass(String frame) {
        assertThat(FramePatterns.domain(frame)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/python3.11/json/encoder.py(3): iterencode, CPU_SERIALIZATION",
        "transformers/tokenization_utils_base.py(3): encode, CPU_TOKENIZATION",
        "tiktoken/core.py(3): Encoding.encode, CPU_TOKENIZATION",
        "<built-in function json_dumps>, CPU_SERIALIZATION",
        "Tokenizer.java(3): ai.djl.huggingface.tokenizers.HuggingFaceTokenizer.encode, CPU_TOKENIZATION",
        "/usr/lib/python3.11/site-packages/transformers/modeling_utils.py(3): from_pretrained, FRAMEWORK_COMPILE_LOAD"
    })
    void aNameThatALibraryGaveDoes(String frame, LedgerClass expected) {
        assertThat(FramePatterns.domain(frame)).isEqualTo(expected);
    }
}
