/* Whether CUDA graphs are recorded kernel by kernel or as a whole: what costs the program less, by what both cost it. */
#ifndef INFERSCOPE_GRAPHS_H
#define INFERSCOPE_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads INFERSCOPE_GPU_GRAPHS: auto (the default), nodes, whole. */
void graphs_read(void);
/* An operation of a graph was recorded. */
void graphs_node(uint32_t graph, uint32_t correlation, uint64_t start, uint64_t end);
/* A graph was recorded as a whole. */
void graphs_whole(uint32_t graph, uint64_t start, uint64_t end);
/* A launch of a graph took so long on the host. */
void graphs_call(uint64_t ns);
/* Returns whether graphs are to be recorded as a whole from now on. */
bool graphs_choose(uint64_t now_ns);
/* CUPTI records no graph as a whole. */
void graphs_are_nodes(void);

#endif
