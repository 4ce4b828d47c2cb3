package planted

import "fmt"

// trainingFamilies are faults and settings that are seen under flows elsewhere, under trainings and exchanges.
var trainingFamilies = []Family{
	{"training-slow-receiver", drawTrainingSlowReceiver},
	{"training-no-room", drawTrainingNoRoom},
	{"training-reordered", drawTrainingReordered},
	{"training-pcie-shared", drawTrainingPCIeShared},
	{"training-other-job", drawTrainingOtherJob},
	{"training-no-pfc", drawTrainingNoPFC},
	{"stages-slow-uplink", drawStagesSlowUplink},
	{"gpt-storm", drawGPTStorm},
	{"gpt-straggler", drawGPTStraggler},
	{"zero-incast", drawZeroIncast},
	{"far-nics", drawFarNICs},
	{"far-cables", drawFarCables},
	{"exchange-slow-receiver", drawExchangeSlowReceiver},
	{"sprayed-lopsided", drawSprayedLopsided},
	{"gpt-checkpoint", drawGPTCheckpoint},
	{"scatter-shares-link", drawScatterSharesLink},
}

func drawTrainingSlowReceiver(d *draw) string {
	at := d.between(1, 3)
	return filled(`# PCIe of a host of a training takes less than its link brings, and its NIC pauses the switch.
# noun: slow receiver, PCIe-bound
# cure: without faults[0]
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 200Gb/s, receive_buffer: 1MB}}
fabric: {design: single-switch}
`+none+"job:\n"+digits("[784, 1024, 10]", 8)+`faults: # planted
  - {host: host$at, pcie: $pcieGb/s} # planted
`, "at", at, "pcie", d.between(8, 20))
}

func drawTrainingNoRoom(d *draw) string {
	return filled(`# A switch without PFC has no room for what others send to a rank of a training.
# noun: small buffer at rail1/host2
# cure: with buffers that are never full or with PFC
`) + single(5, 100, filled("  switch: {buffer: $kB} # planted\n  #instead switch: {buffer: 64MB}\n  qos: {pfc: {enabled: false}}\n", "kB",
		fmt.Sprintf("%dkB", d.between(150, 250)))) + none + "transport: {timeout: 500us}\njob:\n  hosts: [host1-host3]\n" +
		digits("[784, 512, 10]", 8) + "background:\n  flows:\n" +
		flow(4, 2, fmt.Sprintf("200kB, count: 10, every: %dus", d.between(150, 200)), "")
}

func drawTrainingReordered(d *draw) string {
	return filled(`# Gradients are sprayed over paths of different length, and receivers take them in order only.
# noun: reordering
# cure: with receivers or with only lost packets or with ECMP
`+leafSpine(4, 100, 2, 100, "  links: {named: [{link: leaf1/spine2, length: $longm}]}\n"+
		"  balance: spray\n  spray: {pick: round-robin}\n")+none+
		`transport:
  receiver: in-order # planted
  #instead receiver: direct
job:
  placement: [host1/gpu0, host3/gpu0]
`+digits("[784, 256, 10]", 8), "long", d.between(500, 1500))
}

func drawTrainingPCIeShared(d *draw) string {
	return filled(`# Ranks of a training reach their host's NIC over a slow PCIe link that they share.
# noun: PCIe shared, PCIe-bound
# cure: with CPU0/PCIe1 twice as fast or with CPU0/PCIe
cluster:
  hosts: 2
  host:
    preset: hgx-a100
    gpus: 4
    graph: preset
    links: [{link: CPU0/PCIe1, rate: $slowGB/s}] # planted
  nic: {shared: true, speed: 100Gb/s}
fabric: {design: single-switch}
`+none+`job:
  flows:
    - {from: host1/gpu2, to: host2/gpu0, bytes: $kBkB, count: 2, every: 50us}
    - {from: host1/gpu3, to: host2/gpu1, bytes: $kBkB, count: 2, every: 50us}
`, "slow", d.between(2, 3), "kB", d.between(300, 500))
}

func drawTrainingOtherJob(d *draw) string {
	return filled(`# The exchange of another job fills the links of leaves to spines that a training needs.
# noun: another job
# cure: without job
`+leafSpine(8, 100, 2, 100, "  links: {length: 20m}\n  balance: spray\n")+none+`transport: {receiver: direct}
jobs:
  - name: mine
    placement: [host1/gpu0, host5/gpu0]
`) + indented(digits("[784, 512, 10]", 8)) + planted(filled(`  - name: other
    hosts: [host2-host4, host6-host8]
    collectives: [{op: all-to-all, bytes: $bytes, iterations: 6}]
`, "bytes", bytes(100, d.between(300, 500))))
}

