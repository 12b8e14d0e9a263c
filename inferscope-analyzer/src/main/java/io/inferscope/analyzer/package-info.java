/** Ledger, idle blame, critical path, rules, diff, shapes analysis. */
@NullMarked
package io.inferscope.analyzer;

import org.jspecify.annotations.NullMarked;
