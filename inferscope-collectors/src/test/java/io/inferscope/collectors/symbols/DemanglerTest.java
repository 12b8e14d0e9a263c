package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of functions as compilers of C++ and Rust write them. */
class DemanglerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "main | main",
                "memcpy@@GLIBC_2.14 | memcpy",
                "_ZN2at6native4reluERKNS_6TensorE | at::native::relu",
                "_ZNSt6vectorIiSaIiEE9push_backEOi | std::vector::push_back",
                "_ZN5words8tokenize17h0123456789abcdefE | words::tokenize",
                "_ZN3std4sync4mpmc4list16Channel$LT$T$GT$4recv17h5007af7d715f466dE | std::sync::mpmc::list::Channel<T>::recv",
                "_ZN4core3ops28_$u7b$$u7b$closure$u7d$$u7d$17h0f4be24460a0f5b0E | core::ops::{{closure}}",
                "_ZN59_$LT$core..fmt..Arguments$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE | <core::fmt::Arguments as core::fmt::Display>::fmt",
                "_RNvNtNtCsfEOYDRpO4Ta_11miniz_oxide7inflate4core15decompress_fast | miniz_oxide::inflate::core::decompress_fast",
                "_RINvNtC3std3mem8align_ofdE | std::mem::align_of",
                "_RNvC7mycrate4__add | mycrate::_add",
                "_RNG32 | _RNG32",
                "_Z | _Z",
                "_R | _R",
                "_ZN4a$u1 | a$u1",
            })
    void aNameIsShownAsItStandsInTheSource(String symbol, String name) {
        assertThat(Demangler.name(symbol)).isEqualTo(name);
    }
}
