package planted

import (
	"fmt"
	"strings"
)

// expertFamilies are of trainings whose ranks share experts, of dragonflies, of bonds and of hosts with a graph.
var expertFamilies = []Family{
	{"experts-collapsed", drawExpertsCollapsed},
	{"experts-collapsed-hosts", drawExpertsCollapsedHosts},
	{"experts-cross-rail", drawExpertsCrossRail},
	{"cross-rail", drawCrossRail},
	{"experts-dropped", drawExpertsDropped},
	{"model-skewed", drawModelSkewed},
	{"experts-slow-link", drawExpertsSlowLink},
	{"experts-lossy", drawExpertsLossy},
	{"experts-straggler", drawExpertsStraggler},
	{"experts-storm", drawExpertsStorm},
	{"experts-incast", drawExpertsIncast},
	{"experts-flap", drawExpertsFlap},
	{"experts-other-job", drawExpertsOtherJob},
	{"experts-checkpoint", drawExpertsCheckpoint},
	{"dragonfly-slow", drawDragonflySlow},
	{"dragonfly-lossy", drawDragonflyLossy},
	{"dragonfly-storm", drawDragonflyStorm},
	{"dragonfly-incast", drawDragonflyIncast},
	{"dragonfly-straggler", drawDragonflyStraggler},
	{"bond-lossy", drawBondLossy},
	{"bond-slow", drawBondSlow},
	{"bond-storm", drawBondStorm},
	{"bond-incast", drawBondIncast},
	{"bond-straggler", drawBondStraggler},
	{"graph-gradients", drawGraphGradients},
	{"graph-slow-uplink", drawGraphSlowUplink},
	{"graph-lossy", drawGraphLossy},
	{"graph-straggler", drawGraphStraggler},
}

// mixture is a transformer with as many experts as ranks, which share them.
func mixture(ranks, train int, force string) string {
	return fmt.Sprintf("  parallel: {ep: %[1]d}\n  train:\n    model: gpt\n    gpt:\n      size: 64\n      blocks: 2\n      heads: 4\n"+
		"      experts:\n        count: %[1]d\n        top: 1\n%[3]s"+
		"    data: {text: {window: 32, grammar: {train: %[2]d, test: 20}}}\n    batch: 4\n    steps: 3\n    lr: 0.01\n",
		ranks, train, force)
}

const evenRouter = "        force: even\n"

func drawExpertsCollapsed(d *draw) string {
	return filled(`# A router sends all to one expert.
# noun: uneven routing
# cure: with a router that is not skewed
cluster: {hosts: $hosts, host: {gpus: 2, launch: 100ns, flops: $flopsTFLOP/s}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1}
`+none+"job:\n", "hosts", 4, "flops", d.between(1, 4), "rate", d.rate()) +
		mixture(8, 800, "        force: one # planted\n        #instead force: even\n")
}

func drawExpertsCollapsedHosts(d *draw) string {
	return `# A router sends all to one expert, between hosts of one GPU.
# noun: uneven routing, incast
# cure: with a router that is not skewed
` + filled("cluster: {hosts: 8, host: {gpus: 1, launch: 100ns}, nic: {speed: $rateGb/s}}\nfabric: {design: single-switch}\n",
		"rate", d.between(10, 25)) +
		d.of(none, dcqcn) + "job:\n" + mixture(8, 800, "        force: one # planted\n        #instead force: even\n")
}

func drawExpertsCrossRail(d *draw) string {
	return filled(`# Rows for experts leave by their sender's own NIC and go over spines to other rails.
# noun: cross-rail traffic at rail1/spine1
# cure: with messages by the NIC on the receiver's rail
cluster: {hosts: 2, host: {gpus: 4, launch: 100ns}, nic: {speed: 100Gb/s}}
fabric: {design: rail-optimized, spines: 1, links: {spine: $spineGb/s}}
`, "spine", d.between(15, 40)) + d.of(none, dcqcn) + `job:
  collective: {exit: own} # planted
` + mixture(8, 800, evenRouter)
}

