#include "textflag.h"

// func Prefetch(line *int64)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVQ line+0(FP), AX
	PREFETCHT0 (AX)
	RET

// func PrefetchLines(first *int64, lines int64)
TEXT ·PrefetchLines(SB), NOSPLIT, $0-16
	MOVQ first+0(FP), AX
	MOVQ lines+8(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JG   next
	RET
