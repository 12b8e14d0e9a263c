/** The rules: each one class, or a row of its family, stateless, with a page docs/rules/ID.md. */
@NullMarked
package io.inferscope.analyzer.rules;

import org.jspecify.annotations.NullMarked;
