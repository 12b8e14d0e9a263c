package io.inferscope.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small traces for tests. */
final class Traces {
    private Traces() {}

    /**
     * Writes a trace whose device waits for a host thread before each kernel.
     *
     * @param originNs Unix time of its zero, 0 for none
     * @param kernels how many operators with a kernel it has, each with a name of its own
     * @param operator the beginning of the operators' names
     */
    static Path write(Path file, long originNs, int kernels, String operator) throws IOException {
        return write(file, originNs, kernels, operator, 100);
    }

    /** Writes the same with an operator every {@code strideUs}. */
    static Path write(Path file, long originNs, int kernels, String operator, int strideUs) throws IOException {
        StringBuilder events = new StringBuilder();
        for (int i = 1; i <= kernels; i++) {
            int us = i * strideUs;
            events.append(String.format(
                    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s_%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":70},%n",
                    operator, i, us));
            events.append(String.format(
                    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
                            + "\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},%n",
                    us + 40, i));
            events.append(String.format(
                    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":40,"
                            + "\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}},%n",
                    us + 50, i));
        }
        return Files.writeString(
                file,
                "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],"
                        + "\"baseTimeNanoseconds\":" + originNs + ",\"traceEvents\":[\n" + events
                        + "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"python\"}}]}");
    }
}
