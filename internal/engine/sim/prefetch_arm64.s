#include "textflag.h"

// func Prefetch(line *int64)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVD line+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET

// func PrefetchLines(first *int64, lines int64)
TEXT ·PrefetchLines(SB), NOSPLIT, $0-16
	MOVD first+0(FP), R0
	MOVD lines+8(FP), R1

next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $1, R1
	BGT  next
	RET
