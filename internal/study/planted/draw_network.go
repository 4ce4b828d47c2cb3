package planted

import (
	"fmt"
	"strings"
)

var networkFamilies = []Family{
	{"incast", drawIncast},
	{"incast-collective", drawIncastCollective},
	{"incast-replay", drawIncastReplay},
	{"written-path", drawWrittenPath},
	{"hash-collision", drawHashCollision},
	{"polarisation", drawPolarisation},
	{"oversubscription", drawOversubscription},
	{"slow-named", drawSlowNamed},
	{"slow-cable", drawSlowCable},
	{"slow-spine-sprayed", drawSlowSpineSprayed},
	{"lossy", drawLossy},
	{"flap", drawFlap},
	{"class-of-a-leaf", drawClassOfALeaf},
	{"no-room", drawNoRoom},
	{"victim", drawVictim},
	{"storm", drawStorm},
	{"deadlock", drawDeadlock},
	{"slow-host", drawSlowHost},
	{"last-lost", drawLastLost},
	{"late-packets", drawLatePackets},
	{"timid", drawTimid},
	{"window", drawWindow},
	{"answers", drawAnswers},
	{"collective-slow-link", drawCollectiveSlowLink},
	{"collective-lossy", drawCollectiveLossy},
	{"replay-storm", drawReplayStorm},
	{"custom-incast", drawCustomIncast},
	{"custom-lossy", drawCustomLossy},
	{"dark-spine", drawDarkSpine},
}

// crowd is background flows from hosts to one.
func crowd(from, n, to int, bytes string) string {
	text := "background:\n  flows:\n"
	for i := range n {
		text += flow(from+i, to, bytes, "")
	}
	return planted(text)
}

func drawIncast(d *draw) string {
	n, rate := d.between(2, 6), d.rate()
	return "# Others send to the same receiver.\n# noun: incast at rail1/host1\n# cure: without all background flows\n" +
		single(n+2, rate, "") + d.of(none, dcqcn) + "job:\n  flows:\n" + flow(2, 1, bytes(rate, d.between(60, 120)), "") +
		crowd(3, n, 1, bytes(rate, d.between(60, 120)))
}

func drawIncastCollective(d *draw) string {
	n, rate := d.between(2, 5), d.rate()
	to := d.between(1, 3)
	return fmt.Sprintf("# Others send to a rank of an all-reduce.\n# noun: incast at rail1/host%d\n"+
		"# cure: without all background flows\n", to) +
		single(3+n, rate, "") + none +
		"job:\n  hosts: [host1-host3]\n  collectives: [{op: all-reduce, bytes: " + bytes(rate, 60) + ", iterations: 2}]\n" +
		crowd(4, n, to, bytes(rate, d.between(100, 200)))
}

func drawIncastReplay(d *draw) string {
	n, rate := d.between(2, 4), d.rate()
	return "# Others send to a rank of a replay.\n# noun: incast at rail1/host2\n# cure: without all background flows\n" +
		single(3+n, rate, "") + none + "job:\n  hosts: [host1-host3]\n  replay: {forward: 10us, steps: 2, buckets: [{bytes: " +
		bytes(rate, d.between(20, 40)) + ", compute: 10us}, {bytes: " + bytes(rate, d.between(20, 40)) + ", compute: 10us}]}\n" +
		crowd(4, n, 2, bytes(rate, d.between(80, 150)))
}

func drawWrittenPath(d *draw) string {
	rate, size := d.rate(), d.between(60, 150)
	return "# Flows go by one spine, by their paths.\n# noun: ECMP collision at leaf1/spine1\n" +
		"# cure: without the paths or with spraying in place\n" +
		leafSpine(4, rate, 2, rate, "  links: {length: 20m}\n") + none + "job:\n  flows:\n" +
		flow(1, 3, bytes(rate, size), ", path: [host1, leaf1, spine1, leaf2, host3]") +
		planted(flow(2, 4, bytes(rate, size), ", path: [host2, leaf1, spine1, leaf2, host4]")) +
		"    #instead - {from: host2/nic0, to: host4/nic0, bytes: " + bytes(rate, size) +
		", path: [host2, leaf1, spine2, leaf2, host4]}\n"
}

