/** The rules: each one file, stateless, with a page docs/rules/ID.md. */
@NullMarked
package io.inferscope.analyzer.rules;

import org.jspecify.annotations.NullMarked;
