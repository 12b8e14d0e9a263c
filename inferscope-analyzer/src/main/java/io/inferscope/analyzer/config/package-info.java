/** Users' settings in files: limits, severities, their own rules. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.config;
