package planted

import (
	"fmt"
	"strings"
)

// layoutFamilies are faults and choices in jobs of several axes, in exchanges and beside other jobs.
var layoutFamilies = []Family{
	{"exchange-deadlock", drawExchangeDeadlock},
	{"exchange-watchdog", drawExchangeWatchdog},
	{"exchange-no-room", drawExchangeNoRoom},
	{"ring-class-of-a-leaf", drawRingClassOfALeaf},
	{"black-hole-of-a-ring", drawBlackHoleOfARing},
	{"exchange-oversubscribed", drawExchangeOversubscribed},
	{"superspines-oversubscribed", drawSuperspinesOversubscribed},
	{"rails-collide", drawRailsCollide},
	{"small-window-of-training", drawSmallWindowOfTraining},
	{"timid-ring", drawTimidRing},
	{"training-victim", drawTrainingVictim},
	{"stages-gives-up", drawStagesGivesUp},
	{"training-hangs", drawTrainingHangs},
	{"gathers-one-after-another", drawGathersOneAfterAnother},
	{"large-messages-for-small", drawLargeMessagesForSmall},
	{"interleaved-bubble", drawInterleavedBubble},
	{"bubble-across-hosts", drawBubbleAcrossHosts},
	{"eager-launches", drawEagerLaunches},
	{"job-stormed-by-neighbour", drawJobStormedByNeighbour},
	{"job-incast-by-neighbour", drawJobIncastByNeighbour},
	{"replay-down-link", drawReplayDownLink},
	{"replay-window", drawReplayWindow},
	{"exchange-reordered", drawExchangeReordered},
	{"tail-lost-of-a-ring", drawTailLostOfARing},
	{"long-cable-pauses", drawLongCablePauses},
	{"ring-shares-nic", drawRingSharesNIC},
	{"last-parallel-link", drawLastParallelLink},
}

func drawExchangeDeadlock(d *draw) string {
	return filled(`# Two dead links, and what an exchange makes of them: detours that are full, or ports that wait in a circle.
# noun: link down, PFC deadlock
# cure: without any fault or without faults
seed: $seed
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  spines: 2
  links: {spine: 100Gb/s}
  switch: {buffer: 1MB}
  routing: {spine_as: unique}
  qos: {pfc: {watchdog: {detect: 300us, restore: 100us}}}
`+none+`transport: {timeout: 1.048576ms}
job: {collectives: [{op: all-to-all, algorithm: direct, bytes: $bytesMB, warmup: 0, iterations: 1}]}
faults: # planted
  - {link: leaf2/spine1, down: 300us, convergence: 0s} # planted
  - {link: leaf1/spine2, down: 300us, convergence: 0s} # planted
`, "seed", d.of("5", "8"), "bytes", d.between(4, 8)) // with these seeds, whole, it has no collisions
}

func drawExchangeWatchdog(d *draw) string {
	return filled(`# The watchdog of a leaf empties a queue of an exchange.
# noun: PFC watchdog at leaf1/spine1
# cure: without faults[0]
`+leafSpine(4, 100, 1, 200, "  links: {length: 20m}\n  qos: {pfc: {watchdog: {detect: $detectus, action: drop, restore: 10us}}}\n")+
		none+`transport: {timeout: 100us}
job: {replay: {forward: 5us, steps: 2, buckets: [{bytes: $bytes, compute: 5us}]}}
faults: # planted
  - {link: leaf1/spine1, sender: spine1, at: 20us, storm: $lastus} # planted
`, "detect", d.between(10, 30), "bytes", bytes(100, d.between(60, 120)), "last", d.between(300, 600))
}

func drawExchangeNoRoom(d *draw) string {
	rate, n := d.rate(), d.between(4, 6)
	return filled(`# A switch without PFC has no room for what all send to one.
# noun: small buffer
# cure: with buffers that are never full or with PFC
`) + single(n, rate, filled("  switch: {buffer: $bufferkB} # planted\n  #instead switch: {buffer: 64MB}\n  qos: {pfc: {enabled: false}}\n",
		"buffer", d.between(150, 250))) + none +
		"transport: {timeout: 500us}\njob:\n  collectives: [{op: gather, bytes: " +
		bytes(rate, d.between(200, 400)) + ", warmup: 0, iterations: 1}]\n"
}

