/** Collectors: run and attach, host sampler, Python probe, CUDA agent. */
@NullMarked
package io.inferscope.collectors;

import org.jspecify.annotations.NullMarked;
