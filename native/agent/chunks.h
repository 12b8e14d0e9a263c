/* The spool's file, as it grows: chunks of it that are mapped while they are written to. */
#ifndef INFERSCOPE_CHUNKS_H
#define INFERSCOPE_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct chunk {
    uint8_t *map;
    uint64_t file_offset;
    uint32_t block; /* where its block's header begins */
    uint32_t used;  /* end of the last record, from map */
};

/* Creates the file of this name, which may grow to so many bytes. Returns false when nothing can be recorded. */
bool chunks_open(const char *directory, const char *name, uint64_t max_bytes);
uint32_t chunk_bytes(void);
/* Takes the next chunk of the file, all zero. Returns false when there is no room. Sets *low when the one after it is not at hand. */
bool chunk_next(struct chunk *chunk, bool *low);
/* Why the file cannot grow, as an error number; 0 while it can, and at the cap. */
int chunks_error(void);
void chunk_unmap(const struct chunk *chunk);
/* Makes chunks ahead, so that storing threads do not wait for the file system. Callable while another thread stores. */
void chunks_prepare(void);
/* Ends the file at this byte, as far as it can be cut; chunks made ahead are given up. */
void chunks_end(uint64_t file_bytes);
/* Ends the file as chunks_end does and goes on in a new one of this name. Of the two before it, the older one is removed. Returns false, and leaves
 * all as it is, when none can be made. */
bool chunks_turn(const char *name, uint64_t ended_bytes);
/* Returns how many bytes of whole chunks the file may hold. */
uint64_t chunks_room(void);
/* Removes the file. */
void chunks_discard(void);

#endif
