package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunNotesTest {
    @Test
    void onlyWordsThatAreNoSecretsByTheirFormAreKept(@TempDir Path folder) throws Exception {
        String script = Files.createFile(folder.resolve("serve.py")).toString();
        assertThat(RunNotes.shown(List.of(
                        "python3",
                        script,
                        "--batch-size",
                        "8",
                        "--model",
                        "org/name-7B",
                        "--password",
                        "hunter",
                        "serve",
                        "API_KEY=abc",
                        "--token=abc",
                        "--limit=2.5s",
                        "sk-1234abcd",
                        "two words",
                        "")))
                .isEqualTo("python3 " + script
                        + " --batch-size 8 --model * --password * serve API_KEY=* --token=* --limit=2.5s * * *");
    }
}
