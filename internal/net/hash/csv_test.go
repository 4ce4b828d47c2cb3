package hash

import (
	"errors"
	"testing"

	"railyard/internal/base/located"
)

// Whatever the bytes, a file of flows is read or refused with places in it.
func FuzzReadFlows(f *testing.F) {
	f.Add([]byte("src,dst,src_port,dst_port,protocol,qp\n10.0.0.1,10.0.0.2,49152,4791,udp,17\n"))
	f.Add([]byte("\xef\xbb\xbf# x\r\nqp, dst,src,dst_port,src_port\r\n0x11,1.2.3.4,4.3.2.1,1,2\r\n"))
	f.Add([]byte("src,src\n,,,\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		flows, err := ReadFlows("f.csv", src)
		var problems located.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("%v: not located", err)
		}
		if err == nil && len(flows) == 0 {
			t.Fatal("neither flows nor an error")
		}
	})
}

func TestColumnsInAnyOrder(t *testing.T) {
	flows, err := ReadFlows("f.csv", []byte("\xef\xbb\xbf# x\r\nqp, dst,src,dst_port,src_port\r\n0x11,1.2.3.4,4.3.2.1,1,2\r\n"))
	want := Flow{SrcIP: 0x04030201, DstIP: 0x01020304, SrcPort: 2, DstPort: 1, Protocol: UDP, QP: 17}
	if err != nil || len(flows) != 1 || flows[0] != want {
		t.Errorf("%+v, %v, want %+v", flows, err, want)
	}
	if got := Address(want.SrcIP); got != "4.3.2.1" {
		t.Errorf("address %s", got)
	}
}
