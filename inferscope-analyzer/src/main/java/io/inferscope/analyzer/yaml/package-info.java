/** Reading YAML with the line of everything that stands in it. The only place with SnakeYAML Engine. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.yaml;
