/* Finds the libcupti for the program: the one already loaded; otherwise the one of its CUDA runtime; otherwise the
 * system's. */
#include "find.h"
#include "libc_floor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The driver's own generation first, then older ones: a libcupti newer than its driver cannot record. */
static const char *const NAMES_13[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so", NULL};
static const char *const NAMES_12[] = {"libcupti.so.12", "libcupti.so.11.8", "libcupti.so.13", "libcupti.so", NULL};
static const char *const NAMES_11[] = {"libcupti.so.11.8", "libcupti.so.12", "libcupti.so.13", "libcupti.so", NULL};

/* Places of libcupti in wheels and toolkits, relative to the folder of libcudart. */
static const char *const BESIDE_CUDART[] = {"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/", NULL};
static const char *const IN_TOOLKIT[] = {"/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/", "/targets/sbsa-linux/lib/", NULL};

int driver_version(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    int (*version)(int *) = driver == NULL ? NULL : (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    int number = 0;
    return version == NULL || version(&number) != 0 ? 0 : number;
}

static const char *const *names(void) {
    int number = driver_version();
    if (number == 0 || number >= 13000) return NAMES_13;
    return number >= 12000 ? NAMES_12 : NAMES_11;
}

/* Copies the path of the first mapped file whose name begins with name_start. Returns false if there is none. */
static bool mapped_file(const char *name_start, char *path) {
    static char text[1 << 16];
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t held = 0;
    bool found = false;
    for (ssize_t more; maps >= 0 && !found && (more = read(maps, text + held, sizeof text - 1 - held)) > 0;) {
        held += (size_t)more;
        text[held] = 0;
        char *line = text, *end;
        for (; !found && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            char *file = strchr(line, '/'), *name = file == NULL ? NULL : strrchr(file, '/') + 1;
            found = name != NULL && strncmp(name, name_start, strlen(name_start)) == 0 && strlen(file) < PATH_BYTES;
            if (found) strcpy(path, file);
        }
        held = (size_t)(text + held - line);
        memmove(text, line, held);
        if (held == sizeof text - 1) held = 0;
    }
    if (maps >= 0) close(maps);
    return found;
}

bool is_mapped(const char *name_start) {
    char path[PATH_BYTES];
    return mapped_file(name_start, path);
}

bool cupti_path(char *path, size_t path_bytes) {
    char mapped[PATH_BYTES];
    if (!mapped_file("libcupti.so", mapped) || strlen(mapped) >= path_bytes) return false;
    strcpy(path, mapped);
    return true;
}

static void *open_in(const char *folder, const char *below) {
    char path[2 * PATH_BYTES];
    for (const char *const *name = names(); *name != NULL; name++) {
        int length = snprintf(path, sizeof path, "%s%s%s", folder, below, *name);
        if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK) != 0) continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

static void *open_beside_cudart(void) {
    char path[PATH_BYTES];
    if (!mapped_file("libcudart.so", path)) return NULL;
    strrchr(path, '/')[1] = 0;
    void *library = NULL;
    for (const char *const *below = BESIDE_CUDART; library == NULL && *below != NULL; below++) library = open_in(path, *below);
    return library;
}

static void *open_by_name(void) {
    void *library = NULL;
    for (const char *const *name = names(); library == NULL && *name != NULL; name++) library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void *open_in_toolkit(void) {
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (const char *const *below = IN_TOOLKIT; folders[i] != NULL && library == NULL && *below != NULL; below++)
            library = open_in(folders[i], *below);
    return library;
}

void *cupti_open(char *how, size_t how_bytes) {
    char path[PATH_BYTES];
    const char *named = getenv("INFERSCOPE_CUPTI");
    if (named != NULL && *named != 0) {
        void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        snprintf(how, how_bytes, "%s", library != NULL ? "named by INFERSCOPE_CUPTI" : "INFERSCOPE_CUPTI names a file that cannot be loaded");
        return library;
    }
    void *library = mapped_file("libcupti.so", path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const char *where = "the one that the program loaded";
    if (library == NULL && (library = open_beside_cudart()) != NULL) where = "found beside libcudart";
    if (library == NULL && (library = open_by_name()) != NULL) where = "the system's";
    if (library == NULL && (library = open_in_toolkit()) != NULL) where = "found in the CUDA toolkit";
    snprintf(how, how_bytes, "%s", library != NULL ? where
        : "no libcupti was found: not loaded by the program, not beside its libcudart, not on the library path, not in a CUDA toolkit;"
          " install nvidia-cuda-cupti or name the file in INFERSCOPE_CUPTI");
    return library;
}

bool cupti_resolve(void *library, struct cupti *cupti, const char **missing) {
    const struct {
        const char *name;
        void *at;
        bool needed;
    } wanted[] = {
        {"cuptiActivityRegisterCallbacks", &cupti->register_callbacks, true},
        {"cuptiActivityEnable", &cupti->enable, true},
        {"cuptiActivityDisable", &cupti->disable, true},
        {"cuptiActivityFlushAll", &cupti->flush_all, true},
        {"cuptiActivityGetNextRecord", &cupti->next_record, true},
        {"cuptiActivityGetNumDroppedRecords", &cupti->dropped_records, true},
        {"cuptiGetTimestamp", &cupti->timestamp, true},
        {"cuptiActivityEnableAndDump", &cupti->enable_and_dump, false},
        {"cuptiGetVersion", &cupti->version, false},
        {"cuptiGetCallbackName", &cupti->callback_name, false},
        {"cuptiActivityEnableRuntimeApi", &cupti->enable_runtime_call, false},
        {"cuptiActivityEnableDriverApi", &cupti->enable_driver_call, false},
        {"cuptiGetResultString", &cupti->result_text, false},
        {"cuptiSubscribe", &cupti->subscribe, false},
        {"cuptiUnsubscribe", &cupti->unsubscribe, false},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = dlsym(library, wanted[i].name);
        if (function == NULL && wanted[i].needed) {
            *missing = wanted[i].name;
            return false;
        }
        memcpy(wanted[i].at, &function, sizeof function);
    }
    return true;
}
