/* One file per process. Calls must not overlap, except spool_lost. */
#ifndef INFERSCOPE_SPOOL_H
#define INFERSCOPE_SPOOL_H

#include "bytes.h"
#include "spool_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Creates the file; again after spool_close. Where `newest`, two files take turns, each of half the size: what is newest is kept. Returns false when nothing can be recorded. */
bool spool_open(const char *directory, pid_t pid, uint64_t max_bytes, bool newest);
/* Goes on in a new file where that is due. Returns whether it does: what the file before said of ids, devices and the agent is to be stored again. */
bool spool_turn(void);
extern uint32_t spool_number; /* written while something is stored */
/* Returns which of the files it is, from 1. Asked several times for each record. */
static inline uint32_t spool_file(void) { return spool_number; }
/* Returns since when, on the monotonic clock, there are files that were not removed: 0 when none was. */
uint64_t spool_kept_since_ns(void);
/* Has `ring` called, on the thread that stores, when no more of the file is at hand; chunks_prepare makes more. */
void spool_on_low(void (*ring)(void));
/* Begins a record of so many bytes, a multiple of 8, header included; its fields are 0. Returns NULL when there is no room; the record is counted
 * as lost then. */
uint8_t *spool_begin(uint32_t bytes);
/* Makes a record valid. The body is complete, the flags are in place. */
void spool_end(uint8_t *record, uint16_t type);
static inline void spool_flags(uint8_t *record, uint16_t flags) { put16(record, SPOOL_RECORD_HEADER_FLAGS, flags); }
/* Counts records that were lost. Callable from any thread. */
void spool_lost(uint64_t count);
/* Returns whether nothing more can be stored, now or later. */
bool spool_is_full(void);
/* Returns how many records were stored. */
uint64_t spool_stored(void);
/* Computes the checksums of full blocks. Callable from one thread while others store. */
void spool_seal_full_blocks(void);
/* Seals what is left and marks the file as closed cleanly. */
void spool_close(void);

#endif