// across is flows from each host of the first leaf to one of the second.
func across(hosts int, bytes string) string {
	text := "job:\n  flows:\n"
	for i := range hosts / 2 {
		text += flow(1+i, 1+hosts/2+i, bytes, "")
	}
	return text
}

func drawHashCollision(d *draw) string {
	rate, spines := d.rate(), d.between(6, 7)
	hosts := 2 * spines
	return fmt.Sprintf("seed: %d\n", d.between(1, 1000)) +
		"# As many flows as uplinks could carry evenly are hashed.\n# noun: ECMP collision\n" +
		"# cure: with spraying or with paths that a controller\n" +
		leafSpine(hosts, rate, spines, rate, "  links: {length: 20m}\n  balance: ecmp # planted\n  #instead balance: pinned\n") +
		none + across(hosts, bytes(rate, d.between(20, 40)))
}

// pods is a topology of two pods of two leaves and two spines, and cores above, and its hosts alternate between pods.
func pods(hosts, rate int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "#topology "+format+"\n", args...) }
	for i := range hosts {
		line("host host%d", i+1)
	}
	for n := 1; n <= 4; n++ {
		line("switch leaf%d leaf", n)
	}
	for n := 1; n <= 4; n++ {
		line("switch spine%d spine", n)
	}
	for n := 1; n <= 2; n++ {
		line("switch core%d superspine", n)
	}
	for i := range hosts {
		line("link host%d leaf%d %dGb/s 20m", i+1, 1+2*(i%2)+i/2%2, rate)
	}
	for pod := range 2 {
		for leaf := range 2 {
			for spine := range 2 {
				line("link leaf%d spine%d %dGb/s 20m", 1+2*pod+leaf, 1+2*pod+spine, rate*hosts/8)
			}
		}
		for spine := range 2 {
			for core := range 2 {
				line("link spine%d core%d %dGb/s 20m", 1+2*pod+spine, 1+core, rate*hosts/8)
			}
		}
	}
	return b.String()
}

func drawPolarisation(d *draw) string {
	rate, hosts := d.rate(), 8*d.between(2, 3)
	text := "# Tiers that hash alike.\n# noun: polarisation\n" +
		"# cure: with a hash seed for each switch or with spraying or with paths that a controller\n" +
		pods(hosts, rate) + fmt.Sprintf("seed: %d\n"+
		"cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dGb/s}}\n", d.between(1, 100), hosts, rate) +
		"fabric:\n  design: custom\n  topology: planted.txt\n  balance: ecmp # planted\n" +
		"  #instead balance: spray\n" + none + "transport: {receiver: direct}\n" + "job:\n  flows:\n"
	for i := range hosts {
		text += flow(i+1, (i+1)%hosts+1, bytes(rate, 20), "")
	}
	return text
}

func drawOversubscription(d *draw) string {
	rate, down := d.rate(), d.between(4, 8)
	full := fmt.Sprintf("  #instead links: {spine: %dGb/s, length: 20m}\n", down*rate)
	return "# The leaves have less up than down.\n# noun: oversubscription\n" +
		"# cure: without oversubscription or with leaf1/spine1 or with spine1/leaf2\n" +
		leafSpine(2*down, rate, 1, rate, "  links: {length: 20m} # planted\n"+full) + none +
		across(2*down, bytes(rate, d.between(20, 40)))
}

func drawSlowNamed(d *draw) string {
	rate := d.rate()
	return "# One cable is slow.\n# noun: slow link at rail1/host2 or host2/rail1\n# cure: with rail1/host2\n" +
		single(3, rate, fmt.Sprintf("  links:                # planted\n    named:              # planted\n"+
			"      - {link: rail1/host2, rate: %dGb/s} # planted\n",
			rate/d.between(2, 5))) + none + "job:\n  flows:\n" + flow(1, 2, bytes(rate, d.between(60, 120)), "")
}

