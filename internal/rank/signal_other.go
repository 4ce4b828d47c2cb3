//go:build unix && !linux

package rank

import "runtime"

// noSignal: the runtime makes an error of SIGPIPE on descriptors beyond stderr.
const noSignal = 0

// yield lets another goroutine have the processor.
func yield() { runtime.Gosched() }
