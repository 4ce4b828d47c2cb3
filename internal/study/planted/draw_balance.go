package planted

import (
	"fmt"
	"strings"
)

// balanceFamilies are of links that a choice is made among, and of what is wrong behind one.
var balanceFamilies = []Family{
	{"slow-spine-balanced", drawSlowSpineBalanced},
	{"slow-spine-hashed", drawSlowSpineHashed},
	{"degraded-uplink", drawDegradedUplink},
	{"long-gap", drawLongGap},
	{"xor-hash", drawXORHash},
	{"bond-collision", drawBondCollision},
	{"bond-port-down", drawBondPortDown},
	{"dual-homed-down", drawDualHomedDown},
	{"lossy-uplink", drawLossyUplink},
	{"down-uplink", drawDownUplink},
	{"pods-polarised", drawPodsPolarised},
	{"thin-trunk", drawThinTrunk},
	{"dragonfly-link", drawDragonflyLink},
	{"short-reorder-buffer", drawShortReorderBuffer},
	{"reordered-frames", drawReorderedFrames},
	{"random-ports-slow", drawRandomPortsSlow},
}

// filled puts values into a text: $key is replaced by what follows key.
func filled(text string, pairs ...any) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, fmt.Sprint("$", pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(all...).Replace(text)
}

func drawSlowSpineBalanced(d *draw) string {
	rate := d.rate()
	return filled(`# A balancer that looks at queues, and a link that is slow.
# noun: slow link at leaf1/spine2 or spine2/leaf1
# cure: with leaf1/spine2
` + leafSpine(8, rate, 2, 2*rate, filled(`  balance: $balance
  links: {named: [{link: leaf1/spine2, rate: $slowGb/s}]} # planted
  #instead links: {spine: $fullGb/s}
`, "balance", d.of("dlb", "flowlet", "glb", "conweave"), "slow", rate/d.between(4, 8), "full", 2*rate)) +
		d.of(none, dcqcn) + across(8, bytes(rate, d.between(60, 120))))
}

func drawSlowSpineHashed(d *draw) string {
	rate := d.rate()
	return filled(`# Flows are pinned evenly, but one of the links is slow.
# noun: slow link at leaf1/spine2 or spine2/leaf1
# cure: with leaf1/spine2
`+leafSpine(8, rate, 2, 2*rate, filled(`  balance: pinned
  links: {named: [{link: leaf1/spine2, rate: $slowGb/s}]} # planted
  #instead links: {spine: $fullGb/s}
`, "slow", rate/d.between(3, 6), "full", 2*rate))+d.of(none, dcqcn, "congestion: {algorithm: swift}\n")) +
		across(8, bytes(rate, d.between(60, 120)))
}

func drawDegradedUplink(d *draw) string {
	rate, leaf, spine := d.rate(), d.between(1, 2), d.between(1, 2)
	return filled(`# An uplink came up at a lower rate, under a collective.
# noun: slow link at leaf$leaf/spine$spine or spine$spine/leaf$leaf
# cure: without faults[0]
`+leafSpine(8, rate, 2, 2*rate, "  links: {length: 20m}\n  balance: $balance\n")+none+"transport: {receiver: direct}\n"+`job:
  collectives: [{op: $op, bytes: $bytes, iterations: 2}]
faults: # planted
  - {link: leaf$leaf/spine$spine, speed: $slowGb/s} # planted
`, "leaf", leaf, "spine", spine, "balance", d.of("spray", "pinned"), "op", d.of("all-to-all", "all-gather"),
		"bytes", bytes(rate, d.between(60, 120)), "slow", rate/d.between(8, 16))
}

func drawLongGap(d *draw) string {
	rate := d.rate()
	return filled(`# The flowlet timer is longer than every pause, so a queue pair stays beside another's long message.
# noun: ECMP collision at leaf1/spine1
# cure: with spraying or with paths that or without background1
`+leafSpine(4, rate, 2, rate, "  links: {length: 20m}\n  balance: dlb\n  dlb: {gap: $gapus} # planted\n  #instead dlb: {gap: 20us}\n")+
		`job:
  flows:
    - {from: host1/nic0, to: host3/nic0, bytes: $bytes, count: 8, every: 200us}
background:
  flows:
    - {from: host2/nic0, to: host4/nic0, bytes: $long, start: 100us, path: [host2, leaf1, spine1, leaf2, host4]}
`, "gap", d.between(250, 400), "bytes", bytes(rate, d.between(30, 50)), "long", bytes(rate, 2000))
}

