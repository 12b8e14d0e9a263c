/** Texts for people: words of a shell, and the known word that is nearest to an unknown one. */
@NullMarked
package io.inferscope.timeline.text;

import org.jspecify.annotations.NullMarked;
