package planted

import "fmt"

// settingFamilies are of switches and ports that are set otherwise than their like, and of pauses that spread.
var settingFamilies = []Family{
	{"low-xoff", drawLowXOFF},
	{"leaf-xoff", drawLeafXOFF},
	{"pairwise-collision", drawPairwiseCollision},
	{"early-marks", drawEarlyMarks},
	{"no-pfc", drawNoPFC},
	{"port-config", drawPortConfig},
	{"port-marks", drawPortMarks},
	{"port-mtu", drawPortMTU},
	{"leak", drawLeak},
	{"storm-upstream", drawStormUpstream},
	{"stuck-spine", drawStuckSpine},
	{"slow-host-victim", drawSlowHostVictim},
	{"watchdog", drawWatchdog},
	{"collective-victim", drawCollectiveVictim},
	{"incast-leaf-spine", drawIncastLeafSpine},
	{"incast-rails", drawIncastRails},
	{"incast-exchange", drawIncastExchange},
	{"short-buffer-marks", drawShortBufferMarks},
	{"long-window", drawLongWindow},
	{"slow-switch", drawSlowSwitch},
	{"storm-beside-incast", drawStormBesideIncast},
	{"loss-beside-incast", drawLossBesideIncast},
}

// funnel is three or more flows of the first leaf to hosts of the second, by one spine whose link down is the bottleneck.
func funnel(d *draw, buffer, fabric, rest string) string {
	n := d.between(3, 4)
	text := filled(`cluster: {hosts: $hosts, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  links: {spine: 100Gb/s, named: [{link: leaf1/spine1, rate: 400Gb/s}]}
  switch: {buffer: $buffer}
$fabric`, "hosts", 2*n, "buffer", buffer, "fabric", fabric)
	return text + rest + across(2*n, bytes(100, d.between(150, 250)))
}

