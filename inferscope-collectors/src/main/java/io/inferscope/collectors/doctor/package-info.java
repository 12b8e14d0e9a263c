/** Checks for each collector whether it will work on this machine for this command, why not, and the remedy. */
@NullMarked
package io.inferscope.collectors.doctor;

import org.jspecify.annotations.NullMarked;
