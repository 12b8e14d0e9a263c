/** The list of every format; each family of formats has a package of its own below this one. */
@NullMarked
package io.inferscope.formats;

import org.jspecify.annotations.NullMarked;