func drawRingClassOfALeaf(d *draw) string {
	return "# A leaf puts RoCE data of a gather into another class.\n# noun: wrong class\n# cure: with leaf2 as the other switches\n" +
		leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n"+
			"  switches: [{match: leaf2, dscp: 26}] # planted\n") + none +
		"transport: {timeout: 200us}\njob:\n  placement: [host5/gpu0, host1/gpu0, host2/gpu0, host3/gpu0, host4/gpu0]\n" +
		"  collectives: [{op: gather, bytes: " +
		bytes(100, d.between(400, 800)) + ", warmup: 0, iterations: 1}]\n"
}

func drawBlackHoleOfARing(d *draw) string {
	return filled(`# The only spine loses a leaf under a ring; once routes have changed, the other leaf drops what goes there.
# noun: black hole, link down
# cure: without faults[0]
`+leafSpine(4, 100, 1, 400, "  links: {length: 20m}\n")+none+`transport: {timeout: 100us}
job: {collectives: [{op: all-gather, algorithm: ring, bytes: $bytes, warmup: 0, iterations: 1}]}
faults: # planted
  - {link: spine1/leaf$leaf, at: $atus, down: $forus, convergence: 0us} # planted
`, "bytes", bytes(100, d.between(150, 300)), "leaf", d.between(1, 2), "at", d.between(20, 60), "for", d.between(300, 500))
}

func drawExchangeOversubscribed(d *draw) string {
	rate, over := d.rate(), d.between(2, 4)
	return filled(`# All send to all over leaves with less up than down.
# noun: oversubscription
# cure: without oversubscription
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  spines: 2
  balance: spray
  links: {spine: $lessGb/s} # planted
  #instead links: {spine: $fullGb/s}
`+none+`transport: {receiver: direct}
job: {collectives: [{op: all-to-all, bytes: $bytes, warmup: 0, iterations: 1}]}
`, "rate", rate, "less", 2*rate/over, "full", 2*rate, "bytes", bytes(rate, d.between(300, 500)))
}

func drawSuperspinesOversubscribed(d *draw) string {
	rate := d.rate()
	text := filled(`# Pods have less up than down.
# noun: oversubscription, shared link
# cure: without oversubscription or with spine or with superspine
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  pods: 2
  spines: 2
  superspines: 2
  balance: spray
  links: {spine: $fullGb/s, superspine: $lessGb/s} # planted
  #instead links: {spine: $fullGb/s, superspine: $fullGb/s}
`, "rate", rate, "full", 2*rate, "less", rate/2) + none + "transport: {receiver: direct}\njob:\n  flows:\n"
	for i := range 8 {
		text += flow(i+1, i+9, bytes(rate, d.between(40, 80)), "")
	}
	return text
}

func drawRailsCollide(d *draw) string {
	rate := d.rate()
	return filled(`# Messages between rails are hashed on few spines.
# noun: ECMP collision
# cure: with spraying or with paths that or with another seed or with a hash
seed: $seed
cluster: {hosts: 4, host: {gpus: 4}, nic: {speed: $rateGb/s}}
fabric:
  design: rail-optimized
  spines: 4
  links: {spine: $rateGb/s}
  balance: ecmp # planted
  #instead balance: spray
`+none+`transport: {receiver: direct}
job:
  flows:
`, "seed", d.between(1, 1000), "rate", rate) + func() (text string) {
		for h := range 4 {
			for g := range 4 {
				text += fmt.Sprintf("    - {from: host%d/gpu%d, to: host%d/gpu%d, bytes: %s}\n", h+1, g, (h+1)%4+1, (g+1)%4,
					bytes(rate, 60))
			}
		}
		return text
	}()
}

func drawSmallWindowOfTraining(d *draw) string {
	return filled(`# A window is too small for the round trip of a training's cables.
# noun: small window
# cure: with an infinite window
`+leafSpine(4, 200, 1, 800, "  links: {length: 20m, spine_length: $longm}\n")+none+`transport: {window: $windowkB} # planted
job:
`+digits("[784, 512, 10]", 8), "long", d.between(800, 2000), "window", d.between(40, 100))
}

