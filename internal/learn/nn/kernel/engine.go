package kernel

//go:generate go run railyard/internal/learn/nn/kernel/gen

// What products and functions run on: the best that the processor has. All of a
// family give the same bits.
var (
	portable = last(portables())
	fused    = last(fuseds())
	elements = last(elementLoops())
)

func last[T any](list []T) *T { return &list[len(list)-1] }
