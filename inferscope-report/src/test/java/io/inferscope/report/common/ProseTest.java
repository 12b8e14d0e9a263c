package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProseTest {
    /** Code is shown in double angle brackets. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            The GPU is idle for 92.1% of its span (3.60 ms).     ; The GPU is idle for 92.1% of its span (3.60 ms).
            Set pin_memory=True, then measure.                   ; Set «pin_memory=True», then measure.
            a fast tokenizer (use_fast=True)                     ; a fast tokenizer («use_fast=True»)
            DataLoader(num_workers=N, prefetch_factor=2), or not ; «DataLoader(num_workers=N, prefetch_factor=2)», or not
            void at::f<8, float>(int, T const*) is slow          ; void «at::f<8, float>(int, T const*)» is slow
            in vLLM drop --enforce-eager.                        ; in vLLM drop «--enforce-eager».
            Run `inferscope run -- python infer.py` again        ; Run «inferscope run -- python infer.py» again
            see modeling_bert.py:364: forward                    ; see «modeling_bert.py:364»: forward
            an open( bracket stays alone                         ; an «open(» bracket stays alone
            Pageable -> Device                                   ; Pageable -> Device
            a ` backtick alone                                   ; a ` backtick alone
            ask @octocat at www.example.com                      ; ask «@octocat» at «www.example.com»
            """)
    void wordsThatMarkupCouldReadBecomeCode(String sentence, String expected) {
        StringBuilder shown = new StringBuilder();
        for (Prose.Run run : Prose.of(sentence).runs()) {
            shown.append(run.code() ? "«" + run.text() + "»" : run.text());
        }
        assertThat(shown).hasToString(expected);
    }
}
