package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunOutputsTest {
    @ParameterizedTest
    @CsvSource({
        "python infer.py --n 3, infer",
        "python3.11 -m vllm.entrypoints, vllm.entrypoints",
        "/usr/bin/env OMP_NUM_THREADS=1 python3 -u dir/my.py, my",
        "./server --port 1, server",
        "python3 -c print(1), python3",
        "java -Xmx1g -cp a.jar:b io.example.Server --port 1, io.example.Server",
        "java -jar dir/app.jar, app.jar",
        "nice -n 5 python3 -X dev infer.py, infer",
        "sh -c true, sh",
        "torchrun train.py, torchrun",
        "'a b.py', a"
    })
    void outputsAreNamedAfterTheProgram(String line, String expected) {
        assertThat(RunOutputs.program(List.of(line.split(" ", -1)))).isEqualTo(expected);
    }

    @Test
    void existingFilesAreNotOverwritten(@TempDir Path folder) throws Exception {
        assertThat(RunOutputs.unused(folder, "trace_x", ".json.gz")).hasFileName("trace_x.json.gz");
        Files.createFile(folder.resolve("trace_x.json.gz"));
        Files.createFile(folder.resolve("trace_x-2.json.gz"));
        assertThat(RunOutputs.unused(folder, "trace_x", ".json.gz")).hasFileName("trace_x-3.json.gz");
    }
}
