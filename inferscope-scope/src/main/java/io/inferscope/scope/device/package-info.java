/** What {@link io.inferscope.scope.GpuCapture} needs of a recorder of device work; implementations are services. */
@NullMarked
package io.inferscope.scope.device;

import org.jspecify.annotations.NullMarked;
