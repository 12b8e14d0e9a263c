package io.inferscope.collectors.nvml;

/** NVML exists but cannot be used; the message is the reason. */
final class NvmlUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    NvmlUnavailable(String message) {
        super(message);
    }
}
