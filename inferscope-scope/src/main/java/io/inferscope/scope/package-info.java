/** The library users put in their program. It has no dependency. */
@NullMarked
package io.inferscope.scope;

import org.jspecify.annotations.NullMarked;
