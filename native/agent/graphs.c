/* CUPTI times each node of a graph, or the graph as a whole; timing nodes slows replays down. So the agent first
 * records nodes, which gives kernels their names, then the same graphs as a whole, and keeps recording nodes if they
 * cost almost nothing.
 *
 *   nodes, a second and 64 replays --> whole, 64 replays --> the cheaper one, for good
 *
 * Compared are a replay's span on the device plus its launch time on the host, for graphs recorded in both ways. */
#include "graphs.h"
#include "libc_floor.h"
#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SKIPPED: first replays of a graph that are ignored, because they load it. LIMIT_PERCENT: largest accepted cost of
 * nodes. */
enum { MAX_GRAPHS = 64, MAX_OPEN = 8, SKIPPED = 4, LEAST_REPLAYS = 8, REPLAYS = 64, LIMIT_PERCENT = 3, NODES = 0, WHOLE = 1 };

static const uint64_t DETAIL_NS = 1000000000u, PATIENCE_NS = 5000000000u;

struct sums {
    uint64_t seen, count, ns; /* count and ns exclude skipped replays */
};

static struct {
    enum { DETAIL, TRIAL, DECIDED } phase;
    bool whole;
    uint64_t since_ns; /* begin of the phase at its first replay; 0: none yet */
    struct graph {
        uint32_t id;
        struct sums spans[2];
    } graphs[MAX_GRAPHS];
    uint32_t graph_count;
    struct sums calls[2];
    struct open { /* replays whose node records are arriving */
        uint32_t graph, correlation;
        uint64_t start, end;
    } open[MAX_OPEN];
    uint32_t next;
} graphs;

void graphs_read(void) {
    const char *text = secure_getenv("INFERSCOPE_GPU_GRAPHS");
    if (text == NULL || (strcmp(text, "nodes") != 0 && strcmp(text, "whole") != 0)) return;
    graphs.phase = DECIDED;
    graphs.whole = *text == 'w';
}

static void add(struct sums *sums, uint64_t ns) {
    if (sums->seen++ < SKIPPED) return;
    sums->count++;
    sums->ns += ns;
}

static void add_span(uint32_t id, int how, uint64_t start, uint64_t end) {
    uint32_t at = 0;
    while (at < graphs.graph_count && graphs.graphs[at].id != id) at++;
    if (at == MAX_GRAPHS || end <= start) return;
    if (at == graphs.graph_count) graphs.graphs[graphs.graph_count++].id = id;
    add(&graphs.graphs[at].spans[how], end - start);
}

void graphs_node(uint32_t graph, uint32_t correlation, uint64_t start, uint64_t end) {
    if (graphs.phase == DECIDED || start == 0) return;
    for (uint32_t i = 0; i < MAX_OPEN; i++) {
        struct open *open = &graphs.open[i];
        if (open->end == 0 || open->correlation != correlation) continue;
        if (start < open->start) open->start = start;
        if (end > open->end) open->end = end;
        return;
    }
    struct open *oldest = &graphs.open[graphs.next++ % MAX_OPEN];
    if (oldest->end != 0) add_span(oldest->graph, NODES, oldest->start, oldest->end);
    *oldest = (struct open){graph, correlation, start, end};
}

void graphs_whole(uint32_t graph, uint64_t start, uint64_t end) {
    if (graphs.phase == TRIAL) add_span(graph, WHOLE, start, end);
}

void graphs_call(uint64_t ns) {
    if (graphs.phase != DECIDED) add(&graphs.calls[graphs.phase == TRIAL ? WHOLE : NODES], ns);
}

void graphs_are_nodes(void) {
    graphs.phase = DECIDED;
    graphs.whole = false;
}

static uint64_t replays(int how) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < graphs.graph_count; i++) count += graphs.graphs[i].spans[how].count;
    return count;
}

static double mean(const struct sums *sums) { return sums->count == 0 ? 0 : (double)sums->ns / (double)sums->count; }

/* Returns by how many percent a replay takes longer with nodes than as a whole; -1 if no graph was recorded in both
 * ways. */
static double cost_percent(void) {
    double nodes = 0, whole = 0, count = 0;
    for (uint32_t i = 0; i < graphs.graph_count; i++) {
        const struct sums *spans = graphs.graphs[i].spans;
        if (spans[NODES].count < LEAST_REPLAYS || spans[WHOLE].count < LEAST_REPLAYS) continue;
        nodes += mean(&spans[NODES]) * (double)spans[WHOLE].count;
        whole += (double)spans[WHOLE].ns;
        count += (double)spans[WHOLE].count;
    }
    nodes += mean(&graphs.calls[NODES]) * count;
    whole += mean(&graphs.calls[WHOLE]) * count;
    return whole <= 0 ? -1 : 100 * (nodes / whole - 1);
}

static void decide(void) {
    char text[160];
    double percent = cost_percent();
    graphs.phase = DECIDED;
    graphs.whole = percent > LIMIT_PERCENT;
    snprintf(text, sizeof text, "recorded %s: their nodes make a replay %.1f %% longer", graphs.whole ? "as a whole" : "kernel by kernel", percent < 0 ? 0 : percent);
    say_note("cuda_graphs", text);
}

bool graphs_choose(uint64_t now_ns) {
    if (graphs.phase == DECIDED) return graphs.whole;
    bool whole = graphs.phase == TRIAL;
    uint64_t count = replays(whole ? WHOLE : NODES);
    if (graphs.since_ns == 0 && (whole || count > 0)) graphs.since_ns = now_ns;
    if (!whole && count >= REPLAYS && now_ns - graphs.since_ns >= DETAIL_NS) {
        graphs.phase = TRIAL;
        graphs.since_ns = 0;
    } else if (whole && (count >= REPLAYS || (count == 0 && now_ns - graphs.since_ns >= PATIENCE_NS && graphs.calls[WHOLE].count >= REPLAYS))) {
        decide();
    }
    return graphs.phase == TRIAL || graphs.whole;
}