func drawSlowCable(d *draw) string {
	rate, slow := d.rate(), d.between(2, 5)
	return "# Of four hosts' cables one is slow.\n# noun: slow link at sw/host3 or host3/sw\n# cure: with host3/sw or with sw/host3\n" +
		"#topology host host1\n#topology host host2\n#topology host host3\n#topology switch sw leaf\n" +
		fmt.Sprintf("#topology link host1 sw %dGb/s 20m\n#topology link host2 sw %dGb/s 20m\n"+
			"#topology link host3 sw %dGb/s 20m\n", rate, rate, rate/slow) +
		fmt.Sprintf("cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: %dGb/s}}\nfabric:\n  design: custom\n"+
			"  topology: planted.txt\n", rate/slow) +
		fmt.Sprintf("  #instead links: {named: [{link: host3/sw, rate: %dGb/s}]}\n", rate) + none +
		"job:\n  flows:\n" + flow(1, 3, bytes(rate, d.between(60, 120)), "")
}

func drawSlowSpineSprayed(d *draw) string {
	rate := d.rate()
	return "# Packets are sprayed over spines, one of which is slow.\n" +
		"# noun: slow link at leaf1/spine2 or spine2/leaf1\n# cure: with leaf1/spine2\n" +
		leafSpine(4, rate, 2, rate, fmt.Sprintf("  balance: spray\n  spray: {pick: round-robin}\n"+
			"  links: {named: [{link: leaf1/spine2, rate: %dGb/s}]} # planted\n",
			rate/d.between(4, 8))+fmt.Sprintf("  #instead links: {spine: %dGb/s}\n", rate)) + none + "transport: {receiver: direct}\n" +
		across(4, bytes(rate, d.between(60, 120)))
}

func drawLossy(d *draw) string {
	rate := d.rate()
	return "# A link loses frames.\n# noun: lossy link at rail1/host2 or host2/rail1\n# cure: without faults[0]\n" +
		single(3, rate, "") + none + "transport: {timeout: 200us}\njob:\n  flows:\n" + flow(1, 2, bytes(rate, 200), "") +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host2, drop: 0.0%d}\n", d.between(1, 3)))
}

func drawFlap(d *draw) string {
	rate := d.rate()
	return "# A link is down for a while.\n# noun: link down at rail1/host2 or host2/rail1\n# cure: without faults[0]\n" +
		single(3, rate, "") + none + "transport: {timeout: 200us}\njob:\n  flows:\n" + flow(1, 2, bytes(rate, 200), "") +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host2, at: %dus, down: %dus}\n", d.between(20, 60), d.between(100, 300)))
}

func drawClassOfALeaf(d *draw) string {
	return "# A leaf puts RoCE data into another class.\n# noun: wrong class\n# cure: with leaf2 as the other switches\n" +
		leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n"+
			"  switches: [{match: leaf2, dscp: 26}] # planted\n") + none +
		"transport: {timeout: 200us}\njob:\n" +
		"  flows:\n" + flow(1, 5, bytes(100, d.between(100, 160)), "") + flow(2, 5, bytes(100, d.between(100, 160)), "") +
		flow(3, 5, bytes(100, d.between(100, 160)), "")
}

func drawNoRoom(d *draw) string {
	rate := d.rate()
	return "# A switch has no room, and no PFC.\n# noun: small buffer at rail1/host1\n# cure: with buffers that are never full\n" +
		single(4, rate, fmt.Sprintf("  switch: {buffer: %dkB} # planted\n"+
			"  qos: {pfc: {enabled: false}}\n", d.between(150, 300))) + none +
		"transport: {timeout: 1ms}\njob:\n  flows:\n" + flow(2, 1, bytes(rate, 100), "") + flow(3, 1, bytes(rate, 100), "") +
		flow(4, 1, bytes(rate, 100), "")
}

func drawVictim(d *draw) string {
	return "# Pauses hold a flow that does not cross the full port.\n# noun: HOL victim of pauses at leaf2/host5\n" +
		"# cure: without all background flows or without the\n" +
		leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 2MB}\n") + none + "job:\n  flows:\n" +
		flow(2, 8, bytes(100, d.between(100, 160)), "") + planted("background:\n"+
		"  flows:\n"+flow(1, 5, "4MB", "")+flow(6, 5, "4MB", "")+flow(7, 5, "4MB", ""))
}

func drawStorm(d *draw) string {
	rate := d.rate()
	return "# A NIC pauses its switch without end.\n# noun: PFC storm at rail1/host2\n# cure: without faults[0]\n" +
		single(3, rate, "") + none + "job:\n  flows:\n" + flow(1, 2, bytes(rate, d.between(80, 150)), "") +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host2, storm: %dus, at: %dus}\n", d.between(100, 400), d.between(5, 30)))
}

