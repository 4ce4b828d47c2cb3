package kernel

// What products run on: the best that the processor has. All engines of a family
// give the same bits.
var (
	portable = last(portables())
	fused    = last(fuseds())
)

func last(list []engine) *engine { return &list[len(list)-1] }
