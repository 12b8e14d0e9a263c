package io.inferscope.collectors.host;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A sampler in a process of its own, so that a test can give it another user or other limits: {@code FOLDER PID MILLISECONDS}. Prints
 * how many records the spool dropped.
 */
final class SamplerProgram {
    private SamplerProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int pid = Integer.parseInt(arguments[1]);
        LinuxSystem system = new LinuxSystem();
        SpoolWriter writer = SpoolWriter.open(Path.of(arguments[0]), "host", 0, 1 << 26);
        HostSampler sampler = new HostSampler(
                system,
                writer,
                RootProcess.running(system, pid),
                new HostOptions(0.5, HostOptions.DEFAULT_RATE_HZ, true, true, 0, 0),
                NoStacks.NONE);
        Thread.sleep(Long.parseLong(arguments[2]));
        sampler.stop(System.nanoTime(), 0);
        sampler.writeCoverage(0);
        writer.close();
        System.out.println("dropped " + writer.dropped());
    }
}
