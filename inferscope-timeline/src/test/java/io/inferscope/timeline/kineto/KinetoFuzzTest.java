package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Mutator;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mutated traces: the importer ends, and its only complaint is an ImportException of one line. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KinetoFuzzTest {
    private static final String TRACE = """
            {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [
            {"ph":"X","cat":"user_annotation","name":"stäp","pid":1,"tid":2,"ts":0.5,"dur":90},
            {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":2,"dur":70.123,"args":{"Input Dims":[[1,2],[]],"External id":3}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":3,"dur":4,"args":{"correlation":7}},
            {"ph":"B","cat":"cpu_op","name":"b","pid":1,"tid":2,"ts":80},
            {"ph":"E","name":"b","pid":1,"tid":2,"ts":85},
            {"ph":"C","name":"counter","pid":0,"ts":5,"args":{"value":0.25}},
            {"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":0},
            {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5e0,"args":{"device":0,"stream":7,"correlation":7}},
            {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":30,"dur":1,"args":{"bytes":64}}
            ], "baseTimeNanoseconds": 17}
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void mutatedTextNeverBreaksTheImporter(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < Seeds.of(500, 4); i++) {
            byte[] mutated = Mutator.mutated(TRACE.getBytes(StandardCharsets.UTF_8), random);
            importOrComplain(mutated, seed + "/" + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void mutatedGzipNeverBreaksTheImporter(long seed) {
        Random random = new Random(seed);
        byte[] zipped = TraceFile.gzip(TRACE.getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < Seeds.of(300, 4); i++) {
            byte[] mutated = Mutator.flipped(zipped, random);
            importOrComplain(
                    random.nextInt(4) == 0 ? Arrays.copyOf(mutated, random.nextInt(zipped.length)) : mutated,
                    seed + "/" + i);
        }
    }

    private void importOrComplain(byte[] content, String what) {
        Path file = TraceFile.of(folder, "fuzzed.json", content);
        try {
            Timeline timeline = CoreFormats.load(file);
            assertThat(timeline.rowCount()).as(what).isPositive();
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(timeline.durationNs(row)).as(what).isNotNegative();
            }
        } catch (ImportException refused) {
            assertThat(refused.getMessage()).as(what).contains("fuzzed.json: ").doesNotContain("\n");
        }
    }
}