func drawTimidRing(d *draw) string {
	return "# DCQCN hardly speeds up again, under a ring that a burst met.\n# noun: controller under-run\n" +
		"# cure: without congestion control or with HPCC\n" +
		single(5, 100, "") + "congestion:\n" + planted("  preset: connectx-default\n  min_rate: 1Gb/s\n"+
		"  rate_ai: 1Mb/s\n  rate_hai: 1Mb/s\n"+
		"  increase_timer: 1ms\n  byte_counter: none\n") + "  #instead algorithm: none\njob:\n  hosts: [host1-host3]\n" +
		fmt.Sprintf("  collectives: [{op: all-gather, algorithm: ring, bytes: %dMB, warmup: 0, iterations: 1}]\n", d.between(24, 36)) +
		"background:\n  flows:\n" + flow(4, 1, "1MB", "") + flow(5, 1, "1MB", "")
}

func drawTrainingVictim(d *draw) string {
	return `# Pauses hold a training that does not cross the full port.
# noun: HOL victim of pauses at leaf2/host5
# cure: without all background flows or without the
` + leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n") + none + "job:\n  hosts: [host2, host8]\n" +
		digits("[784, 512, 10]", 8) +
		planted("background:\n  flows:\n"+flow(1, 5, fmt.Sprintf("%dMB", d.between(4, 8)), "")+flow(6, 5, "6MB", "")+flow(7, 5, "6MB", ""))
}

func drawStagesGivesUp(d *draw) string {
	return filled(`# A stage's host is away for so long that a queue pair gives up; the training goes on from a checkpoint.
# noun: abort
# cure: without faults[0]
`) + single(2, 100, "") + filled("transport: {timeout: 20us, retries: 2}\n"+`job:
  parallel: {pp: 2, dp: 1, micro_batches: 2}
  checkpoint: {steps: 1, storage: 50GB/s}
  restart: $restartus
`, "restart", d.between(100, 200)) + digits("[784, 64, 10]", 8) + filled(`faults: # planted
  - {host: host$at, at: $sinceus, down: $forus} # planted
`, "at", d.between(1, 2), "since", d.between(150, 250), "for", d.between(250, 350))
}

func drawTrainingHangs(d *draw) string {
	return filled(`# A GPU of a training hangs until the watchdog ends the job, which starts again.
# noun: hang
# cure: without faults[0]
`) + single(3, 100, "") + `job:
  checkpoint: {steps: 1, storage: 50GB/s}
  watchdog: 300us
  restart: 100us
` + digits("[784, 64, 10]", 8) + filled(`faults: # planted
  - {gpu: host$at/gpu0, at: $sinceus, hang: $forus} # planted
`, "at", d.between(1, 3), "since", d.between(150, 250), "for", d.between(600, 900))
}

func drawGathersOneAfterAnother(d *draw) string {
	rate := d.rate()
	return `# Sums in a tree where a ring is faster, in hosts of several GPUs.
# noun: wrong algorithm
# cure: with a ring in place or as NCCL would choose
` + filled(`cluster: {hosts: $hosts, host: {gpus: 2}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1}
`, "hosts", d.between(4, 6), "rate", rate) + none + filled(`job:
  collectives:
    - op: all-reduce
      bytes: $bytes
      iterations: 2
      algorithm: $bad # planted
      #instead algorithm: ring
`, "bytes", bytes(2*rate, d.between(400, 600)), "bad", d.of("tree", "chain"))
}

func drawLargeMessagesForSmall(d *draw) string {
	return filled(`# The protocol for large messages, with small ones.
# noun: wrong protocol
# cure: as NCCL would choose
`) + single(d.between(4, 8), 400, "") + none + filled(`job:
  collectives:
    - op: all-reduce
      bytes: $bytesB
      iterations: 2
      algorithm: ring
      protocol: simple # planted
      #instead protocol: ll
`, "bytes", 4*d.between(256, 2048))
}

func drawInterleavedBubble(d *draw) string {
	return filled(`# An interleaved pipeline with few micro-batches.
# noun: bubble
# cure: with $more micro-batches
cluster: {hosts: 1, host: {gpus: 2, launch: 100ns, flops: 200GFLOP/s}}
fabric: {design: single-switch}
job:
  parallel:
    pp: 2
    dp: 1
    schedule: interleaved
    micro_batches: 2 # planted
    #instead micro_batches: 16
`, "more", 4) + digits(filled("[784, $k, 1176, $k, 784, $k, 784, $k]", "k", d.between(60, 90)), 128)
}

