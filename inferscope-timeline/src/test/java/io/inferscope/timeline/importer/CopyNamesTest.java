package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyNamesTest {
    @ParameterizedTest
    @CsvSource({
        "Memcpy HtoD (Pageable -> Device), MEMCPY_H2D",
        "CopyHostToDevice, MEMCPY_H2D",
        "Memcpy Host -> Device, MEMCPY_H2D",
        "MemcpyH2D, MEMCPY_H2D",
        "MEMORY_COPY_HOST_TO_DEVICE, MEMCPY_H2D",
        "Memcpy DtoH (Device -> Pinned), MEMCPY_D2H",
        "device to host, MEMCPY_D2H",
        "Memcpy DtoD (Device -> Device), MEMCPY_D2D",
        "CopyDeviceToDevice, MEMCPY_D2D",
        "Memcpy PtoP (Device -> Device), MEMCPY_P2P",
        "Memcpy2DAsync, MEMCPY_OTHER",
        "Memcpy HtoH, MEMCPY_OTHER",
        "'', MEMCPY_OTHER"
    })
    void everySpellingOfADirectionIsKnown(String name, RowKind kind) {
        assertThat(CopyNames.of(name)).isEqualTo(kind);
    }
}
