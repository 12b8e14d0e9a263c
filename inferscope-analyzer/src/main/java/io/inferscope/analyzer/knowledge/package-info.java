/** What names of code mean: tables of patterns, and finding the first that matches. */
@NullMarked
package io.inferscope.analyzer.knowledge;

import org.jspecify.annotations.NullMarked;
