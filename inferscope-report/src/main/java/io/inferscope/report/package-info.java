/** The renderers by format; each format has a package below this one. */
@NullMarked
package io.inferscope.report;

import org.jspecify.annotations.NullMarked;