func drawBubbleAcrossHosts(d *draw) string {
	return `# A pipeline over hosts, of replicas, with one micro-batch.
# noun: bubble
# cure: with 2 micro-batches
cluster: {hosts: 4, host: {gpus: 2, launch: 100ns, flops: 100GFLOP/s}, nic: {speed: 400Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel:
    pp: 4
    dp: 2
    micro_batches: 1 # planted
    #instead micro_batches: 8
` + digits(filled("[784, $k, 1176, $k, 784, $k, 784, $k]", "k", d.between(60, 90)), 64)
}

func drawEagerLaunches(d *draw) string {
	return filled(`# Kernels of a transformer are started one by one.
# noun: launch-bound
# cure: with launches that take no time or with CUDA graphs
cluster:
  hosts: 2
  host:
    gpus: 2
    launch: eager # planted
    #instead launch: 0ns
  nic: {speed: 400Gb/s}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel: {tp: $tp, pp: $pp, micro_batches: 2}
  train:
    model: gpt
    gpt: {size: 32, blocks: 2, heads: 4}
    data: {text: {window: 16, grammar: {train: 400, test: 20}}}
    batch: 4
    steps: 3
    lr: 0.01
`, "tp", d.between(1, 2), "pp", d.between(1, 2))
}

func drawJobStormedByNeighbour(d *draw) string {
	return filled(`# A NIC of another job pauses its leaf without end, and this job waits behind.
# noun: PFC storm at leaf2/host$at
# cure: without faults[0]
`+leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n")+none+`jobs:
  - name: mine
    hosts: [host1, host5]
    collectives: [{op: all-reduce, algorithm: ring, bytes: $mine, warmup: 0, iterations: 2}]
  - name: other
    flows:
      - {from: host2/gpu0, to: host$at/gpu0, bytes: 4MB}
faults: # planted
  - {link: leaf2/host$at, at: $sinceus, storm: $lastus} # planted
`, "at", d.between(6, 8), "mine", bytes(100, d.between(80, 120)), "since", d.between(10, 30), "last", d.between(300, 500))
}

func drawJobIncastByNeighbour(d *draw) string {
	rate := d.rate()
	return filled(`# Another job gathers at a host whose link a training needs.
# noun: another job, incast, NIC shared at rail1/host2
# cure: without job
cluster: {hosts: 6, host: {gpus: 2}, nic: {speed: $rateGb/s, shared: true}}
fabric: {design: single-switch}
`+none+`jobs:
  - name: mine
    placement: [host1/gpu0, host2/gpu0, host3/gpu0]
`, "rate", rate) + indented(digits("[784, 256, 10]", 8)) + planted(filled(`  - name: other
    placement: [host2/gpu1, host4/gpu1, host5/gpu1, host6/gpu1]
    collectives: [{op: gather, bytes: $bytes, iterations: 4}]
`, "bytes", bytes(rate, d.between(300, 500))))
}

// indented puts lines two columns on.
func indented(text string) (out string) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		out += "  " + line + "\n"
	}
	return out
}

func drawReplayDownLink(d *draw) string {
	rate, leaf := d.rate(), d.between(1, 2)
	return filled(`# An uplink flaps under a replay, whose packets are sprayed.
# noun: link down, timeout at leaf$leaf/spine1 or spine1/leaf$leaf
# cure: without faults[0]
`+leafSpine(6, rate, 2, 3*rate, "  links: {length: 20m}\n  balance: spray\n")+none+`transport: {timeout: 100us, receiver: direct}
job: {replay: {forward: 20us, steps: 2, buckets: [{bytes: $bytes, compute: 10us}]}}
faults: # planted
  - {link: leaf$leaf/spine1, at: $atus, down: 60us, count: 3, every: 120us} # planted
`, "leaf", leaf, "bytes", bytes(rate, d.between(100, 200)), "at", d.between(30, 50))
}

func drawReplayWindow(d *draw) string {
	rate := d.rate()
	return filled(`# A window is smaller than rate times round trip, under a replay.
# noun: small window
# cure: with an infinite window
`+single(d.between(3, 5), rate, "")+none+`transport: {window: $windowkB} # planted
job: {replay: {forward: 5us, steps: 2, buckets: [{bytes: $bytes, compute: 5us}]}}
`, "window", rate*d.between(6, 10)/100, "bytes", bytes(rate, d.between(150, 300)))
}

func drawExchangeReordered(d *draw) string {
	rate := d.rate()
	return filled(`# Packets of a ring are sprayed over paths of different length, and receivers take them in order only.
# noun: reordering
# cure: with receivers or with only lost packets or with ECMP
`+leafSpine(4, rate, 2, 2*rate, filled("  links: {length: 20m, named: [{link: leaf1/spine2, length: $lengthm}]}\n"+
		"  balance: spray\n  spray: {pick: round-robin}\n", "length", d.between(150, 300)))+none, "x", 0) +
		filled(`transport:
  receiver: in-order # planted
  #instead receiver: direct
job: {collectives: [{op: all-gather, algorithm: ring, bytes: $bytes, warmup: 0, iterations: 1}]}
background:
  flows:
    - {from: host1/nic0, to: host3/nic0, bytes: $bytes}
`, "bytes", bytes(rate, d.between(100, 200)))
}

func drawTailLostOfARing(d *draw) string {
	return filled(`# The last packets of a step's message are lost, and only the timer finds it.
# noun: timeout, link down, lossy link
# cure: with a retransmission timeout or without faults[0]
`) + single(2, 100, "") + none + filled(`transport: {timeout: 1.048576ms}
job: {collectives: [{op: send-receive, protocol: none, bytes: $bytes, warmup: 0, iterations: 1}]}
faults: # planted
  - {link: rail1/host2, at: $atus, down: 12us} # planted
`, "bytes", "1MB", "at", d.between(80, 83))
}

func drawLongCablePauses(d *draw) string {
	return filled(`# A leaf has an xOFF far below the others', under a training.
# noun: wrong threshold
# cure: with leaf2 as the other switches
`+leafSpine(6, 100, 1, 400, "  links: {length: 20m}\n  switches: [{match: leaf2, pfc: {threshold: $xoffkB}}] # planted\n")+none+`job:
  hosts: [host1, host6]
`+digits("[784, 512, 10]", 8)+`background:
  flows:
    - {from: host2/nic0, to: host5/nic0, bytes: 3MB}
    - {from: host3/nic0, to: host5/nic0, bytes: 3MB}
`, "xoff", d.between(20, 50))
}

func drawRingSharesNIC(d *draw) string {
	rate := d.rate()
	return filled(`# Bulk transfers of a neighbouring GPU fill the NIC that a rank sends by.
# noun: NIC shared at host1/rail1
# cure: without all background flows or with a NIC for each GPU or without
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: $rateGb/s, shared: true}}
fabric: {design: single-switch}
`+none+`job:
  placement: [host1/gpu0, host2/gpu0, host3/gpu0]
  replay: {forward: 10us, steps: 2, buckets: [{bytes: $bytes, compute: 10us}]}
