package io.inferscope.collectors.run;

/**
 * How a capture ended.
 *
 * @param exitCode the command's exit code as a shell gives it
 * @param wallNs how long the command ran, in ns
 */
public record CaptureResult(int exitCode, long wallNs) {}
