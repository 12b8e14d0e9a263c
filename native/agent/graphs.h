/* Decides whether CUDA graphs are recorded kernel by kernel or as a whole, by the measured cost of both. */
#ifndef INFERSCOPE_GRAPHS_H
#define INFERSCOPE_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads INFERSCOPE_GPU_GRAPHS: auto (the default), nodes, whole. */
void graphs_read(void);
/* Takes a recorded operation of a graph. */
void graphs_node(uint32_t graph, uint32_t correlation, uint64_t start, uint64_t end);
/* Takes a graph recorded as a whole. */
void graphs_whole(uint32_t graph, uint64_t start, uint64_t end);
/* Takes the host time of a graph launch. */
void graphs_call(uint64_t ns);
/* Returns whether to record graphs as a whole from now on. */
bool graphs_choose(uint64_t now_ns);
/* Called if CUPTI cannot record graphs as a whole. */
void graphs_are_nodes(void);

#endif
