/* A libcuda whose calls take no time, to measure what hooks of them take. */
#include <stdint.h>
#include <dlfcn.h>
#include <stddef.h>

int cuInit(unsigned flags) { return (void)flags, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { static char many[64]; static int used; return (void)module, (void)name, *function = &many[used++ & 63], 0; }
int cuStreamCreate(void **stream, unsigned flags) { static int one; return (void)flags, *stream = &one, 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { static int one; return (void)device, *context = &one, 0; }
static __thread void *current;
int cuCtxSetCurrent(void *context) { return current = context, 0; }
int cuCtxGetCurrent(void **context) { return *context = current, 0; }
int cuFuncGetName(const char **name, void *function) { return (void)function, *name = "kernel", 0; }
__attribute__((noinline)) int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **values, void **extra) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)values, (void)extra;
    __asm__ volatile("");
    return 0;
}
static int nothing(void) { return 0; }
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    (void)version, (void)flags, (void)status;
    void *found = dlsym(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), name);
    return *function = found != NULL ? found : (void *)nothing, 0;
}
