/** The host collector: how every thread of a process tree spends its time, seen from outside through {@code /proc}. */
@NullMarked
package io.inferscope.collectors.host;

import org.jspecify.annotations.NullMarked;
