//go:build linux

package main

import "fmt"

// star is the topology of every run: hosts on a switch.
const star = `switch s1
host host1
host host2
host host3
host host4
host host5
host host6
host host7
host host8
host host9
link host1 s1 100Gb/s 2m
link host2 s1 100Gb/s 2m
link host3 s1 100Gb/s 2m
link host4 s1 100Gb/s 2m
link host5 s1 100Gb/s 2m
link host6 s1 100Gb/s 2m
link host7 s1 100Gb/s 2m
link host8 s1 100Gb/s 2m
link host9 s1 100Gb/s 2m
`

// runsOf is a scenario that takes some 50 ms of a core: eight hosts send to one, and some of it is lost.
const runsOf = `  cluster: {hosts: 9, host: {gpus: 1}, nic: {speed: 100Gb/s}}
  fabric: {design: custom, topology: %s, qos: {pfc: {enabled: false}}}
  job: {collectives: [{op: gather, bytes: 76MB, iterations: 1, warmup: 0}]}
`

// sweepFile is a sweep with so many runs, in hundreds.
func (t *try) sweepFile() string {
	return fmt.Sprintf("name: fleet\nscenario:\n"+runsOf+"axes:\n  - {key: fabric.switch.buffer, range: 1MB..20MB 10}\nseeds: 1..%d\n",
		t.shared("star.txt"), t.runs/10)
}
