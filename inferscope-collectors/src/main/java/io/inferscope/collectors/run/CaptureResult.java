package io.inferscope.collectors.run;

import java.nio.file.Path;

/**
 * How a capture ended.
 *
 * @param exitCode the command's exit code as a shell gives it
 * @param signal the signal that killed it, 0 for none
 * @param spoolDirectory where everything recorded is
 * @param ownCpuNs CPU time of InferScope itself while the command ran, in ns
 * @param wallNs how long the command ran, in ns
 */
public record CaptureResult(int exitCode, int signal, Path spoolDirectory, long ownCpuNs, long wallNs) {}
