/** Says, per collector, whether it will work on this machine for this command, why not, and what to do. */
@NullMarked
package io.inferscope.collectors.doctor;

import org.jspecify.annotations.NullMarked;
