/* What the parts of the CUDA agent share. The agent only records: every part fails open, and none of them may harm the program it is in. */
#ifndef INFERSCOPE_AGENT_H
#define INFERSCOPE_AGENT_H

#include "cupti_abi.h"
#include "spool_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

static inline uint16_t get16(const uint8_t *at, int field) { uint16_t value; memcpy(&value, at + field, 2); return value; }
static inline uint32_t get32(const uint8_t *at, int field) { uint32_t value; memcpy(&value, at + field, 4); return value; }
static inline uint64_t get64(const uint8_t *at, int field) { uint64_t value; memcpy(&value, at + field, 8); return value; }
static inline void put16(uint8_t *at, int field, uint16_t value) { memcpy(at + field, &value, 2); }
static inline void put32(uint8_t *at, int field, uint32_t value) { memcpy(at + field, &value, 4); }
static inline void put64(uint8_t *at, int field, uint64_t value) { memcpy(at + field, &value, 8); }

/* ---- clocks.c: and whose time it is */

/* One moment on four clocks; ticks is 0 where the processor's counter cannot be read. Uncertainty is half the bracket, in ns. */
struct moment {
    uint64_t cupti, monotonic_ns, realtime_ns, ticks;
    uint32_t uncertainty_ns;
};

/* The kernel's id of the calling thread. */
uint32_t own_tid(void);
uint64_t monotonic_ns(void);
uint64_t realtime_ns(void);
uint64_t thread_cpu_ns(void);
/* Reads the clocks, the narrowest of five brackets. Returns false when CUPTI's clock cannot be read; its field is 0 then. */
bool moment_now(const struct cupti *cupti, struct moment *moment);

/* ---- spool.c: one file per process. Calls must not overlap, except spool_lost. */

/* Creates the file. Returns false when nothing can be recorded. */
bool spool_open(const char *directory, pid_t pid, uint64_t max_bytes);
/* Has `ring` called, on the thread that stores, when no more of the file is at hand; chunks_prepare makes more. */
void spool_on_low(void (*ring)(void));
/* Begins a record of so many bytes, a multiple of 8, header included. Returns NULL when there is no room; the record is counted as lost then. */
uint8_t *spool_begin(uint32_t bytes);
/* Makes a record valid. The body is complete, the flags are in place. */
void spool_end(uint8_t *record, uint16_t type);
static inline void spool_flags(uint8_t *record, uint16_t flags) { put16(record, SPOOL_RECORD_HEADER_FLAGS, flags); }
/* Counts records that were lost. Callable from any thread. */
void spool_lost(uint64_t count);
/* Returns how many records were stored. */
uint64_t spool_stored(void);
/* Computes the checksums of full blocks. Callable from one thread while others store. */
void spool_seal_full_blocks(void);
/* Seals what is left and marks the file as closed cleanly. */
void spool_close(void);

/* ---- intern.c: what repeats is stored once, under an id. Calls must not overlap. */

uint32_t intern_text(const char *text);
/* As intern_text, for a text that CUPTI owns: found by its address, checked by its content once in a buffer. Names of C++ are demangled. */
uint32_t intern_name(const char *name);
/* Another buffer's records follow. */
void intern_next_buffer(void);
uint32_t intern_lane(uint32_t device, uint32_t context, uint32_t stream);
enum { SHAPE_WORDS = 9 };
/* Grid x, y, z; block x, y, z; registers per thread; static and dynamic shared memory in bytes. */
uint32_t intern_shape(const uint32_t words[SHAPE_WORDS]);

/* ---- threads.c */

/* Prepares the mapping on the initialising thread; then once more on the agent's own. */
void threads_learn(void);
/* Starts a new round: every thread is looked at again when it is next asked for. */
void threads_round(void);
/* Returns the kernel thread id of a thread that CUPTI names by the low half of its pthread id; 0 when it cannot be known any more. */
uint32_t thread_of(uint32_t pthread_low);

/* ---- find.c */

/* Opens libcupti. Returns NULL when there is none; `how` then says what was looked for, else where it was found. */
void *cupti_open(char *how, size_t how_bytes);
bool cupti_resolve(void *library, struct cupti *cupti, const char **missing);

/* ---- decode.c */

/* `own` is the low half of the agent's own pthread id. */
void decode_prepare(uint32_t own);
/* Stores what one activity record says; `room` is how many bytes follow in its buffer. */
void decode(const uint8_t *activity, size_t room);

/* ---- calls.c */

enum { CALL_NOISY = 0x80000000u };

void calls_prepare(const struct cupti *cupti);
/* Turns off recording of calls that are frequent and say nothing. */
void calls_silence(void);
/* Returns the text id of a call's name; 0 when it has none, CALL_NOISY for one to leave out. */
uint32_t call_id(int domain, uint32_t callback);

/* ---- notes.c */

void notes_prepare(const struct cupti *cupti, pid_t pid);
void say_coverage(const char *why, uint16_t status);
void say_note(const char *key, const char *value);
/* Stores what four clocks show now. The records of a buffer lie before the moment that follows them. */
void store_moment(void);
/* Begins the record of the agent's own cost; later its figures are updated: the CPU time of the agent's thread, and what others spent. */
void begin_cost(void);
void update_cost(uint64_t own_thread_ns);
void add_cost(uint64_t cpu_ns);
/* Stores that the agent held a thread of the program up until now: a span of the profiler's own, and part of the cost that update_cost writes. */
void say_held_up(const char *name, uint32_t tid, uint64_t since_ns);

#endif
