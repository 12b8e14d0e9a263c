package io.inferscope.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a process by how it ended. */
@Tag("process")
class RunOutcomeTest {
    private static final int SIGTERM = 15;

    @TempDir
    Path folder;

    private RunOutcome of(int signal, long oomKills) throws IOException {
        return RunOutcome.of(
                new Worker.Ended(new ChildProcess.End(signal, true), WorkerSupervisor.Reason.NONE, 1, 1, 1, oomKills),
                Map.of(),
                new TraceFixture(folder).options());
    }

    @Test
    void aProcessThatTheKernelEndedForWantOfMemoryIsNoCrash() throws IOException {
        assertThat(of(WorkerSupervisor.SIGKILL, 1).exitClass()).isEqualTo(ExitClass.OUT_OF_MEMORY);
        assertThat(of(WorkerSupervisor.SIGKILL, 0)).isEqualTo(new RunOutcome(ExitClass.CRASH, "ended by SIGKILL"));
        assertThat(of(SIGTERM, 1)).isEqualTo(new RunOutcome(ExitClass.CRASH, "ended by SIGTERM"));
    }

    /** A download has a limit of its own. */
    @Test
    void aDownloadThatTakesTooLongNamesItsOwnLimit() throws IOException {
        Worker.Ended late = new Worker.Ended(
                new ChildProcess.End(WorkerSupervisor.SIGKILL, true), WorkerSupervisor.Reason.TIMEOUT, 1, 1, 1, 0);
        TraceFixture fixture = new TraceFixture(folder);
        fixture.timeoutNs = 1_000_000_000L;

        assertThat(Downloads.verdict(late, Map.of(), fixture.options(), folder).reason())
                .isEqualTo("not done after 300 s; what it was doing is in " + folder.resolve("stderr.txt")
                        + "; --download-timeout allows more time");
        assertThat(RunOutcome.of(late, Map.of(), fixture.options()).reason())
                .isEqualTo("not done after 1 s; what it was doing is in stderr.txt; --timeout allows more time");
    }
}
