/* Names of calls, and which calls are not worth a record. */
#include "calls.h"
#include "intern.h"
#include "spool.h"

#include <stdbool.h>
#include <string.h>

enum { CALLS = 4096 };

static struct {
    const struct cupti *cupti;
    const char *names[2][CALLS]; /* CUPTI's own texts; read at the start, because later a lock would be held during the read */
    uint32_t ids[2][CALLS]; /* by domain - 1 and callback: text id of the name, CALL_NOISY, 0 = not looked up */
    uint32_t file;          /* number of the spool file in which the texts were stored */
} calls;

/* Frequent calls that take almost no time and launch nothing. */
static const char *const NOISY_CALLS[] = {
    "cudaGetDevice", "cudaSetDevice", "cudaGetLastError", "cudaPeekAtLastError", "cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxGetDevice",
    "cuDeviceGetAttribute", "cuDevicePrimaryCtxGetState", "cuKernelGetAttribute", "cuFuncGetAttribute", "cuDeviceGet", "cuDeviceGetCount",
    "cuGetProcAddress", "cuModuleGetFunction", "cuKernelGetFunction", "cudaDeviceGetAttribute", "cudaFuncGetAttributes",
    "cuCtxPushCurrent", "cuCtxPopCurrent", "cuGetExportTable", "cudaStreamIsCapturing", "cudaStreamGetCaptureInfo", "cudaEventQuery",
    "cuStreamIsCapturing", "cuStreamGetCaptureInfo", "cuEventQuery", "cuPointerGetAttribute", "cuPointerGetAttributes",
    "cudaPointerGetAttributes", "cuKernelGetName", "cuFuncGetName", "cuCtxGetLimit", "cuGetErrorName", "cuGetErrorString", "cudaGetErrorName",
    "cudaGetErrorString", "cuEventElapsedTime", "cudaEventElapsedTime", NULL};

/* A name matches a call if nothing follows, or only CUPTI's suffix of the version or of streams per thread. */
static bool is_noisy(const char *name) {
    for (const char *const *noisy = NOISY_CALLS; *noisy != NULL; noisy++) {
        size_t length = strlen(*noisy);
        if (strncmp(name, *noisy, length) == 0 && (name[length] == 0 || strncmp(name + length, "_v", 2) == 0 || strncmp(name + length, "_pt", 3) == 0)) return true;
    }
    return false;
}

static const char *call_name(int domain, uint32_t callback) {
    const char *name = NULL;
    if (calls.cupti->callback_name == NULL || calls.cupti->callback_name(domain, callback, &name) != CUPTI_OK) return NULL;
    return name;
}

void calls_prepare(const struct cupti *cupti) {
    calls.cupti = cupti;
    for (int domain = CUPTI_DOMAIN_DRIVER; domain <= CUPTI_DOMAIN_RUNTIME; domain++)
        for (uint32_t callback = 1; callback < CALLS; callback++) {
            const char *name = calls.names[domain - 1][callback] = call_name(domain, callback);
            if (name != NULL && is_noisy(name)) calls.ids[domain - 1][callback] = CALL_NOISY;
        }
}

void calls_silence(void) {
    for (int domain = CUPTI_DOMAIN_DRIVER; domain <= CUPTI_DOMAIN_RUNTIME; domain++) {
        int (*enable)(uint32_t, uint8_t) =
            domain == CUPTI_DOMAIN_DRIVER ? calls.cupti->enable_driver_call : calls.cupti->enable_runtime_call;
        for (uint32_t callback = 1; enable != NULL && callback < CALLS; callback++)
            if (calls.ids[domain - 1][callback] == CALL_NOISY) enable(callback, 0);
    }
}

/* Beginnings and parts of names of the driver's calls, through which those of the runtime pass. The last one is the agent's own. */
static bool is_chosen(const char *name) {
    static const char *const BEGINNINGS[] = {"cuLaunch", "cuGraphLaunch", "cuGraphInstantiate", "cuMemcpy", "cuMemset", "cuMemAlloc", "cuMemFree", "cuModuleLoad", "cuLibraryLoad", "cuDriverGetVersion", NULL};
    for (const char *const *beginning = BEGINNINGS; *beginning != NULL; beginning++)
        if (strncmp(name, *beginning, strlen(*beginning)) == 0) return true;
    return strstr(name, "Synchronize") != NULL;
}

bool calls_choose(bool on) {
    int (*enable)(uint32_t, uint8_t) = calls.cupti->enable_driver_call;
    bool some = false, all = true;
    for (uint32_t callback = 1; enable != NULL && callback < CALLS; callback++) {
        const char *name = calls.names[CUPTI_DOMAIN_DRIVER - 1][callback];
        if (name != NULL && is_chosen(name)) some = true, all &= enable(callback, on) == CUPTI_OK;
    }
    return some && all;
}

static void look_up_again(void) {
    for (int domain = 0; domain < 2; domain++)
        for (uint32_t callback = 1; callback < CALLS; callback++)
            if (calls.ids[domain][callback] != CALL_NOISY) calls.ids[domain][callback] = 0;
    calls.file = spool_file();
}

static void cut(char *text, const char *suffix) {
    char *at = strstr(text, suffix);
    if (at != NULL) *at = 0;
}

/* The name is stored without CUPTI's suffixes, such as _ptsz_v7000: of the version, if it is a runtime call, and of
 * programs whose default stream is the thread's own. */
uint32_t call_id(int domain, uint32_t callback) {
    if (callback >= CALLS) return 0;
    if (calls.file != spool_file()) look_up_again();
    uint32_t *id = &calls.ids[domain - 1][callback];
    if (*id != 0) return *id;
    const char *name = calls.names[domain - 1][callback];
    if (name == NULL) return 0;
    char text[128];
    size_t length = strnlen(name, sizeof text - 1);
    memcpy(text, name, length);
    text[length] = 0;
    cut(text, "_ptsz");
    cut(text, "_ptds");
    char *suffix = strstr(text, "_v");
    if (domain == CUPTI_DOMAIN_RUNTIME && suffix != NULL && suffix[2] >= '0' && suffix[2] <= '9') *suffix = 0;
    return *id = intern_text(text);
}