func drawDeadlock(d *draw) string {
	text := "# Two dead links make ports wait in a circle.\n# noun: PFC deadlock\n# cure: without any fault or without faults\n" +
		"seed: 5\n" + leafSpine(8, 100, 2, 100, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n  routing: {spine_as: unique}\n"+
		"  qos: {pfc: {watchdog: {detect: 300us, restore: 100us}}}\n")
	text = strings.Replace(text, "leaves: 2", "leaves: 4", 1) + none + "transport: {timeout: 1.048576ms}\n"
	for i, f := range [][2]int{{1, 3}, {2, 4}, {3, 1}, {4, 2}, {5, 7}, {6, 8}, {7, 5}, {8, 6}} {
		if i == 0 {
			text += "job:\n  flows:\n"
		}
		text += flow(f[0], f[1], fmt.Sprintf("%dkB", d.between(3500, 4500)), "")
	}
	return text + planted("faults:\n  - {link: leaf2/spine1, down: 300us, convergence: 0s}\n"+
		"  - {link: leaf1/spine2, down: 300us, convergence: 0s}\n")
}

func drawSlowHost(d *draw) string {
	return "# The receiver's PCIe takes less than its link brings.\n# noun: slow receiver at rail1/host2\n# cure: without faults[0]\n" +
		strings.Replace(single(3, 200, ""), "speed: 200Gb/s", "speed: 200Gb/s, receive_buffer: 1MB", 1) + none + "job:\n  flows:\n" +
		strings.ReplaceAll(flow(1, 2, bytes(200, d.between(200, 300)), ""), "nic0", "gpu0") +
		planted(fmt.Sprintf("faults:\n  - {host: host2, pcie: %dGb/s}\n", d.between(30, 80)))
}

func drawLastLost(d *draw) string {
	us := d.between(60, 120)
	return "# The last packets are lost, and only the timer finds it.\n# noun: link down, timeout\n" +
		"# cure: with a retransmission timeout or without faults[0]\n" +
		single(2, 100, "") + none + "transport: {timeout: 1.048576ms}\njob:\n  flows:\n" + flow(1, 2, bytes(100, us), "") +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host2, at: %dus, down: 10us}\n", us+2))
}

func drawLatePackets(d *draw) string {
	rate := d.rate()
	return "# Packets are sprayed over paths of different length, and the receiver takes them in order only.\n" +
		"# noun: reordering\n# cure: with receivers or with only lost packets\n" +
		leafSpine(2, rate, 2, rate, fmt.Sprintf("  links: {named: [{link: leaf1/spine2, length: %dm}]}\n", d.between(500, 1500))+
			"  balance: spray\n  spray: {pick: round-robin}\n") + none + "transport:\n" +
		"  receiver: in-order # planted\n  #instead receiver: direct\n" +
		across(2, bytes(rate, d.between(80, 150)))
}

func drawTimid(d *draw) string {
	return "# DCQCN hardly speeds up again.\n# noun: controller under-run\n# cure: without congestion control\n" +
		single(4, 100, "") + "congestion:\n" + planted("  preset: connectx-default\n  min_rate: 1Gb/s\n"+
		"  rate_ai: 1Mb/s\n  rate_hai: 1Mb/s\n"+
		"  increase_timer: 1ms\n  byte_counter: none\n") + "  #instead algorithm: none\njob:\n  flows:\n" +
		flow(2, 1, fmt.Sprintf("%dMB", d.between(8, 14)), "") + "background:\n" +
		"  flows:\n" + flow(3, 1, "1MB", "") + flow(4, 1, "1MB", "")
}

func drawWindow(d *draw) string {
	rate := d.rate()
	return "# The window is smaller than rate times round trip.\n# noun: small window\n# cure: with an infinite window\n" +
		single(2, rate, "") + none + fmt.Sprintf("transport: {window: %dkB} # planted\n", rate*d.between(8,
		14)/100) + "job:\n  flows:\n" +
		flow(1, 2, bytes(rate, d.between(60, 120)), "")
}

