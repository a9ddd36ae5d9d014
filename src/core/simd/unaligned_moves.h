// Windows aligns the stack to 16 bytes, and GCC spills vectors of 32 and 64 bytes there with moves
// that want their alignment (GCC bug 54412). These macros of the assembler turn such moves into
// moves that want none, which are as fast, in the file that includes this one. Link-time
// optimisation would assemble it elsewhere: Makevars.win compiles these files without. No include
// guard: for the files of AVX code.
#if defined(_WIN32) && !defined(__clang__)
// clang-format off
__asm__(
    ".macro vmovapd operands:vararg\n vmovupd \\operands\n.endm\n"
    ".macro vmovaps operands:vararg\n vmovups \\operands\n.endm\n"
    ".macro vmovdqa operands:vararg\n vmovdqu \\operands\n.endm\n"
    ".macro vmovdqa32 operands:vararg\n vmovdqu32 \\operands\n.endm\n"
    ".macro vmovdqa64 operands:vararg\n vmovdqu64 \\operands\n.endm\n");
// clang-format on
#endif
