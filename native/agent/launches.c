/* Launches that the preloaded hooks see. The hooks stamp with the processor's counter; two readings of the clocks, before and after, map it to
 * CUPTI's clock, so that launches and operations have one clock. */
#include "launches.h"
#include "../launches/launches.h"
#include "intern.h"
#include "levels.h"
#include "libc_floor.h"
#include "notes.h"
#include "running.h"
#include "spool.h"
#include "threads.h"
#include "windows.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A hook that was interrupted while it fills a slot holds up those behind it for so many rounds at most. */
enum { PATIENT_ROUNDS = 5 };

static struct {
    struct launches *hooks; /* NULL: there are none */
    struct moment before;   /* the reading before the launches that are not stored yet */
    uint64_t lost;          /* of the hooks' count, stored as lost so far */
    uint32_t waited;
} launches;

/* Stores that a kernel's name has a hash. */
static void store_hash(const char *mangled, uint32_t text) {
    uint8_t *record = spool_begin(SPOOL_KERNEL_HASH_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_KERNEL_HASH_NAME, text);
    put32(record, SPOOL_KERNEL_HASH_HASH, launches_hash(mangled));
    spool_end(record, SPOOL_KERNEL_HASH);
}

void launches_prepare(void *library) {
    enum gpu_detail detail = levels_detail();
    if (detail == DETAIL_FULL && !levels_adapt()) return;
    pthread_mutex_lock(&agent.storing);
    say_note("gpu_detail", levels_adapt() ? "auto" : detail == DETAIL_LAUNCHES ? "launches" : "kernels");
    pthread_mutex_unlock(&agent.storing);
    if (detail == DETAIL_KERNELS) return;
    launches.hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    if (launches.hooks != NULL && launches.hooks->version != LAUNCHES_VERSION) launches.hooks = NULL;
    if (launches.hooks == NULL) {
        pthread_mutex_lock(&agent.storing);
        say_coverage(levels_adapt() ? "everything is recorded whatever it costs: launches, which show the cost, are not counted, because their hooks were not preloaded into the process"
                                    : "launches are not recorded: their hooks were not preloaded into the process, as `inferscope run --gpu-detail launches` does",
            SPOOL_STATUS_NOT_RECORDED);
        pthread_mutex_unlock(&agent.storing);
        return;
    }
    launches.hooks->context_id = (int (*)(void *, uint32_t *))dlsym(library, "cuptiGetContextId");
    launches.hooks->stream_id = (int (*)(void *, void *, uint8_t, uint32_t *))dlsym(library, "cuptiGetStreamIdEx");
    launches.hooks->graph_id = (int (*)(void *, uint32_t *))dlsym(library, "cuptiGetGraphExecId");
    intern_tell(store_hash);
    if (windows_are_asked()) levels_count(launches.hooks);
}

void launches_record(bool on) {
    if (launches.hooks != NULL) __atomic_store_n(&launches.hooks->on, on && levels_detail() == DETAIL_LAUNCHES, __ATOMIC_RELEASE);
}

static uint64_t cupti_ns(uint64_t ticks, const struct moment *now) {
    double rate = (double)(int64_t)(now->cupti - launches.before.cupti) / (double)(int64_t)(now->ticks - launches.before.ticks);
    return launches.before.cupti + (uint64_t)(int64_t)((double)(int64_t)(ticks - launches.before.ticks) * rate);
}

static void store(const struct launch *launch, const struct moment *now) {
    uint32_t tid = thread_of(launch->thread), name = intern_text(launches.hooks->names[launch->call]);
    uint8_t *record = spool_begin(SPOOL_LAUNCH_BYTES);
    if (record == NULL) return;
    spool_flags(record, tid == 0 ? SPOOL_LAUNCH_FLAG_THREAD_UNKNOWN : 0);
    put64(record, SPOOL_TIMED_START_CUPTI_NS, cupti_ns(launch->begin, now));
    put64(record, SPOOL_TIMED_END_CUPTI_NS, cupti_ns(launch->end, now));
    put32(record, SPOOL_LAUNCH_TID, tid != 0 ? tid : launch->thread);
    put64(record, SPOOL_LAUNCH_SEQUENCE, launch->sequence);
    put64(record, SPOOL_LAUNCH_SIZE_BYTES, launch->size);
    put32(record, SPOOL_LAUNCH_NAME, name);
    put32(record, SPOOL_LAUNCH_CONTEXT, launch->context);
    put32(record, SPOOL_LAUNCH_STREAM, launch->stream);
    put32(record, SPOOL_LAUNCH_FUNCTION, launch->function);
    put16(record, SPOOL_LAUNCH_WORK, launch->work);
    spool_end(record, SPOOL_LAUNCH);
}

void launches_take(const struct moment *now) {
    struct launches *hooks = launches.hooks;
    if (hooks == NULL) return;
    if (launches.before.ticks == 0 || now->ticks <= launches.before.ticks || now->cupti == 0) {
        if (now->cupti != 0) launches.before = *now;
        return;
    }
    uint64_t head = __atomic_load_n(&hooks->head, __ATOMIC_ACQUIRE), at = hooks->tail, lost = __atomic_load_n(&hooks->lost, __ATOMIC_RELAXED);
    threads_round();
    for (; at < head; at++) {
        const struct launch *launch = &hooks->ring[at % LAUNCHES_ROOM];
        if (__atomic_load_n(&launch->sequence, __ATOMIC_ACQUIRE) == at + 1) {
            store(launch, now);
            launches.waited = 0;
        } else if (++launches.waited < PATIENT_ROUNDS) {
            break; /* A hook fills it now. */
        } else {
            lost++;
            launches.lost++;
        }
        __atomic_store_n(&hooks->tail, at + 1, __ATOMIC_RELEASE);
    }
    if (lost > launches.lost) spool_lost(lost - launches.lost);
    launches.lost = lost;
    if (at == head) launches.before = *now; /* Otherwise the launch that is being filled began before now. */
}
