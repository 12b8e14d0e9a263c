# What a borrowed thread runs (RemoteLibraryCall.java holds its bytes, and what the block is): it loads a library and calls one of its functions, then goes on
# with what it did. On entry rsp is at the block, a multiple of 64; above the block nothing is touched.
#
#   rbx + 0 dlopen   8 dlsym   16 library   24 function   32 argument   40 number   48 signals to block   56 signals that the thread blocks
#   64 signals that interrupt its system call   72 those pending   80 r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi
#   200 flags   208 rsp   216 whether it was interrupted
#
# Signals wait meanwhile: a handler, or a cancellation, would run while locks of the allocator and the loader are held. One that comes has the system
# call interrupted instead of made again, as if it had come while the thread waited.
    .intel_syntax noprefix
    .text
    mov rbx, rsp
    sub rsp, 4096
    cld
    xor eax, eax                # The header of the area must be zero.
    lea rdi, [rsp + 512]
    mov ecx, 8
    rep stosq
    mov eax, 0xe7               # x87, SSE, AVX, AVX-512
    xor edx, edx
    xsave64 [rsp]
    mov eax, 14                 # rt_sigprocmask
    xor edi, edi                # SIG_BLOCK
    lea rsi, [rbx + 48]
    lea rdx, [rbx + 56]
    mov r10d, 8
    syscall
    mov rdi, [rbx + 16]
    mov esi, 2                  # RTLD_NOW
    call [rbx]
    test rax, rax
    jz 1f
    mov rdi, rax
    mov rsi, [rbx + 24]
    call [rbx + 8]
    test rax, rax
    jz 1f
    mov rdi, [rbx + 32]
    mov rsi, [rbx + 40]
    call rax
1:  mov eax, 127                # rt_sigpending
    lea rdi, [rbx + 72]
    mov esi, 8
    syscall
    mov rax, [rbx + 72]
    and rax, [rbx + 64]
    jz 2f
    mov [rbx + 216], rax
    mov qword ptr [rbx + 160], -4 # EINTR
2:  mov eax, 14
    mov edi, 2                  # SIG_SETMASK
    lea rsi, [rbx + 56]
    xor edx, edx
    mov r10d, 8
    syscall
    mov eax, 0xe7
    xor edx, edx
    xrstor64 [rsp]
    lea rsp, [rbx + 80]
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    pop r11
    pop r10
    pop r9
    pop r8
    pop rax
    pop rcx
    pop rdx
    pop rsi
    pop rdi
    cmp qword ptr [rsp + 16], 0
    jne 3f
    popfq
    mov rsp, [rsp]
    jmp [rip + 4f]
3:  popfq
    mov rsp, [rsp]
    jmp [rip + 5f]
    .balign 8, 0x90
4:  .quad 0
5:  .quad 0
