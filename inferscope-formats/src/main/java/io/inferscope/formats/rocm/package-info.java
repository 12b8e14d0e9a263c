/** What rocprofv3 writes: JSON and rocpd databases. */
@NullMarked
package io.inferscope.formats.rocm;

import org.jspecify.annotations.NullMarked;
