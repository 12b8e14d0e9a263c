/**
 * The operating system as the collectors need it: a small port, and Linux behind it. No JNA type leaves this package.
 */
@NullMarked
package io.inferscope.collectors.os;

import org.jspecify.annotations.NullMarked;