func drawXORHash(d *draw) string {
	rate := d.rate()
	return filled(`# A hash with structure sends most flows to few spines.
# noun: ECMP collision
# cure: with spraying or with the hash mix or with paths that or with another seed
`) + leafSpine(16, rate, 8, rate, filled("  links: {length: 20m}\n  hash: {function: $hash} # planted\n  #instead balance: pinned\n",
		"hash", d.of("xor", "crc16"))) + none + "job:\n  flows:\n" + shuffled(d, 8, bytes(rate, d.between(30, 60)))
}

// shuffled is flows from each of the first hosts to another of as many more, in a drawn order.
func shuffled(d *draw, hosts int, bytes string) (text string) {
	for i, to := range d.order(hosts) {
		text += flow(1+i, 1+hosts+to, bytes, "")
	}
	return text
}

func drawBondCollision(d *draw) string {
	rate := d.rate()
	return filled(`# Messages between bonded NICs are hashed on one port of two.
# noun: ECMP collision, NIC shared, incast
# cure: with spraying or with another seed or with paths that or without or with 4 queue pairs
seed: $seed
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: $rateGb/s, ports: 2, bond: {mode: hash, detection: 100us}}}
fabric:
  design: dual-rail
  balance: ecmp
`+none+`job:
  flows:
    - {from: host1/nic0, to: host2/nic0, bytes: $bytes}
    - {from: host1/nic0, to: host3/nic0, bytes: $bytes} # planted
    - {from: host1/nic0, to: host4/nic0, bytes: $bytes} # planted
`, "seed", d.between(1, 1000), "rate", rate, "bytes", bytes(rate, d.between(60, 120)))
}

func drawBondPortDown(d *draw) string {
	rate := d.rate()
	return filled(`# A port of a bond is down for a while.
# noun: link down at host$at/rail1#$port or rail1/host$at#$port
# cure: without faults[0]
cluster: {hosts: $hosts, host: {gpus: 1}, nic: {speed: $rateGb/s, ports: 2, bond: {mode: hash, detection: $detectionus}}}
fabric: {design: single-switch}
`+none+`transport: {timeout: 50us, qps_per_connection: 2, split_data_on_qps: true}
job:
  collectives: [{op: all-reduce, bytes: $bytes, warmup: 0, iterations: 2, algorithm: ring}]
faults: # planted
  - {link: host$at/rail1#$port, at: 20us, down: 10s} # planted
`, "at", d.between(1, 3), "port", d.between(1, 2), "hosts", d.between(3, 5), "rate", rate, "detection", d.between(100, 300),
		"bytes", bytes(rate, d.between(100, 200)))
}

func drawDualHomedDown(d *draw) string {
	rate, rail := d.rate(), d.between(1, 2)
	return filled(`# Hosts lose the links to one of two switches, until their bonds know.
# noun: link down
# cure: without faults[0]
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: $rateGb/s, ports: 2, bond: {mode: hash, detection: $detectionus}}}
fabric: {design: dual-rail}
`+none+`transport: {timeout: 100us, qps_per_connection: 4}
job:
  collectives: [{op: all-reduce, bytes: $bytes, warmup: 0, iterations: 4, algorithm: ring}]
faults: # planted
  - {link: rail$rail/*, at: $atus, down: 700us} # planted
`, "rate", rate, "detection", d.between(100, 300), "bytes", bytes(rate, d.between(60, 100)), "rail", rail, "at", d.between(50, 90))
}

func drawLossyUplink(d *draw) string {
	rate, leaf, spine := d.rate(), d.between(1, 2), d.between(1, 2)
	return filled(`# An optic between leaf and spine loses frames.
# noun: lossy link at leaf$leaf/spine$spine or spine$spine/leaf$leaf
# cure: without faults[0]
`+leafSpine(8, rate, 2, 2*rate, "  links: {length: 20m}\n  balance: $balance\n")+none+
		"transport: {timeout: 200us, receiver: direct}\n", "leaf", leaf, "spine", spine, "balance", d.of("spray", "pinned", "ecmp")) +
		across(8, bytes(rate, d.between(150, 250))) +
		planted(filled("faults:\n  - {link: leaf$leaf/spine$spine, $how}\n", "leaf", leaf, "spine", spine, "how",
			d.of("drop: 0.01", "drop: 0.02", "bit_errors: 4e-7")))
}

func drawDownUplink(d *draw) string {
	rate, leaf, spine := d.rate(), d.between(1, 2), d.between(1, 2)
	return filled(`# An uplink flaps while leaves do not know it.
# noun: link down at leaf$leaf/spine$spine or spine$spine/leaf$leaf
# cure: without faults[0]
`+leafSpine(8, rate, 2, 2*rate, "  links: {length: 20m}\n  balance: $balance\n")+none+
		"transport: {timeout: 100us}\n", "leaf", leaf, "spine", spine, "balance", d.of("pinned", "ecmp")) +
		across(8, bytes(rate, d.between(100, 200))) +
		planted(filled("faults:\n  - {link: leaf$leaf/spine$spine, at: $atus, down: 60us, count: $count, every: 150us}\n",
			"leaf", leaf, "spine", spine, "at", d.between(10, 30), "count", d.between(2, 3)))
}

