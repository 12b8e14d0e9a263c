package io.inferscope.collectors.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a process by how it ended. */
class VerdictTest {
    private static final int SIGTERM = 15;

    @TempDir
    Path folder;

    private Verdict of(int signal, long oomKills) throws IOException {
        return Verdict.of(
                new Worker.Ended(new ChildProcess.End(signal, true), Watch.Reason.NONE, 1, 1, 1, oomKills),
                Map.of(),
                new TraceFixture(folder).options());
    }

    @Test
    void aProcessThatTheKernelEndedForWantOfMemoryIsNoCrash() throws IOException {
        assertThat(of(Watch.SIGKILL, 1).exitClass()).isEqualTo(ExitClass.OUT_OF_MEMORY);
        assertThat(of(Watch.SIGKILL, 0)).isEqualTo(new Verdict(ExitClass.CRASH, "ended by SIGKILL"));
        assertThat(of(SIGTERM, 1)).isEqualTo(new Verdict(ExitClass.CRASH, "ended by SIGTERM"));
    }
}
