/** Tables, programs and locks that lie in files. Depends on nothing of InferScope. */
@NullMarked
package io.inferscope.timeline.files;

import org.jspecify.annotations.NullMarked;
