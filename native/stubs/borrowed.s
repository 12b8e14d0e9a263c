# What a borrowed thread runs (BorrowedThread.java holds its bytes, and what the block is): it loads a library and calls one of its functions, then goes on
# with what it did. On entry rsp is at the block, a multiple of 64; above the block nothing is touched.
#
#   rbx + 0 dlopen   8 dlsym   16 library   24 function   32 argument   40 number   48 r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi
#   168 flags   176 rsp
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
1:  mov eax, 0xe7
    xor edx, edx
    xrstor64 [rsp]
    lea rsp, [rbx + 48]
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
    popfq
    mov rsp, [rsp]
    jmp [rip + 2f]
    .balign 8, 0x90
2:  .quad 0