func drawLowXOFF(d *draw) string {
	return filled(`# A leaf pauses its spine far too early, and what has nothing to do with a short queue waits.
# noun: wrong threshold at leaf2/host8
# cure: with leaf2 as the other switches
`+leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switches: [{match: leaf2, pfc: {threshold: $xoffkB}}] # planted\n")+none+`job:
  flows:
    - {from: host1/nic0, to: host7/nic0, bytes: $bytes}
background:
  flows:
    - {from: host2/nic0, to: host8/nic0, bytes: $bytes}
    - {from: host3/nic0, to: host8/nic0, bytes: $bytes}
`, "xoff", d.between(30, 60), "bytes", bytes(100, d.between(100, 200)))
}

// exchange is pairwise exchanges of all with all over four leaves, which spines carry at line rate.
func exchange(rate int, fabric string, us int) string {
	return filled(`cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  spines: 4
  links: {spine: $rateGb/s, length: 20m}
$fabric`, "rate", rate, "fabric", fabric) + none + "transport: {receiver: direct}\n" + fmt.Sprintf("job:\n"+
		"  collectives: [{op: all-to-all, bytes: %s, warmup: 0, iterations: 1}]\n", bytes(rate, us))
}

func drawLeafXOFF(d *draw) string {
	leaf := d.between(1, 4)
	return filled(`# A leaf pauses its hosts at next to nothing, and an exchange of all with all waits for them at several ports.
# noun: wrong threshold at leaf$leaf
# cure: with leaf$leaf as the other switches
`, "leaf", leaf) + exchange(100, filled("  switches: [{match: leaf$leaf, pfc: {threshold: $xoffkB, resume_offset: 2kB}}] # planted\n",
		"leaf", leaf, "xoff", d.between(3, 5)), d.between(300, 500))
}

func drawPairwiseCollision(d *draw) string {
	return "# Messages of an exchange of all with all meet by their hash.\n# noun: ECMP collision\n" +
		"# cure: with paths that or with spraying\n" +
		exchange(d.rate(), "  balance: ecmp # planted\n  #instead balance: spray\n", d.between(300, 500))
}

func drawEarlyMarks(d *draw) string {
	return `# A spine marks far too early: senders slow down while its port stands idle.
# noun: wrong threshold at spine1/leaf2
# cure: with spine1 as the other switches
` + funnel(d, "4MB", filled("  switches: [{match: spine1, ecn: {min: 1B, max: $maxkB, probability: 1}}] # planted\n",
		"max", d.between(1, 8)), "congestion: {preset: connectx-default}\n")
}

func drawNoPFC(d *draw) string {
	return `# A spine has no PFC, and drops.
# noun: wrong threshold at spine1/leaf2
# cure: with spine1 as the other switches
` + funnel(d, "1MB", "  switches: [{match: spine1, pfc: {enabled: false}}] # planted\n",
		none+"transport: {timeout: "+fmt.Sprint(d.between(1, 2))+"ms}\n")
}

func drawPortConfig(d *draw) string {
	return `# A port of the spine is configured otherwise than its switch: what comes in there has no PFC.
# noun: wrong class, wrong threshold at spine1/leaf2
# cure: without faults[0]
` + funnel(d, "1MB", "", none+"transport: {timeout: 2ms}\n") +
		planted("faults:\n  - {port: spine1/leaf1, config: {"+d.of("dscp: 26", "pfc: false", "forgotten: true", "dscp: 8")+"}}\n")
}

func drawPortMarks(d *draw) string {
	return `# A port marks far too early, or nothing.
# noun: wrong threshold at spine1/leaf2
# cure: without faults[0]
` + funnel(d, "4MB", "", "congestion: {preset: connectx-default}\n") +
		planted("faults:\n  - {port: spine1/leaf2, config: {"+d.of("min: 0B, max: 1B", "min: 1B, max: 5kB")+"}}\n")
}

func drawPortMTU(d *draw) string {
	return `# A port takes short frames only, for a while.
# noun: lossy link (MTU) at leaf1/spine1
# cure: without faults[0]
` + funnel(d, "4MB", "", none+"transport: {timeout: 200us}\n") +
		planted(filled("faults:\n  - {port: spine1/leaf1, at: $atus, for: $forus, config: {mtu: $mtuB}}\n",
			"at", d.between(10, 60), "for", d.between(200, 400), "mtu", d.between(1500, 4000)))
}

func drawLeak(d *draw) string {
	return `# A spine leaks its buffer.
# noun: small buffer at spine1/leaf2
# cure: without faults[0] or with buffers
` + funnel(d, "2MB", "", dcqcn) + planted("faults:\n  - {switch: spine1, leak: 1TB}\n")
}

func drawStormUpstream(d *draw) string {
	at := d.between(5, 8)
	return filled(`# A NIC pauses its leaf without end, and what has nothing to do with it waits behind.
# noun: PFC storm at leaf2/host$at
# cure: without faults[0]
`+leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n")+none+"job:\n  flows:\n", "at", at) +
		flow(2, (at+1)%4+5, bytes(100, d.between(100, 160)), "") +
		"background:\n  flows:\n" + flow(1, at, "4MB", "") +
		planted(filled("faults:\n  - {link: leaf2/host$at, at: $sinceus, storm: $lastus}\n", "at", at, "since", d.between(10, 30),
			"last", d.between(300, 500)))
}

func drawStuckSpine(d *draw) string {
	leaf := d.between(1, 2)
	return filled(`# PFC of a spine is stuck towards a leaf, under a ring.
# noun: PFC storm at leaf$leaf/spine1
# cure: without faults[0]
`+leafSpine(6, 100, 1, 300, "  links: {length: 20m}\n")+none+`job:
  collectives: [{op: all-reduce, bytes: $bytes, iterations: 2, algorithm: ring}]
faults: # planted
  - {link: leaf$leaf/spine1, sender: spine1, at: 20us, storm: $lastus} # planted
`, "leaf", leaf, "bytes", bytes(100, d.between(60, 120)), "last", d.between(300, 500))
}

func drawSlowHostVictim(d *draw) string {
	at := d.between(5, 7)
	return filled(`# A host takes less than its link brings, and pauses spread from its NIC.
# noun: slow receiver at leaf2/host$at
# cure: without faults[0]
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s, receive_buffer: 1MB}}
fabric: {design: leaf-spine, leaves: 2, spines: 1, links: {spine: 400Gb/s}, switch: {buffer: 1MB}}
`+none+`job:
  flows:
    - {from: host2/gpu0, to: host8/gpu0, bytes: $bytes, start: 150us}
background:
  flows:
    - {from: host1/gpu0, to: host$at/gpu0, bytes: 8MB}
faults: # planted
  - {host: host$at, pcie: $pcieGb/s} # planted
`, "at", at, "bytes", bytes(100, d.between(100, 160)), "pcie", d.between(10, 25))
}

func drawWatchdog(d *draw) string {
	return filled(`# The watchdog of a leaf empties a queue whose pauses do not end.
# noun: PFC watchdog at leaf1/spine1
# cure: without faults[0]
`+leafSpine(4, 100, 1, 200, "  links: {length: 20m}\n  qos: {pfc: {watchdog: {detect: $detectus, action: drop, restore: 10us}}}\n")+
		none+"transport: {timeout: 100us}\n", "detect", d.between(10, 30)) + across(4, bytes(100, d.between(60, 120))) +
		planted(filled("faults:\n  - {link: leaf1/spine1, sender: spine1, at: 20us, storm: $lastus}\n", "last", d.between(300, 600)))
}

func drawCollectiveVictim(d *draw) string {
	return `# Pauses hold a ring that does not cross the full port.
# noun: HOL victim of pauses at leaf2/host5
# cure: without all background flows or without the
` + leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n") + none + filled(`job:
  hosts: [host2, host8]
  collectives: [{op: all-reduce, bytes: $bytes, warmup: 0, iterations: 2, algorithm: ring}]
`, "bytes", bytes(100, d.between(60, 100))) +
		planted("background:\n  flows:\n"+flow(1, 5, "6MB", "")+flow(6, 5, "6MB", "")+flow(7, 5, "6MB", ""))
}

func drawIncastLeafSpine(d *draw) string {
	rate, n := d.rate(), d.between(2, 3)
	text := `# Others send to the same receiver, from both leaves.