func drawAnswers(d *draw) string {
	return "# Acknowledgements wait behind others' flows to the sender.\n# noun: incast at rail1/host1\n" +
		"# cure: without all background flows\n" +
		single(5, 100, "") + fmt.Sprintf("transport: {window: %dkB}\n", d.between(80, 130)) + none + "job:\n" +
		"  flows:\n" + flow(1, 2, "3MB", "") +
		crowd(3, 3, 1, "10MB")
}

func drawCollectiveSlowLink(d *draw) string {
	rate, n, at := d.rate(), d.between(3, 6), d.between(1, 3)
	link := fmt.Sprintf("rail1/host%d", at)
	return fmt.Sprintf("# A ring goes over a slow cable.\n# noun: slow link at %s or host%d/rail1\n# cure: with %[1]s\n", link, at) +
		single(n, rate, planted(fmt.Sprintf("  links:\n    named: [{link: %s, rate: %dGb/s}]\n", link, rate/d.between(3, 6)))) + none +
		"job:\n  collectives: [{op: all-reduce, bytes: " + bytes(rate, d.between(40, 80)) + ", iterations: 2, algorithm: ring}]\n"
}

func drawCollectiveLossy(d *draw) string {
	rate, n, at := d.rate(), d.between(3, 6), d.between(1, 3)
	return fmt.Sprintf("# A ring goes over a lossy cable.\n# noun: lossy link at rail1/host%d or host%[1]d/rail1\n"+
		"# cure: without faults[0]\n", at) +
		single(n, rate, "") + none + "transport: {timeout: 200us}\njob:\n  collectives: [{op: all-gather, bytes: " +
		bytes(rate, d.between(200, 300)) + ", iterations: 2, algorithm: ring}]\n" +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host%d, drop: 0.0%d}\n", at, d.between(2, 4)))
}

func drawReplayStorm(d *draw) string {
	rate, at := d.rate(), d.between(1, 3)
	return fmt.Sprintf("# The NIC of a rank pauses its switch.\n# noun: PFC storm at rail1/host%d\n# cure: without faults[0]\n", at) +
		single(d.between(3, 5), rate, "") + none + "job:\n  replay: {forward: 10us, steps: 2, buckets: [{bytes: " +
		bytes(rate, d.between(20, 40)) + ", compute: 10us}]}\n" +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host%d, storm: %dus, at: 15us}\n", at, d.between(200, 400)))
}

// star is a topology of hosts at one switch.
func star(hosts, rate int) string {
	var b strings.Builder
	for i := range hosts {
		fmt.Fprintf(&b, "#topology host host%d\n", i+1)
	}
	b.WriteString("#topology switch mid leaf\n")
	for i := range hosts {
		fmt.Fprintf(&b, "#topology link host%d mid %dGb/s 20m\n", i+1, rate)
	}
	return b.String() + fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dGb/s}}\nfabric:\n  design: custom\n"+
		"  topology: planted.txt\n", hosts, rate)
}

func drawCustomIncast(d *draw) string {
	rate, n := d.rate(), d.between(2, 5)
	return "# Others send to the same receiver, in a network of one's own.\n# noun: incast at mid/host1\n" +
		"# cure: without all background flows\n" +
		star(n+2, rate) + none + "job:\n  flows:\n" + flow(2, 1, bytes(rate, d.between(60, 120)), "") +
		crowd(3, n, 1, bytes(rate, d.between(60, 120)))
}

func drawCustomLossy(d *draw) string {
	rate := d.rate()
	return "# A link of one's own network loses frames.\n# noun: lossy link at mid/host2 or host2/mid\n# cure: without faults[0]\n" +
		star(3, rate) + none + "transport: {timeout: 200us}\njob:\n  flows:\n" + flow(1, 2, bytes(rate, 200), "") +
		planted(fmt.Sprintf("faults:\n  - {link: mid/host2, bit_errors: %de-7}\n", d.between(4, 9)))
}

func drawDarkSpine(d *draw) string {
	rate := d.rate()
	return "# A link to a spine is down all the time, and the flows of two share the other.\n# noun: link down\n" +
		"# cure: without faults[0]\n" +
		leafSpine(8, rate, 2, 2*rate, "  links: {length: 20m}\n  balance: spray\n") + none + "transport: {receiver: direct}\n" +
		across(8, bytes(rate, d.between(40, 80))) +
		planted("faults:\n  - {link: leaf1/spine1, down: 10s, convergence: 0s}\n")
}
