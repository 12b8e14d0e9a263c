/** Reading YAML with the line of every value. The only package that uses SnakeYAML Engine. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.yaml;