# noun: incast at leaf2/host8
# cure: without all background flows
` + leafSpine(8, rate, 2, 2*rate, "  links: {length: 20m}\n  balance: spray\n") + d.of(none, dcqcn, "congestion: {algorithm: hpcc}\n",
		"congestion: {algorithm: swift}\n") + "transport: {receiver: direct}\njob:\n  flows:\n" +
		flow(1, 8, bytes(rate, d.between(60, 120)), "") + "background: # planted\n  flows: # planted\n"
	for i := range n {
		text += planted(flow(2+i, 8, bytes(rate, d.between(60, 120)), "") + flow(5+i, 8, bytes(rate, d.between(60, 120)), ""))
	}
	return text
}

func drawIncastRails(d *draw) string {
	rate, rail, n := d.rate(), d.between(1, 4), d.between(2, 3)
	text := filled(`# Others send to a GPU of a collective by its rail.
# noun: incast at rail$rail/host1
# cure: without all background flows
cluster: {hosts: 5, host: {gpus: 4}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1}
`+none+`job:
  hosts: [host1-host2]
  collectives: [{op: all-reduce, bytes: $bytes, iterations: 2, algorithm: ring}]
background: # planted
  flows: # planted
`, "rail", rail, "rate", rate, "bytes", bytes(rate, d.between(200, 400)))
	for i := range n {
		text += filled("    - {from: host$from/gpu$gpu, to: host1/gpu$gpu, bytes: $bytes} # planted\n", "from", 3+i, "gpu", rail-1,
			"bytes", bytes(rate, d.between(150, 300)))
	}
	return text
}

func drawIncastExchange(d *draw) string {
	rate, n, to := d.rate(), d.between(2, 4), d.between(1, 4)
	return filled(`# Others send to a rank of an exchange of all with all.
# noun: incast at rail1/host$to
# cure: without all background flows
`, "to", to) + single(4+n, rate, "") + d.of(none, dcqcn) + filled(`job:
  hosts: [host1-host4]
  collectives: [{op: all-to-all, bytes: $bytes, iterations: 2}]
`, "bytes", bytes(rate, d.between(60, 100))) + crowd(5, n, to, bytes(rate, d.between(200, 300)))
}

func drawShortBufferMarks(d *draw) string {
	rate, n := d.rate(), d.between(3, 5)
	text := `# Switches have no room for what comes before senders slow down, and no PFC.
# noun: small buffer at rail1/host1
# cure: with buffers that are never full or with PFC
` + single(n+1, rate, filled("  switch: {buffer: $bufferkB} # planted\n  qos: {pfc: {enabled: false}}\n", "buffer",
		d.between(150, 250))) + dcqcn + "transport: {timeout: 1ms}\njob:\n  flows:\n"
	for i := range n {
		text += flow(i+2, 1, bytes(rate, d.between(60, 120)), "")
	}
	return text
}

func drawLongWindow(d *draw) string {
	rate := d.rate()
	return filled(`# A window that is large enough for one hall is too small for a long cable, under a collective.
# noun: small window
# cure: with an infinite window
`+leafSpine(4, rate, 1, 4*rate, "  links: {length: 20m, spine_length: $longm}\n")+none+`transport: {window: $windowkB} # planted
job:
  collectives: [{op: all-gather, bytes: $bytes, iterations: 2, algorithm: ring}]
`, "long", d.between(1000, 3000), "window", rate*d.between(20, 60)/100, "bytes", bytes(rate, d.between(200, 400)))
}

func drawSlowSwitch(d *draw) string {
	return filled(`# A spine takes long to forward.
# noun: latency-bound
# cure: with spine1 as the other switches
`+leafSpine(4, 100, 1, 200, "  links: {length: 20m}\n  switches: [{match: spine1, latency: $usus}] # planted\n")+none,
		"us", d.between(50, 200)) +
		across(4, bytes(100, d.between(5, 10)))
}

func drawStormBesideIncast(d *draw) string {
	return filled(`# A storm, and beside it an incast that costs less.
# noun: PFC storm at rail1/host2
# cure: without faults[0]
`) + single(5, 100, "") + none + "job:\n  flows:\n" + flow(1, 2, bytes(100, d.between(100, 150)), "") +
		"background:\n  flows:\n" + flow(3, 2, bytes(100, d.between(10, 20)), "") + flow(4, 2, bytes(100, d.between(10, 20)), "") +
		planted(filled("faults:\n  - {link: rail1/host2, storm: $lastus, at: 50us}\n", "last", d.between(300, 500)))
}

func drawLossBesideIncast(d *draw) string {
	n := d.between(2, 4)
	return `# An incast, and beside it a link that loses a few frames.
# noun: incast at rail1/host1
# cure: without all background flows
` + single(n+2, 100, "") + none + "transport: {timeout: 200us}\njob:\n  flows:\n" + flow(2, 1, bytes(100, d.between(80, 120)), "") +
		crowd(3, n, 1, bytes(100, d.between(100, 150))) +
		"faults:\n  - {link: host2/rail1, bit_errors: 5e-9}\n"
}