func drawPodsPolarised(d *draw) string {
	rate := d.rate()
	text := filled(`# Leaves and spines hash alike, and super-spines are used unevenly.
# noun: polarisation
# cure: with a hash seed for each switch or with spraying or with paths that a controller
seed: $seed
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  pods: 2
  spines: 2
  superspines: 2
  links: {spine: $fullGb/s, superspine: $fullGb/s}
  hash: {seed: same} # planted
  #instead balance: spray
`, "seed", d.between(1, 100), "rate", rate, "full", 3*rate) + none + "transport: {receiver: direct}\njob:\n  flows:\n"
	for i := range 8 {
		text += flow(i+1, i+9, bytes(rate, 40), "")
		text += flow(i+9, i+1, bytes(rate, 40), "")
	}
	return text
}

func drawThinTrunk(d *draw) string {
	rate, side := d.rate(), d.between(3, 5)
	var b strings.Builder
	for i := range 2 * side {
		fmt.Fprintf(&b, "#topology host host%d\n", i+1)
	}
	b.WriteString("#topology switch left leaf\n#topology switch right leaf\n")
	for i := range 2 * side {
		fmt.Fprintf(&b, "#topology link host%d %s %dGb/s 20m\n", i+1, []string{"left", "right"}[i/side], rate)
	}
	fmt.Fprintf(&b, "#topology link left right %dGb/s 20m\n", rate)
	return `# All of one switch send over the one link to the other.
# noun: shared link, oversubscription at left/right
# cure: with left/right or with right/left or without oversubscription
` + b.String() + filled(`cluster: {hosts: $hosts, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: custom
  topology: planted.txt
  #instead links: {named: [{link: left/right, rate: $fullGb/s}]}
  balance: ecmp # planted
`, "hosts", 2*side, "rate", rate, "full", side*rate) + d.of(none, dcqcn) + across(2*side, bytes(rate, d.between(60, 120)))
}

func drawDragonflyLink(d *draw) string {
	rate := d.rate()
	return filled(`# Groups of a dragonfly have one link between them, which all their hosts use.
# noun: shared link, oversubscription
# cure: with links between groups
cluster: {hosts: 12, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: dragonfly
  dragonfly: {groups: 3, routers: 2, global: 1, global_rate: $rateGb/s} # planted
  #instead dragonfly: {groups: 3, routers: 2, global: 1, global_rate: $fullGb/s, local_rate: $fullGb/s}
`, "rate", rate, "full", 4*rate) + none + across(12, bytes(rate, d.between(60, 120)))
}

func drawShortReorderBuffer(d *draw) string {
	const rate = 100 // faster, goodput collapses and nothing ends
	return filled(`# A receiver keeps fewer packets than a longer way lets others overtake.
# noun: reordering
# cure: with receivers or with only lost packets or with ECMP
`+leafSpine(2, rate, 2, rate, `  links: {named: [{link: leaf1/spine2, length: $longm}]}
  balance: spray
  spray: {pick: round-robin}
`)+none+`transport:
  receiver: buffered
  reorder_buffer: $few # planted
  #instead reorder_buffer: 4096
`, "long", d.between(800, 1500), "few", d.between(2, 6)) + across(2, bytes(rate, d.between(150, 300)))
}

func drawReorderedFrames(d *draw) string {
	rate := d.rate()
	return filled(`# A link lets frames overtake one another.
# noun: reordering, lossy link
# cure: without faults[0]
`) + single(3, rate, "") + none + "transport: {timeout: 200us}\njob:\n  flows:\n" + flow(1, 2, bytes(rate, 200), "") +
		planted(filled("faults:\n  - {link: rail1/host2, reorder: 0.0$n, for: ever}\n", "n", d.between(2, 5)))
}

func drawRandomPortsSlow(d *draw) string {
	rate, spine := d.rate(), d.between(1, 4)
	return filled(`# Senders spray by source ports, and one link is slow.
# noun: slow link at leaf1/spine$spine
# cure: with leaf1/spine$spine
`+leafSpine(8, rate, 4, rate, `  links: {named: [{link: leaf1/spine$spine, rate: $slowGb/s}]} # planted
  #instead links: {spine: $rateGb/s}
`)+`congestion: {algorithm: dctcp}
transport:
  receiver: direct
  entropy: random
`, "spine", spine, "rate", rate, "slow", rate/d.between(3, 6)) + across(8, bytes(rate, d.between(150, 300)))
}
