/** Limits that a report or a comparison must keep, such as {@code idle>20%}, for use in CI. */
@NullMarked
package io.inferscope.analyzer.limits;

import org.jspecify.annotations.NullMarked;
