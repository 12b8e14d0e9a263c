/**
 * The interface between {@link io.inferscope.scope.GpuCapture} and recorders of device work, which are found as
 * services.
 */
@NullMarked
package io.inferscope.scope.device;

import org.jspecify.annotations.NullMarked;
