/* One file per process. Calls must not overlap, except spool_lost. */
#ifndef INFERSCOPE_SPOOL_H
#define INFERSCOPE_SPOOL_H

#include "bytes.h"
#include "spool_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Creates the file; may be called again after spool_close. With `newest`, two files of half the size alternate, so the
 * newest records are kept. Returns false if nothing can be recorded. */
bool spool_open(const char *directory, pid_t pid, uint64_t max_bytes, bool newest);
/* Switches to a new file if that is due. Returns whether it did: then ids, devices and the agent's notes must be stored
 * again. */
bool spool_turn(void);
extern uint32_t spool_number; /* written while `storing` is held */
/* Returns the number of the current file, from 1. Called several times per record. */
static inline uint32_t spool_file(void) { return spool_number; }
/* Returns the begin of the oldest kept file, on the monotonic clock; 0 if no file was removed. */
uint64_t spool_kept_since_ns(void);
/* Sets `ring`, which is called on the storing thread when no chunk is left in advance; chunks_prepare makes more. */
void spool_on_low(void (*ring)(void));
/* Begins a record with the given size, header included, a multiple of 8; its fields are 0. Returns NULL if there is no
 * room; the record then counts as lost. */
uint8_t *spool_begin(uint32_t bytes);
/* Makes a record valid. Its body and flags must be complete. */
void spool_end(uint8_t *record, uint16_t type);
static inline void spool_flags(uint8_t *record, uint16_t flags) { put16(record, SPOOL_RECORD_HEADER_FLAGS, flags); }
/* Counts records that were lost. Callable from any thread. */
void spool_lost(uint64_t count);
/* Returns whether nothing more can be stored, now or later. */
bool spool_is_full(void);
/* Returns how many records were stored. */
uint64_t spool_stored(void);
/* Computes the checksums of full blocks. One thread may call it while others store. */
void spool_seal_full_blocks(void);
/* Seals the remaining blocks and marks the file as closed cleanly. */
void spool_close(void);
/* Unmaps the file, whose disk space would otherwise be used until the program ends. To be called after spool_close,
 * while storing is held. */
void spool_release(void);

#endif
