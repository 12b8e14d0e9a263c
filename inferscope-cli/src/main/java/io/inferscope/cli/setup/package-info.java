/** Commands about the installation: doctor and config. */
@NullMarked
package io.inferscope.cli.setup;

import org.jspecify.annotations.NullMarked;
