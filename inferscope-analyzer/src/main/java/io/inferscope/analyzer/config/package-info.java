/** What users set in files: limits, severities, rules of their own. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.config;
