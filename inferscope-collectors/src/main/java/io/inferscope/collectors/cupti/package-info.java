/**
 * CUPTI in the process of a JVM that uses CUDA itself, through JavaCPP's presets: docs/cuda-agent.md. JavaCPP's types
 * stay in this package.
 */
@NullMarked
package io.inferscope.collectors.cupti;

import org.jspecify.annotations.NullMarked;
