//go:build !amd64 && !arm64

package kernel

func portables() []engine { return []engine{portableGo()} }
func fuseds() []engine    { return []engine{fusedGo()} }

func elementLoops() []loops { return []loops{goLoops()} }
