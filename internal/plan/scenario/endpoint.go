package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// Endpoint is one end of a flow: a GPU or a NIC of a host.
//
// Invariant: exactly one of GPU and NIC is -1.
type Endpoint struct {
	Host int // from 0; host1 is 0
	GPU  int // from 0, or -1
	NIC  int // from 0, or -1
}

var endpointText = regexp.MustCompile(`^host([1-9][0-9]{0,6})/(gpu|nic)(0|[1-9][0-9]{0,6})$`)

// ParseEndpoint reads hostN/gpuM or hostN/nicM.
func ParseEndpoint(s string) (Endpoint, error) {
	if !endpointText.MatchString(s) {
		return Endpoint{}, fmt.Errorf("%s: want hostN/gpuM or hostN/nicM (hosts from 1, the others from 0), such "+
			"as host1/gpu0", located.Shown(s))
	}
	host, end, _ := strings.Cut(s, "/")
	h, _ := strconv.Atoi(host[len("host"):]) // at most seven digits
	i, _ := strconv.Atoi(end[len("gpu"):])
	if strings.HasPrefix(end, "gpu") {
		return Endpoint{h - 1, i, -1}, nil
	}
	return Endpoint{h - 1, -1, i}, nil
}

// String returns the text that ParseEndpoint reads.
func (e Endpoint) String() string {
	if e.NIC >= 0 {
		return fmt.Sprintf("host%d/nic%d", e.Host+1, e.NIC)
	}
	return fmt.Sprintf("host%d/gpu%d", e.Host+1, e.GPU)
}
