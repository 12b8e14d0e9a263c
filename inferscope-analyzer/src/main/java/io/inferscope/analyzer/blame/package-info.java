/** Which threads, and which places in the code, the idle time of a device is blamed on. */
@NullMarked
package io.inferscope.analyzer.blame;

import org.jspecify.annotations.NullMarked;
