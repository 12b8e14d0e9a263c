/** Tables, programs and locks that lie in files, and writing files. Depends on {@code timeline.text} alone. */
@NullMarked
package io.inferscope.timeline.files;

import org.jspecify.annotations.NullMarked;
