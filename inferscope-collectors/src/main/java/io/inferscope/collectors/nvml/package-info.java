/**
 * The NVIDIA driver's own counters (NVML) as counters of the recording. JavaCPP's types stay in {@code JavaCppNvml}.
 */
@NullMarked
package io.inferscope.collectors.nvml;

import org.jspecify.annotations.NullMarked;
