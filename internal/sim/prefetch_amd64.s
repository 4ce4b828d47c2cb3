#include "textflag.h"

// func Prefetch(line *int64)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVQ line+0(FP), AX
	PREFETCHT0 (AX)
	RET
