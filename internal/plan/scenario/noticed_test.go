package scenario

import "testing"

// Without a drop threshold nothing is dropped by it.
func TestNoDropThreshold(t *testing.T) {
	var q QoS
	if got := q.Drops(); got.Bytes != 0 {
		t.Errorf("%v", got)
	}
}

// What a file says is given; of the rest the source is that of the default.
func TestSourcesOfValues(t *testing.T) {
	s, err := Parse("a.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 200Gb/s}}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, f := range s.Fields() {
		given[f.Path] = f.Source == "given"
	}
	for path, want := range map[string]bool{"cluster.nic.speed": true, "cluster.hosts": true, "transport.mtu": false, "seed": false} {
		if given[path] != want {
			t.Errorf("%s is given: %v, want %v", path, given[path], want)
		}
	}
}
