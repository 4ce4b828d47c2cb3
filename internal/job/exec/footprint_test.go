package exec

import (
	"testing"
	"unsafe"
)

// What a forecast takes as the size of a rank's state is that.
func TestStateSize(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"operation", operationSize, unsafe.Sizeof(opState{})},
		{"collective", collRunSize, unsafe.Sizeof(collRun{})},
		{"messages of a collective", exchangeSize, unsafe.Sizeof(exchange{})},
		{"channel", channelSize, unsafe.Sizeof(channelRun{})},
	} {
		if unsafe.Sizeof(uintptr(0)) == 8 && c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}
