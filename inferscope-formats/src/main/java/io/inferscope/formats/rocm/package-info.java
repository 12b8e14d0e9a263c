/** Output of rocprofv3: JSON and rocpd databases. */
@NullMarked
package io.inferscope.formats.rocm;

import org.jspecify.annotations.NullMarked;
