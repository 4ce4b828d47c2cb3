#include "textflag.h"

// func Prefetch(line *int64)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVD line+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET
