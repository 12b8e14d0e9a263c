/** The ledgers of the window, its span, its steady state and its phases, for devices and the judged thread. */
@NullMarked
package io.inferscope.analyzer.ledger;

import org.jspecify.annotations.NullMarked;