func drawTrainingNoPFC(d *draw) string {
	return filled(`# A leaf without PFC drops what a training's replicas send across.
# noun: wrong threshold, small buffer
# cure: with leaf2 as the other switches
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  links: {spine: 400Gb/s}
  switch: {buffer: 1MB}
  switches: [{match: leaf2, pfc: {enabled: false}}] # planted
`+none+`transport: {timeout: 300us}
job:
  placement: [host1/gpu0, host5/gpu0]
`+digits("[784, 1024, 10]", 8)+`background:
  flows:
    - {from: host2/nic0, to: host5/nic0, bytes: 1MB, count: $n, every: 300us}
    - {from: host3/nic0, to: host5/nic0, bytes: 1MB, count: $n, every: 300us}
`, "n", d.between(3, 5))
}

func drawStagesSlowUplink(d *draw) string {
	leaf := d.between(1, 2)
	return filled(`# Stages are on two leaves, and an uplink came up slow.
# noun: slow link at leaf$leaf/spine1 or spine1/leaf$leaf
# cure: without faults[0]
`+leafSpine(4, 200, 1, 400, "  links: {length: 20m}\n")+d.of(none, "", "congestion: {algorithm: swift}\n")+`job:
  parallel: {pp: 2, dp: 2, micro_batches: 4, order: $order}
  placement: [host1/gpu0, host3/gpu0, host2/gpu0, host4/gpu0]
`+digits("[784, 512, 10]", 64)+`faults: # planted
  - {link: leaf$leaf/spine1, speed: $slowGb/s} # planted
`, "leaf", leaf, "slow", d.between(5, 15), "order", d.of("tp-dp-pp", "pp-tp-dp"))
}

// gpt is a small transformer.
func gpt(train int) string {
	return fmt.Sprintf("  train:\n    model: gpt\n    gpt: {size: 32, blocks: 2, heads: 4}\n"+
		"    data: {text: {window: 16, grammar: {train: %d, test: 20}}}\n    batch: 4\n    steps: 3\n    lr: 0.01\n", train)
}

func drawGPTStorm(d *draw) string {
	at := d.between(1, 4)
	return filled(`# The NIC of a stage of a transformer pauses its switch.
# noun: PFC storm at rail1/host$at
# cure: without faults[0]
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
`+d.of(none, "")+`job:
  parallel: {tp: 2, pp: 2, dp: 2, micro_batches: 2}
`+gpt(400)+`faults: # planted
  - {link: rail1/host$at, at: $sinceus, storm: $lastus} # planted
`, "at", at, "since", d.between(30, 100), "last", d.between(500, 900))
}

func drawGPTStraggler(d *draw) string {
	host, g := d.between(1, 4), d.between(0, 1)
	return filled(`# A GPU of a transformer throttles.
# noun: straggler at rank $rank
# cure: without faults[0]
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel: {tp: $tp, pp: $pp, micro_batches: 2}
`+gpt(400)+`faults: # planted
  - {gpu: host$host/gpu$gpu, slow: $factor} # planted
`, "rank", 2*(host-1)+g, "host", host, "gpu", g, "factor", d.between(4, 8), "tp", d.between(1, 2), "pp", d.between(1, 2))
}

func drawZeroIncast(d *draw) string {
	to := d.between(1, 4)
	return filled(`# Others send to a rank that gathers its weights before each layer.
# noun: incast at rail1/host$to
# cure: without all background flows or without the
`+single(7, 100, "")+d.of(none, "")+`job:
  hosts: [host1-host4]
  parallel: {zero: $zero}
`+digits("[784, 256, 10]", 8)+planted(`background:
  flows:
    - {from: host5/nic0, to: host$to/nic0, bytes: 500kB, count: 10, every: 100us}
    - {from: host6/nic0, to: host$to/nic0, bytes: 500kB, count: 10, every: 100us}
    - {from: host7/nic0, to: host$to/nic0, bytes: 500kB, count: 10, every: 100us}
`), "to", to, "zero", d.between(1, 3))
}

func drawFarNICs(d *draw) string {
	return filled(`# NICs take long to send and to receive.
# noun: host-bound
# cure: with NICs without
cluster:
  hosts: 4
  host: {gpus: 1}
  nic:
    speed: 200Gb/s
    latency: $usus # planted
fabric: {design: single-switch}
`+none+`job:
  collectives: [{op: all-gather, bytes: 100kB, algorithm: ring, protocol: none, warmup: 0, iterations: 2}]
`, "us", d.between(20, 60))
}

