/* Repeated values of records (names, streams, launch configurations) are stored once in each file of the spool, under
 * an id that does not change. */
#include "intern.h"
#include "libc_floor.h"
#include "spool.h"
#include "table.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MAX_TEXT = 8192 };

static struct table texts, lanes, configurations;

/* Names by address. */
struct named {
    const char *name;   /* CUPTI's own text */
    const char *text;   /* a copy of it, because the address may be reused */
    uint32_t id, buffer; /* the buffer in which the two were last compared */
    uint32_t file;       /* number of the spool file in which the id was last stored */
};

static struct {
    struct named *slots;
    uint32_t slot_count, used, buffer;
} names;

/* Returns whether the entry must be stored, after giving it its id. */
static bool is_new(struct entry *entry, const struct table *table) {
    if (entry->file == spool_file()) return false;
    if (entry->id == 0) entry->id = table->used;
    entry->file = spool_file();
    return true;
}

uint32_t intern_text(const char *text) {
    size_t length = text == NULL ? 0 : strnlen(text, MAX_TEXT);
    if (length == 0) return 0;
    struct entry *entry = table_find(&texts, text, (uint32_t)length);
    if (entry == NULL || !is_new(entry, &texts)) return entry == NULL ? 0 : entry->id;
    uint8_t *record = spool_begin((uint32_t)((SPOOL_STRING_TEXT + length + 7) & ~(size_t)7));
    if (record == NULL) return entry->id;
    put32(record, SPOOL_STRING_ID, entry->id);
    put32(record, SPOOL_STRING_SIZE_BYTES, (uint32_t)length);
    memcpy(record + SPOOL_STRING_TEXT, text, length);
    spool_end(record, SPOOL_STRING);
    return entry->id;
}

typedef char *(*demangle_fn)(const char *name, char *buffer, size_t *bytes, int *status);

static demangle_fn demangler;

void intern_prepare(void) {
    demangler = (demangle_fn)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangler != NULL ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) demangler = (demangle_fn)dlsym(library, "__cxa_demangle");
}

static void (*teller)(const char *name, uint32_t text);

void intern_tell(void (*told)(const char *name, uint32_t text)) { teller = told; }

static uint32_t intern_demangled(const char *name) {
    demangle_fn demangle = strncmp(name, "_Z", 2) == 0 ? demangler : NULL;
    int status = -1;
    char *text = demangle == NULL ? NULL : demangle(name, NULL, NULL, &status);
    uint32_t id = intern_text(text != NULL && status == 0 ? text : name);
    free(text);
    if (teller != NULL) teller(name, id);
    return id;
}

static bool grow_names(void) {
    uint32_t slot_count = names.slots == NULL ? FIRST_SLOTS : names.slot_count * 2;
    struct named *slots = slot_count > MAX_SLOTS ? NULL : fresh_memory(slot_count * sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t i = 0; i < names.slot_count; i++) {
        if (names.slots[i].name == NULL) continue;
        uint32_t at = (uint32_t)mix_bits((uintptr_t)names.slots[i].name) & (slot_count - 1);
        while (slots[at].name != NULL) at = (at + 1) & (slot_count - 1);
        slots[at] = names.slots[i];
    }
    if (names.slots != NULL) munmap(names.slots, names.slot_count * sizeof *slots);
    names.slots = slots;
    names.slot_count = slot_count;
    return true;
}

void intern_next_buffer(void) { names.buffer++; }

/* All names of a buffer exist when the buffer is delivered, so within a buffer an address has one content, which is
 * compared once. */
uint32_t intern_name(const char *name) {
    if (name == NULL) return 0;
    if (names.used * 2 >= names.slot_count && !grow_names()) return intern_demangled(name);
    uint32_t at = (uint32_t)mix_bits((uintptr_t)name) & (names.slot_count - 1);
    while (names.slots[at].name != NULL && names.slots[at].name != name) at = (at + 1) & (names.slot_count - 1);
    struct named *named = &names.slots[at];
    if (named->name == name && (named->buffer == names.buffer || strncmp(named->text, name, MAX_TEXT - 1) == 0)) {
        named->buffer = names.buffer;
        if (named->file != spool_file()) intern_demangled(name);
        named->file = spool_file();
        return named->id;
    }
    uint32_t id = intern_demangled(name);
    size_t length = strnlen(name, MAX_TEXT - 1);
    uint8_t *text = keep_bytes(name, length + 1);
    if (text == NULL) return id;
    text[length] = 0;
    if (named->name == NULL) names.used++;
    *named = (struct named){name, (const char *)text, id, names.buffer, spool_file()};
    return id;
}

/* Streams and launch configurations repeat after few others, so a table of the last ones with a cheap hash is searched
 * before the whole table. */
enum { LANE_WORDS = 3, RECENT_LANES = 16, RECENT_CONFIGURATIONS = 256 };

uint32_t intern_lane(uint32_t device, uint32_t context, uint32_t stream) {
    static struct {
        uint32_t words[LANE_WORDS], id, file;
    } recent[RECENT_LANES], *last;
    uint32_t words[LANE_WORDS] = {device, context, stream};
    last = &recent[(stream + context * 5 + device * 7) % RECENT_LANES];
    if (last->file == spool_file() && memcmp(last->words, words, sizeof words) == 0) return last->id;
    struct entry *entry = table_find(&lanes, words, sizeof words);
    if (entry == NULL) return 0;
    if (is_new(entry, &lanes)) {
        uint8_t *record = spool_begin(SPOOL_LANE_BYTES);
        if (record == NULL) return entry->id;
        put32(record, SPOOL_LANE_ID, entry->id);
        memcpy(record + SPOOL_LANE_DEVICE, words, sizeof words);
        spool_end(record, SPOOL_LANE);
    }
    memcpy(last->words, words, sizeof words);
    last->file = spool_file();
    return last->id = entry->id;
}

uint32_t intern_configuration(const uint32_t words[CONFIGURATION_WORDS]) {
    static struct {
        uint32_t words[CONFIGURATION_WORDS], id, file;
    } recent[RECENT_CONFIGURATIONS], *last;
    uint32_t sum = (words[0] + words[1] * 31 + words[2] * 97 + words[3] * 7 + words[4] * 131 + words[6] * 17 + words[8]) * 0x9e3779b1u;
    last = &recent[sum >> 24];
    if (last->file == spool_file() && memcmp(last->words, words, sizeof last->words) == 0) return last->id;
    struct entry *entry = table_find(&configurations, words, sizeof last->words);
    if (entry == NULL) return 0;
    if (is_new(entry, &configurations)) {
        uint8_t *record = spool_begin(SPOOL_CONFIGURATION_BYTES);
        if (record == NULL) return entry->id;
        put32(record, SPOOL_CONFIGURATION_ID, entry->id);
        memcpy(record + SPOOL_CONFIGURATION_GRID_X, words, sizeof last->words);
        spool_end(record, SPOOL_CONFIGURATION);
    }
    memcpy(last->words, words, sizeof last->words);
    last->file = spool_file();
    return last->id = entry->id;
}
