package io.inferscope.batch;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.collectors.os.Pipe;
import io.inferscope.collectors.os.SpawnException;
import io.inferscope.collectors.run.ChildEnvironment;
import io.inferscope.collectors.run.NativeText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A Python process in a process group of its own. It is watched until it ends; the kernel kills it when InferScope
 * ends, even if InferScope is killed.
 */
record Worker(TraceOptions options, WorkerSupervisor watch) {
    /**
     * The process to start.
     *
     * @param words arguments of {@code python -m inferscope.trace}
     * @param layers names of the layers of {@link TraceOptions#environment} to add, in this order
     * @param mark value of {@link TracerProcesses#MARK}
     * @param timeoutNs how long the process may take, in ns
     * @param output file for its standard output; {@code error} for its standard error
     * @param folder its working folder, and the place of its temporary files
     * @param offline whether the process must not ask a hub; it also gets no access tokens then
     */
    record Task(
            List<String> words,
            List<String> layers,
            String mark,
            long timeoutNs,
            Path output,
            Path error,
            Path folder,
            boolean offline) {}

    /**
     * How the process ended.
     *
     * @param end exit code or signal
     * @param reason why InferScope ended the process; {@code NONE} if it did not
     * @param wallNs time from start to end, in ns
     * @param cpuNs CPU time of the process and of all descendants it waited for, in ns
     * @param peakBytes the most memory measured for the process and its descendants together
     * @param oomKills how many processes of the whole machine the kernel killed for lack of memory during the run
     */
    record Ended(
            ChildProcess.End end,
            WorkerSupervisor.Reason reason,
            long wallNs,
            long cpuNs,
            long peakBytes,
            long oomKills) {}

    /**
     * Runs a task to its end on the calling thread. This thread must live as long as the worker, because the kernel
     * kills the worker when the thread that started it ends.
     */
    Ended run(Task task) throws SpawnException {
        TracerProcesses.end(task.mark()); // Left by an InferScope that was killed.
        long startNs = System.nanoTime();
        long oomKills = MachineMemory.oomKills();
        try (Pipe life = new Pipe()) {
            ChildProcess process = ChildProcess.spawn(
                    bytes(options.python().toString()),
                    words(task).stream().map(Worker::bytes).toList(),
                    environment(task).entries(),
                    new ChildProcess.Background(
                            life.readEnd(),
                            bytes(task.output().toString()),
                            bytes(task.error().toString()),
                            bytes(task.folder().toString())));
            WorkerSupervisor.Entry entry =
                    watch.add(process, task.mark(), startNs + task.timeoutNs(), options.memoryLimitBytes());
            ChildProcess.End end = process.awaitEnd();
            watch.remove(entry);
            process.signalGroup(WorkerSupervisor.SIGKILL);
            long cpuNs = process.reap();
            TracerProcesses.end(task.mark());
            long wallNs = System.nanoTime() - startNs;
            return new Ended(
                    end, entry.reason(), wallNs, cpuNs, entry.peakBytes(), MachineMemory.oomKills() - oomKills);
        }
    }

    private List<String> words(Task task) {
        List<String> words = new java.util.ArrayList<>(List.of(options.python().toString(), "-m", "inferscope.trace"));
        words.addAll(task.words());
        words.addAll(List.of("--memory-limit-bytes", Long.toString(options.memoryLimitBytes()), "--follow-parent"));
        return words;
    }

    private ChildEnvironment environment(Task task) {
        ChildEnvironment environment = new ChildEnvironment(OwnProcess.environment());
        environment.prepend("PYTHONPATH", bytes(options.home().resolve("python").toString()));
        environment.set("TMPDIR", bytes(task.folder().toString()));
        environment.set("KINETO_LOG_LEVEL", bytes("99")); // Its log is no result of a tracer.
        environment.set(TracerProcesses.MARK, bytes(task.mark()));
        if (task.offline()) {
            environment.set("HF_HUB_OFFLINE", bytes("1")).set("TRANSFORMERS_OFFLINE", bytes("1"));
            environment.unset("HF_TOKEN").unset("HUGGING_FACE_HUB_TOKEN");
        }
        for (String layer : task.layers()) {
            Map<String, String> variables = options.environment().getOrDefault(layer, Map.of());
            variables.forEach((name, value) -> environment.set(name, bytes(value)));
        }
        return environment;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(text.chars().allMatch(c -> c < 128) ? StandardCharsets.US_ASCII : NativeText.charset());
    }
}
