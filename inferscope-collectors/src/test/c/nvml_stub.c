/* A libnvidia-ml.so.1 for tests: two devices whose counters are known. Signatures and numbers: NVML API reference.
 * Build with -DDRIVER_BEFORE_535 for a driver without nvmlDeviceGetCurrentClocksEventReasons, with -DINIT_CODE=n for one whose
 * nvmlInit_v2 returns n. The first device's utilisation goes up by one at every reading. */
#include <string.h>

#ifndef INIT_CODE
#define INIT_CODE 0
#endif
#define NOT_SUPPORTED 3
#define INSUFFICIENT_SIZE 7

typedef struct device { int index; } *device_t;
static struct device devices[2] = {{0}, {1}};
static unsigned readings;

int nvmlInit_v2(void) { return INIT_CODE; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_t *device) {
    *device = &devices[index];
    return index < 2 ? 0 : 2;
}

int nvmlDeviceGetName(device_t device, char *name, unsigned length) {
    (void)device;
    strncpy(name, "NVIDIA Stub 80GB", length);
    return 0;
}

int nvmlDeviceGetUUID(device_t device, char *uuid, unsigned length) {
    strncpy(uuid, device->index ? "GPU-11111111-2222" : "GPU-00000000-1111", length);
    return 0;
}

int nvmlDeviceGetUtilizationRates(device_t device, unsigned rates[2]) {
    rates[0] = device->index ? 0 : 40 + readings++ % 10;
    rates[1] = 25;
    return device->index ? NOT_SUPPORTED : 0;
}

int nvmlDeviceGetMemoryInfo(device_t device, unsigned long long memory[3]) {
    memory[0] = 80ULL << 30;
    memory[2] = (10ULL + (unsigned)device->index) << 30;
    memory[1] = memory[0] - memory[2];
    return 0;
}

int nvmlDeviceGetClockInfo(device_t device, int type, unsigned *mhz) { (void)device; *mhz = type == 2 ? 2619 : 1410; return 0; }
int nvmlDeviceGetMaxClockInfo(device_t device, int type, unsigned *mhz) { (void)device; *mhz = type == 2 ? 2619 : 1980; return 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(device_t device, unsigned long long *bits) { (void)device; *bits = 0x4; return 0; }
#ifndef DRIVER_BEFORE_535
int nvmlDeviceGetCurrentClocksEventReasons(device_t device, unsigned long long *bits) { (void)device; *bits = 0x24; return 0; }
#endif
int nvmlDeviceGetPcieThroughput(device_t device, int direction, unsigned *kilobytes) { (void)device; *kilobytes = direction ? 2000 : 1000; return 0; }
int nvmlDeviceGetPowerUsage(device_t device, unsigned *milliwatts) { (void)device; *milliwatts = 312500; return 0; }
int nvmlDeviceGetEnforcedPowerLimit(device_t device, unsigned *milliwatts) { (void)device; *milliwatts = 700000; return 0; }
int nvmlDeviceGetTemperature(device_t device, int sensor, unsigned *celsius) { (void)device; (void)sensor; *celsius = 61; return 0; }

/* The first device has two processes: a list too short for them is refused with their number. The second has none. */
int nvmlDeviceGetComputeRunningProcesses_v3(device_t device, unsigned *count, void *processes) {
    unsigned room = *count, there = device->index ? 0 : 2;
    (void)processes;
    *count = there;
    return room < there ? INSUFFICIENT_SIZE : 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(device_t device, unsigned *generation) { *generation = 5; return device->index ? NOT_SUPPORTED : 0; }
int nvmlDeviceGetCurrPcieLinkWidth(device_t device, unsigned *lanes) { (void)device; *lanes = 16; return 0; }

int nvmlDeviceGetTotalEccErrors(device_t device, int kind, int counter, unsigned long long *errors) {
    (void)device;
    *errors = counter == 0 ? (kind == 1 ? 0 : 7) : 999;
    return 0;
}
