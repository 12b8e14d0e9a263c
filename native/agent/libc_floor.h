/* Binds functions that glibc 2.34 moved to their earlier symbol version, so that the agent loads from glibc 2.17 on. */
#ifndef INFERSCOPE_LIBC_FLOOR_H
#define INFERSCOPE_LIBC_FLOOR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LIBC_BASE "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define LIBC_BASE "GLIBC_2.17"
#else
#error "the agent is built for x86-64 and aarch64"
#endif

__asm__(".symver dlopen,dlopen@" LIBC_BASE);
__asm__(".symver dlsym,dlsym@" LIBC_BASE);
__asm__(".symver dlclose,dlclose@" LIBC_BASE);
__asm__(".symver pthread_create,pthread_create@" LIBC_BASE);
__asm__(".symver pthread_attr_setstacksize,pthread_attr_setstacksize@" LIBC_BASE);
__asm__(".symver pthread_detach,pthread_detach@" LIBC_BASE);

/* glibc has fstat as a function only since 2.33. On both architectures its struct is the kernel's. */
static inline bool status_of(int file, struct stat *status) { return syscall(SYS_fstat, file, status) == 0; }

#endif
