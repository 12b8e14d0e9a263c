package io.inferscope.collectors.nvml;

/** NVML is there but cannot be used; the message says why. */
final class NvmlUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    NvmlUnavailable(String message) {
        super(message);
    }
}