func drawFarCables(d *draw) string {
	return filled(`# The halls are far apart.
# noun: latency-bound
# cure: with cables that
`+leafSpine(4, 200, 1, 800, "  switch: {buffer: 512MB}\n"+
		"  links: {length: 20m, spine_length: $kmkm} # planted\n  #instead links: {spine: 800Gb/s}\n")+none+`job:
  placement: [host1/gpu0, host3/gpu0]
  collectives: [{op: all-reduce, bytes: 200kB, algorithm: ring, protocol: none, warmup: 0, iterations: 2}]
`, "km", d.between(10, 40))
}

func drawExchangeSlowReceiver(d *draw) string {
	at := d.between(5, 8)
	return filled(`# A host takes less than its link brings under an exchange.
# noun: slow receiver, PCIe-bound
# cure: without faults[0]
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s, receive_buffer: 1MB}}
fabric: {design: leaf-spine, leaves: 2, spines: 1, links: {spine: 400Gb/s}, switch: {buffer: 2MB}}
`+none+`job: {collectives: [{op: all-to-all, algorithm: direct, bytes: $bytes, warmup: 0, iterations: 1}]}
faults: # planted
  - {host: host$at, pcie: $pcieGb/s} # planted
`, "at", at, "bytes", bytes(100, d.between(800, 1600)), "pcie", d.between(8, 15))
}

func drawSprayedLopsided(d *draw) string {
	rate := d.rate()
	return filled(`# A leaf has two of its three uplinks to one spine, so that spraying gives that two thirds.
# noun: uneven spraying, shared link at spine1/leaf2
# cure: with paths that or with spine1/leaf2
#topology host host1
#topology host host2
#topology host host3
#topology host host4
#topology switch leaf1 leaf
#topology switch leaf2 leaf
#topology switch spine1 spine
#topology switch spine2 spine
#topology link host1 leaf1 $rateGb/s 20m
#topology link host2 leaf1 $rateGb/s 20m
#topology link host3 leaf2 $rateGb/s 20m
#topology link host4 leaf2 $rateGb/s 20m
#topology link leaf1 spine1 $rateGb/s 20m
#topology link leaf1 spine1 $rateGb/s 20m
#topology link leaf1 spine2 $rateGb/s 20m
#topology link spine1 leaf2 $rateGb/s 20m
#topology link spine2 leaf2 $rateGb/s 20m
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: custom
  topology: planted.txt
  balance: spray # planted
  #instead balance: pinned
  spray: {pick: round-robin} # planted
`+none+"transport: {receiver: direct}\n", "rate", rate) + across(4, bytes(rate, d.between(100, 200)))
}

func drawGPTCheckpoint(d *draw) string {
	return filled(`# A transformer writes checkpoints that take long.
# noun: checkpoint
# cure: without checkpoints
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel: {tp: 2, pp: 2}
`) + gpt(400) + planted(fmt.Sprintf("  checkpoint: {steps: 1, storage: %dMB/s}\n", d.between(500, 1500)))
}

func drawScatterSharesLink(d *draw) string {
	rate := d.rate()
	return filled(`# Bulk transfers share the one link between two switches with a scatter.
# noun: shared link at left/right
# cure: without all background flows or without the or with left/right
#topology host host1
#topology host host2
#topology host host3
#topology host host4
#topology host host5
#topology host host6
#topology switch left leaf
#topology switch right leaf
#topology link host1 left $rateGb/s 20m
#topology link host2 left $rateGb/s 20m
#topology link host3 left $rateGb/s 20m
#topology link host4 right $rateGb/s 20m
#topology link host5 right $rateGb/s 20m
#topology link host6 right $rateGb/s 20m
#topology link left right $rateGb/s 20m
cluster: {hosts: 6, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric: {design: custom, topology: planted.txt}
`+d.of(none, dcqcn, "congestion: {algorithm: hpcc}\n")+`job:
  hosts: [host1, host4]
  collectives: [{op: $op, bytes: $bytes, protocol: none, warmup: 0, iterations: 2}]
`, "rate", rate, "op", d.of("scatter", "broadcast", "all-gather", "send-receive"), "bytes", bytes(rate, d.between(100, 200))) +
		planted("background:\n  flows:\n"+flow(2, 5, bytes(rate, 400), "")+flow(3, 6, bytes(rate, 400), ""))
}
