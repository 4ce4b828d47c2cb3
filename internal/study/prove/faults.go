package prove

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// stuckFor is how long the neighbour sends pauses: longer than a watchdog waits.
const stuckFor = unit.Second

// stuck has a host send pause frames without end, while another sends to it and to a third.
func stuck(s *subject) (*scene, string) {
	w := s.device.QoS.Watchdog
	if strings.Contains(s.finding.Text, "looks every") {
		return nil, "how often a watchdog looks is in no model: a run's acts when its time is over"
	}
	if strings.Contains(s.finding.Text, "guaranteed bandwidth") {
		return nil, "that a watchdog passes over a queue is the platform's, and not in the model"
	}
	if w.Detect > stuckFor/2 {
		return nil, fmt.Sprintf("the watchdog acts after %v: a proof takes no so long", w.Detect)
	}
	return &scene{
		network: fmt.Sprintf("a host sends 4 MB to one that pauses its port for %v, and 4 MB to a third, %s",
			stuckFor, s.rate.Human()),
		yaml: s.star(4, ", pfc: {watchdog: {detect: 200ms, restore: 200ms}}}\ncongestion: {algorithm: none}\n"+
			"transport: {timeout: none}\nfaults: [{link: \"rail1/host4\", storm: 1s, at: 1us}]",
			"{name: stuck, from: host1/gpu0, to: host4/gpu0, bytes: 4MB}", to(3, "4MB", 1)[0]),
		how: "the watchdog is on", broken: all(s.itself()),
		mended: all(s.edit(func(d *netconf.Device, _ *netconf.Profile, i *netconf.Interface) {
			d.QoS.Watchdog.On, i.QoS.Watchdog = true, true
		})),
	}, ""
}

// watchdogWords shows words of the watchdog that are none, and on Cumulus a class that nobody marks.
func watchdogWords(s *subject) (*scene, string) {
	if s.dialect == "nvue" {
		return lossyData(s)
	}
	return stuck(s)
}

// polarised has flows cross two tiers whose switches hash alike, or each in its own way.
func polarised(s *subject) (*scene, string) {
	var flows []string
	for h := range 8 {
		flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: 1MB}", h+1, h+9))
	}
	yaml := fmt.Sprintf(`name: proof
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: %[1]dMb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 4
  pods: 2
  superspines: 4
  links: {spine: %[5]dMb/s, superspine: %[1]dMb/s}
  qos: {dscp: %[2]d, cnp_dscp: %[3]d}
congestion: {algorithm: none}
job: {flows: [%[4]s]}
`, s.rate/unit.MegabitPerSec, s.dscp, s.cnp, strings.Join(flows, ", "), 4*s.rate/unit.MegabitPerSec)
	number := map[string]uint32{}
	return &scene{
		network: fmt.Sprintf("eight hosts of a pod send 1 MB each to eight of another, over leaves, spines and super-spines, %s, "+
			"from leaf to spine four times that", s.rate.Human()),
		yaml: yaml, chosen: true, how: "each switch hashes with a seed of its own",
		broken: all(s.itself()),
		mended: func(sw string, _ int) side {
			if number[sw] == 0 {
				number[sw] = uint32(len(number)) + 1
			}
			d := s.device.Clone()
			d.Balance.Seed = number[sw]
			return side{d, s.port}
		},
	}, ""
}

// circle has two links fail where spines pass on each other's routes: four ports may then wait for each other.
func circle(s *subject) (*scene, string) {
	var flows []string
	for _, f := range [][2]int{{1, 3}, {2, 4}, {3, 1}, {4, 2}, {5, 7}, {6, 8}, {7, 5}, {8, 6}} {
		flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: 4MB}", f[0], f[1]))
	}
	yaml := func(as string) string {
		return fmt.Sprintf(`name: proof
seed: 5
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: %[1]dMb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  spines: 2
  links: {spine: %[1]dMb/s}
  switch: {buffer: 1MB}
  routing: {spine_as: %[4]s}
  qos: {dscp: %[2]d, cnp_dscp: %[3]d}
congestion: {algorithm: none}
faults:
  - {link: leaf2/spine1, down: 300us, convergence: 0s}
  - {link: leaf1/spine2, down: 300us, convergence: 0s}
job: {flows: [%[5]s]}
`, s.rate/unit.MegabitPerSec, s.dscp, s.cnp, as, strings.Join(flows, ", "))
	}
	return &scene{
		network: fmt.Sprintf("eight hosts of four leaves send 4 MB each over two spines while two links are down for 300 us, %s",
			s.rate.Human()),
		yaml: yaml("unique"), mendedYAML: yaml("shared"), how: "all spines have one AS number, so no path goes down and up again",
		broken: all(s.itself()), mended: all(s.itself()),
	}, ""
}