func drawCrossRail(d *draw) string {
	rate, gpus := d.rate(), 2*d.between(1, 2)
	return filled(`# An all-to-all over spines where rails would do.
# noun: cross-rail traffic at rail1/spine1
# cure: with messages by the NIC on the receiver's rail
cluster: {hosts: $hosts, host: {gpus: $gpus}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1, links: {spine: $spineGb/s}}
`, "hosts", d.between(2, 3), "gpus", gpus, "rate", rate, "spine", rate*d.between(2, 4)/8) + d.of(none, dcqcn) + `job:
  collective: {exit: own} # planted
` + fmt.Sprintf("  collectives: [{op: all-to-all, bytes: %s, iterations: 2}]\n", bytes(rate, 100*d.between(2, 4)))
}

func drawExpertsDropped(d *draw) string {
	return filled(`# Experts of a router that has learnt nothing have room for an even share.
# noun: dropped tokens
# cure: with experts that take all that come
# free
cluster: {hosts: 4, host: {gpus: 2, launch: 100ns}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1}
`+none+"job:\n", "rate", d.rate()) +
		mixture(8, 800, filled("        capacity: $n # planted\n", "n", d.of("0.5", "0.75", "1")))
}

// decoderOf is a small decoder with experts, of which only the shape is known, on four hosts of two GPUs.
func decoderOf(skew int, more string) string {
	return fmt.Sprintf(`cluster: {hosts: 4, host: {preset: hgx-h100, gpus: 2}, nic: {speed: 400Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel: {ep: 8, zero: 1}
%s  model: {preset: mixtral-8x7b, layers: 2, hidden: 1024, ffn: 2048, expert_ffn: 2048, heads: 8, kv_heads: 2, head_size: 128,
    vocabulary: 2048, sequence: 1024, batch: 16, skew: %d}
`, more, skew)
}

func drawModelSkewed(d *draw) string {
	head, last, _ := strings.Cut(decoderOf(99, d.of("", "  collective: {exit: peer}\n")), "    vocabulary")
	return "# One rank of a model's experts gets more than the others, in each layer another.\n# noun: uneven routing\n" +
		"# cure: with a router that is not skewed\n" + head +
		strings.Replace("    vocabulary"+last, "skew: 99}", fmt.Sprintf("skew: %d} # planted", d.between(3, 6)), 1) +
		"    #instead vocabulary: 2048, sequence: 1024, batch: 16, skew: 1}\n"
}

