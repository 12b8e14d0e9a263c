/** Java programs: flight recordings of HotSpot JVMs, started and stopped from outside by their own attach mechanism. */
@NullMarked
package io.inferscope.collectors.jvm;

import org.jspecify.annotations.NullMarked;
