/* The spool's file, as it grows: chunks of it that are mapped while they are written to. */
#ifndef INFERSCOPE_CHUNKS_H
#define INFERSCOPE_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct chunk {
    uint8_t *map;
    uint64_t file_offset;
    uint32_t block; /* begin of its block's header */
    uint32_t used;  /* end of the last record, from map */
};

/* Creates the file of this name with a size limit. Returns false if nothing can be recorded. */
bool chunks_open(const char *directory, const char *name, uint64_t max_bytes);
uint32_t chunk_bytes(void);
/* Takes the next chunk of the file, all zero. Returns false when there is no room. Sets *low if the one after it is not
 * prepared. */
bool chunk_next(struct chunk *chunk, bool *low);
/* The error number of the file's growth; 0 without an error, and at the size limit. */
int chunks_error(void);
void chunk_unmap(const struct chunk *chunk);
/* Replaces the file's mapping by anonymous memory; a thread may still store there. */
void chunk_release(const struct chunk *chunk);
/* Prepares chunks in advance, so that storing threads do not wait for the file system. May be called while another
 * thread stores. */
void chunks_prepare(void);
/* Ends the file at this byte, as far as it can be cut; prepared chunks are released. */
void chunks_end(uint64_t file_bytes);
/* Ends the file like chunks_end and continues in a new one of this name. Of the two files before it, the older one is
 * removed. If no file can be made, returns false and changes nothing. */
bool chunks_turn(const char *name, uint64_t ended_bytes);
/* Returns the file's limit in bytes, rounded down to whole chunks. */
uint64_t chunks_room(void);
/* Removes the file. */
void chunks_discard(void);

#endif