func drawExpertsSlowLink(d *draw) string {
	at := d.between(1, 4)
	return filled(`# A link of a rank that has an expert came up slow.
# noun: slow link at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(4, 200, "")+d.of(none, "", "congestion: {algorithm: swift}\n")+"job:\n"+mixture(4, 400, evenRouter)+`faults: # planted
  - {link: rail1/host$at, speed: $slowGb/s} # planted
`, "at", at, "slow", d.between(2, 6))
}

func drawExpertsLossy(d *draw) string {
	at := d.between(1, 4)
	return filled(`# A link of a rank that has an expert loses frames.
# noun: lossy link, timeout at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(4, 100, "")+none+"transport: {timeout: 200us}\njob:\n"+mixture(4, 400, evenRouter)+`faults: # planted
  - {link: rail1/host$at, drop: 0.0$n} # planted
`, "at", at, "n", d.between(3, 6))
}

func drawExpertsStraggler(d *draw) string {
	host, gpu := d.between(1, 4), d.between(0, 1)
	return filled(`# A GPU that has an expert throttles.
# noun: straggler at rank $rank
# cure: without faults[0]
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
`+mixture(8, 800, d.of("", evenRouter))+`faults: # planted
  - {gpu: host$host/gpu$gpu, slow: $factor} # planted
`, "rank", 2*(host-1)+gpu, "host", host, "gpu", gpu, "factor", d.between(4, 8))
}

func drawExpertsStorm(d *draw) string {
	return filled(`# The NIC of a rank that has an expert pauses its switch.
# noun: PFC storm at leaf2/host$at
# cure: without faults[0]
`+leafSpine(4, 100, 2, 200, "  links: {length: 20m}\n  balance: spray\n")+d.of(none, "")+"transport: {receiver: direct}\njob:\n"+
		mixture(4, 400, evenRouter)+`faults: # planted
  - {link: leaf2/host$at, at: $sinceus, storm: $lastus} # planted
`, "at", d.between(3, 4), "since", d.between(100, 200), "last", d.between(400, 800))
}

func drawExpertsIncast(d *draw) string {
	to := d.between(1, 4)
	return filled(`# Others send to a rank that has an expert.
# noun: incast at rail1/host$to
# cure: without all background flows or without the
`, "to", to) + single(7, 100, "") + d.of(none, dcqcn) + "job:\n  hosts: [host1-host4]\n" + mixture(4, 400, evenRouter) +
		crowd(5, 3, to, fmt.Sprintf("500kB, count: 10, every: %dus", d.between(100, 130)))
}

func drawExpertsFlap(d *draw) string {
	at := d.between(1, 4)
	return filled(`# A link of a rank that has an expert goes down for a while, twice.
# noun: link down at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(4, 100, "")+none+"transport: {timeout: 100us}\njob:\n"+mixture(4, 400, evenRouter)+`faults: # planted
  - {link: rail1/host$at, at: $sinceus, down: $forus, count: 2, every: 500us} # planted
`, "at", at, "since", d.between(100, 200), "for", d.between(150, 250))
}

func drawExpertsOtherJob(d *draw) string {
	return `# The exchange of another job fills the links between leaves that experts need.
# noun: another job
# cure: without job
` + leafSpine(8, 25, 2, 25, "  links: {length: 20m}\n  balance: spray\n") + none +
		"transport: {receiver: direct}\njobs:\n  - name: mine\n" +
		"    placement: [host1/gpu0, host2/gpu0, host5/gpu0, host6/gpu0]\n" + indented(mixture(4, 400, evenRouter)) +
		planted(filled(`  - name: other
    hosts: [host3-host4, host7-host8]
    collectives: [{op: all-to-all, bytes: $bytes, iterations: 4}]
`, "bytes", bytes(25, d.between(600, 900))))
}

func drawExpertsCheckpoint(d *draw) string {
	return "# A transformer with experts writes checkpoints that take long.\n# noun: checkpoint\n# cure: without checkpoints\n" +
		single(4, 200, "") + "job:\n" + mixture(4, 400, evenRouter) +
		planted(fmt.Sprintf("  checkpoint: {steps: 1, storage: %dMB/s}\n", d.between(800, 2000)))
}

// dragonfly is three groups of two routers with two hosts each, whose links have room.
func dragonfly(rate int) string {
	return filled(`cluster: {hosts: 12, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric: {design: dragonfly, dragonfly: {groups: 3, routers: 2, global: 1, global_rate: $fullGb/s, local_rate: $fullGb/s}}
`, "rate", rate, "full", 8*rate)
}

func drawDragonflySlow(d *draw) string {
	rate, h := d.rate(), d.between(1, 12)
	return filled(`# A host's link in a dragonfly came up slow, under a collective.
# noun: slow link at router$r/host$h or host$h/router$r
# cure: without faults[0]
`+dragonfly(rate)+d.of(none, "", "congestion: {algorithm: hpcc}\n")+`job:
  collectives: [{op: $op, bytes: $bytes, warmup: 0, iterations: 2, algorithm: ring}]
faults: # planted
  - {link: router$r/host$h, speed: $slowGb/s} # planted
`, "r", (h+1)/2, "h", h, "op", d.of("all-reduce", "all-gather", "reduce-scatter"), "bytes", bytes(rate, d.between(100, 200)),
		"slow", rate/d.between(4, 8))
}

func drawDragonflyLossy(d *draw) string {
	rate, h := d.rate(), d.between(1, 12)
	return filled(`# A host's link in a dragonfly loses frames, under a replay.
# noun: lossy link, timeout at router$r/host$h or host$h/router$r
# cure: without faults[0]
`+dragonfly(rate)+none+`transport: {timeout: 200us}
job: {replay: {forward: 20us, steps: 3, buckets: [{bytes: $bytes, compute: 20us}]}}
faults: # planted
  - {link: router$r/host$h, drop: 0.0$n} # planted
`, "r", (h+1)/2, "h", h, "bytes", bytes(rate, d.between(60, 120)), "n", d.between(2, 5))
}

func drawDragonflyStorm(d *draw) string {
	rate, h := d.rate(), d.between(7, 12)
	return filled(`# A NIC in a dragonfly pauses its router.
# noun: PFC storm at router$r/host$h
# cure: without faults[0]
`+dragonfly(rate)+d.of(none, "")+`job:
`+d.of(digits("[784, 256, 10]", 8), "  parallel: {zero: 1}\n"+digits("[784, 256, 10]", 8))+`faults: # planted
  - {link: router$r/host$h, at: $sinceus, storm: $lastus} # planted
`, "r", (h+1)/2, "h", h, "since", d.between(400, 700), "last", d.between(500, 800))
}

func drawDragonflyIncast(d *draw) string {
	rate, n := d.rate(), d.between(2, 4)
	return "# Others send to a host in a dragonfly that a flow goes to.\n# noun: incast at router6/host12\n" +
		"# cure: without all background flows or without the\n" +
		dragonfly(rate) + d.of(none, dcqcn) + "job:\n  flows:\n" + flow(1, 12, bytes(rate, d.between(80, 120)), "") +
		crowd(2, n, 12, bytes(rate, d.between(80, 120)))
}

func drawDragonflyStraggler(d *draw) string {
	rank := d.between(0, 11)
	return filled(`# A GPU in a dragonfly is slow.
# noun: straggler at rank $rank
# cure: without faults[0]
`+dragonfly(200)+"job:\n"+digits("[784, 128, 10]", 8)+`faults: # planted
  - {gpu: host$host/gpu0, slow: $factor} # planted
`, "rank", rank, "host", rank+1, "factor", d.between(4, 8))
}

// bonded is hosts of one GPU whose NICs have two ports.
func bonded(hosts, rate int, design string) string {
	return filled("cluster: {hosts: $hosts, host: {gpus: 1}, nic: {speed: $rateGb/s, ports: 2, bond: {mode: hash, detection: 200us}}}\n"+
		"fabric: {design: $design}\n", "hosts", hosts, "rate", rate, "design", design)
}

const (
	manyPairs    = "transport: {timeout: 200us, qps_per_connection: 4, split_data_on_qps: true}\n"
	patientPairs = "transport: {qps_per_connection: 4, split_data_on_qps: true}\n"
)

func drawBondLossy(d *draw) string {
	rate, at := d.rate(), d.between(1, 4)
	return filled(`# A port of a bond loses frames.
# noun: lossy link, timeout at host$at/rail1#$port or rail1/host$at#$port
# cure: without faults[0]
`, "at", at, "port", 1) + bonded(4, rate, "single-switch") + none + manyPairs + filled(`job:
  collectives: [{op: $op, bytes: $bytes, warmup: 0, iterations: 2, algorithm: ring}]
faults: # planted
  - {link: host$at/rail1#1, drop: 0.0$n} # planted
`, "op", d.of("all-reduce", "all-gather"), "bytes", bytes(rate, d.between(150, 250)), "at", at, "n", d.between(3, 6))
}

func drawBondSlow(d *draw) string {
	rate, at := d.rate(), d.between(1, 4)
	return filled(`# A port of a bond came up slow.
# noun: slow link at host$at/rail1#$port or rail1/host$at#$port
# cure: without faults[0]
`, "at", at, "port", 2) + bonded(4, rate, "single-switch") + none + patientPairs + filled(`job:
  replay: {forward: 10us, steps: 2, buckets: [{bytes: $bytes, compute: 10us}]}
faults: # planted
  - {link: host$at/rail1#2, speed: $slowGb/s} # planted
`, "bytes", bytes(rate, d.between(150, 250)), "at", at, "slow", rate/d.between(8, 16))
}

func drawBondStorm(d *draw) string {
	rate, at := d.rate(), d.between(2, 4)
	return filled(`# A port of a bond pauses its switch.
# noun: PFC storm at rail$rail/host$at
# cure: without faults[0]
`, "at", at, "rail", 1) + bonded(4, rate, "dual-rail") + none + patientPairs + "job:\n" +
		digits("[784, 1024, 10]", 8) + filled(`faults: # planted
  - {link: rail1/host$at, at: $sinceus, storm: $lastus} # planted
`, "at", at, "since", d.between(900, 1500), "last", d.between(900, 1500))
}

func drawBondIncast(d *draw) string {
	rate, n := d.rate(), d.between(4, 6)
	text := "# Others send to a bond, by as many queue pairs as fill both ports.\n# noun: incast at rail1/host1#1 or rail1/host1#2\n" +
		"# cure: without all background flows or without the\n" + bonded(n+2, rate, "single-switch") + none + manyPairs +
		"job:\n  flows:\n" +
		flow(2, 1, bytes(2*rate, d.between(80, 120)), "")
	return text + crowd(3, n, 1, bytes(2*rate, d.between(80, 120)))
}

func drawBondStraggler(d *draw) string {
	rank := d.between(0, 3)
	return filled(`# A GPU behind a bond hangs for a while.
# noun: straggler at rank $rank
# cure: without faults[0]
`, "rank", rank) + bonded(4, 100, "dual-rail") + "job:\n" + digits("[784, 128, 10]", 8) + filled(`faults: # planted
  - {gpu: host$host/gpu0, at: $sinceus, hang: $forus} # planted
`, "host", rank+1, "since", d.between(150, 230), "for", d.between(400, 800))
}

// graphs is two hosts with a graph, of GPUs and NICs of a rate.
func graphs(gpus int, more, nic string) string {
	return fmt.Sprintf("cluster:\n  hosts: 2\n  host:\n    preset: hgx-a100\n    gpus: %d\n    graph: preset\n%s"+
		"  nic: {speed: 100Gb/s%s}\n"+
		"fabric: {design: single-switch}\n", gpus, more, nic)
}

func drawGraphGradients(d *draw) string {
	return "# Ranks of a training reach their host's NIC over a slow PCIe link that they share.\n# noun: PCIe shared, PCIe-bound\n" +
		"# cure: with CPU0/PCIe1 twice as fast or with CPU0/PCIe or with PCIe\n" +
		graphs(4, planted(fmt.Sprintf("    links: [{link: CPU0/PCIe1, rate: %dMB/s}]\n", d.between(500, 1500))), ", shared: true") +
		none + `job:
  placement: [host1/gpu2, host2/gpu0, host1/gpu3, host2/gpu1]
` + digits("[784, 512, 10]", 8)
}

func drawGraphSlowUplink(d *draw) string {
	return filled(`# A PCIe link of a host of a collective carries a fraction.
# noun: PCIe shared, PCIe-bound
# cure: without faults[0]
`+graphs(4, "", ", shared: true")+none+`job: {collectives: [{op: $op, bytes: $MBMB, warmup: 0, iterations: 2, algorithm: ring}]}
faults: # planted
  - {host: host2, pcie: $pcieMB/s, pcie_link: PCIe2/CPU0} # planted
`, "op", d.of("all-reduce", "all-gather"), "MB", d.between(2, 6), "pcie", d.between(500, 1500))
}

func drawGraphLossy(d *draw) string {
	return filled(`# The link of a host with a graph loses frames.
# noun: lossy link, timeout at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+graphs(4, "", ", shared: true")+none+"transport: {timeout: 200us}\njob:\n"+digits("[784, 256, 10]", 8)+`faults: # planted
  - {link: rail1/host$at, drop: 0.0$n} # planted
`, "at", d.between(1, 2), "n", d.between(3, 6))
}

func drawGraphStraggler(d *draw) string {
	rank := d.between(0, 7)
	return filled(`# A GPU of a host with a graph is slow.
# noun: straggler at rank $rank
# cure: without faults[0]
`+graphs(4, "", ", shared: true")+"job:\n  parallel: {zero: $zero}\n"+digits("[784, 128, 10]", 8)+`faults: # planted
  - {gpu: host$host/gpu$gpu, slow: $factor} # planted
`, "rank", rank, "zero", d.between(1, 3), "host", rank/4+1, "gpu", rank%4, "factor", d.between(4, 8))
}
