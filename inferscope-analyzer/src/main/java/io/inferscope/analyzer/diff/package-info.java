/** What changed from one recording to another, and whether it is more than noise. */
@NullMarked
package io.inferscope.analyzer.diff;

import org.jspecify.annotations.NullMarked;
