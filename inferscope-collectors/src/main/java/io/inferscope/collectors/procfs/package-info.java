/** Reading {@code /proc}, {@code /sys} and control groups: text, descriptors, system calls, switches, topology. */
@NullMarked
package io.inferscope.collectors.procfs;

import org.jspecify.annotations.NullMarked;