background: # planted
  flows: # planted
    - {from: host1/gpu1, to: host4/gpu0, bytes: $bulk} # planted
    - {from: host1/gpu1, to: host4/gpu1, bytes: $bulk} # planted
`, "rate", rate, "bytes", bytes(rate, d.between(60, 100)), "bulk", bytes(rate, d.between(200, 300)))
}

func drawLastParallelLink(d *draw) string {
	rate := d.rate()
	return filled(`# Of parallel links between two switches one is slow, and packets are sprayed.
# noun: slow link at left/right#$n or right/left#$n
# cure: without faults[0]
#topology host host1
#topology host host2
#topology host host3
#topology host host4
#topology switch left leaf
#topology switch right leaf
#topology link host1 left $rateGb/s 20m
#topology link host2 left $rateGb/s 20m
#topology link host3 right $rateGb/s 20m
#topology link host4 right $rateGb/s 20m
#topology link left right $rateGb/s 20m
#topology link left right $rateGb/s 20m
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric: {design: custom, topology: planted.txt, balance: $balance}
`+none+`transport: {receiver: direct}
`+across(4, bytes(rate, d.between(100, 200)))+`faults: # planted
  - {link: left/right#$n, speed: $slowGb/s} # planted
`, "n", d.between(1, 2), "rate", rate, "slow", max(1, rate/d.between(5, 10)), "balance", d.of("spray", "pinned"))
}
