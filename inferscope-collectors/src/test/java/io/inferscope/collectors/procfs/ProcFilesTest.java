package io.inferscope.collectors.procfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.LinuxSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcFilesTest {
    /** Fields 16 and 17 of proc(5), beside the process' own times in 14 and 15. */
    @Test
    void timeOfChildrenIsTheSumOfTheirUserAndSystemTime(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("stat"), "10 (a b) S 1 10 10 0 -1 0 1 2 3 4 500 600 7 8 20 0 3 0 90 1 2\n");
        ProcFiles.Stat stat = new ProcFiles(new LinuxSystem()).stat(".." + folder);
        assertThat(stat.childrenNs()).isEqualTo(150_000_000L);
        assertThat(stat.cpuNs()).isEqualTo(11_000_000_000L);
        assertThat(stat.threads()).isEqualTo(3);
        assertThat(stat.startTicks()).isEqualTo(90);
    }
}
