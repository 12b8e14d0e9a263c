/** What the page's script draws: a recording as columns of small numbers. */
@NullMarked
package io.inferscope.report.scene;

import org.jspecify.annotations.NullMarked;
