package rdma

import (
	"context"
	"net/netip"
	"path/filepath"
	"testing"

	"railyard/internal/engine/endpoint"
)

// Every operation over Ethernet frames in unix sockets: no UDP socket, and addresses that this machine has not got.
func TestMeasurementsInFrames(t *testing.T) {
	at, server := serve(t, "127.0.43.1")
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	for _, gid := range [][2]string{{"10.0.0.1", "10.0.0.2"}, {"fd00::1", "fd00::2"}} {
		server.Open = func() (*endpoint.Endpoint, error) {
			return endpoint.OpenFrames(netip.MustParseAddr(gid[0]), here, there, nil, nil)
		}
		for _, op := range Operations() {
			c := Client{Server: at, Addr: netip.MustParseAddr(gid[1]), Test: Test{Op: op, Size: 8, Iterations: 20, MTU: 1024, Depth: 8},
				Open: func(own netip.Addr) (*endpoint.Endpoint, error) {
					return endpoint.OpenFrames(own, there, here, nil, nil)
				}}
			if op == "write_bw" || op == "send_bw" || op == "read_bw" {
				c.Test.Size = 100_000
			}
			r, err := c.Run(context.Background())
			if err != nil {
				t.Fatalf("%s at %v: %v", op, gid, err)
			}
			if !r.Raw || r.ServerSide.Peer != gid[1] {
				t.Errorf("%s: %+v", op, r)
			}
		}
	}
}
