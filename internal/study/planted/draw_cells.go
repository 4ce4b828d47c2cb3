package planted

import (
	"fmt"
	"strings"
)

// cellFamilies are nouns under kinds of job that have none of them elsewhere.
var cellFamilies = []Family{
	{"replay-slow-link", drawReplaySlowLink},
	{"replay-lossy", drawReplayLossy},
	{"replay-no-room", drawReplayNoRoom},
	{"replay-victim", drawReplayVictim},
	{"replay-slow-receiver", drawReplaySlowReceiver},
	{"replay-timid", drawReplayTimid},
	{"jobs-slow-link", drawJobsSlowLink},
	{"jobs-lossy", drawJobsLossy},
	{"jobs-incast", drawJobsIncast},
	{"zero-link-down", drawZeroLinkDown},
	{"gpt-flap", drawGPTFlap},
	{"gpt-incast", drawGPTIncast},
	{"gpt-window", drawGPTWindow},
	{"gpt-reordered", drawGPTReordered},
	{"training-class-of-a-leaf", drawTrainingClassOfALeaf},
	{"training-watchdog", drawTrainingWatchdog},
	{"training-oversubscribed", drawTrainingOversubscribed},
	{"training-protocol", drawTrainingProtocol},
	{"training-nvlink", drawTrainingNVLink},
	{"training-shares-nic", drawTrainingSharesNIC},
	{"exchange-polarised", drawExchangePolarised},
	{"ring-out-of-order", drawRingOutOfOrder},
	{"replay-threshold", drawReplayThreshold},
	{"flows-black-hole", drawFlowsBlackHole},
	{"training-black-hole", drawTrainingBlackHole},
}

// steps is a replay of two buckets of a size.
func steps(bytes string) string {
	return filled("replay: {forward: 20us, steps: 3, buckets: [{bytes: $b, compute: 10us}, {bytes: $b, compute: 20us}]}\n", "b", bytes)
}

func drawReplaySlowLink(d *draw) string {
	rate, at := d.rate(), d.between(1, 4)
	return filled(`# The cable of a rank of a replay is slow.
# noun: slow link at rail1/host$at or host$at/rail1
# cure: with rail1/host$at
`+single(4, rate, planted("  links: {named: [{link: rail1/host$at, rate: $slowGb/s}]}\n"))+
		d.of(none, "", "congestion: {algorithm: swift}\n")+"job:\n  "+steps(bytes(rate, d.between(40, 80))),
		"at", at, "slow", rate/d.between(3, 6))
}

func drawReplayLossy(d *draw) string {
	rate, leaf := d.rate(), d.between(1, 2)
	return filled(`# A link between switches loses frames under a replay.
# noun: lossy link, timeout at leaf$leaf/spine1 or spine1/leaf$leaf
# cure: without faults[0]
`+leafSpine(4, rate, 1, 4*rate, "  links: {length: 20m}\n")+none+"transport: {timeout: 200us}\njob:\n  "+
		steps(bytes(rate, d.between(80, 120)))+`faults: # planted
  - {link: leaf$leaf/spine1, drop: 0.0$n} # planted
`, "leaf", leaf, "n", d.between(2, 4))
}

func drawReplayNoRoom(d *draw) string {
	return filled(`# A switch without PFC has no room for what others send to a rank of a replay.
# noun: small buffer at rail1/host2
# cure: with buffers that are never full or with PFC
`) + single(5, 100, fmt.Sprintf("  switch: {buffer: %dkB} # planted\n  #instead switch: {buffer: 64MB}\n", d.between(150, 250))+
		"  qos: {pfc: {enabled: false}}\n") + none + "transport: {timeout: 500us}\njob:\n  hosts: [host1-host3]\n  " +
		steps(bytes(100, d.between(40, 60))) + "background:\n  flows:\n" +
		flow(4, 2, fmt.Sprintf("200kB, count: 10, every: %dus", d.between(60, 100)), "")
}

func drawReplayVictim(d *draw) string {
	return `# Pauses hold a replay that does not cross the full port.
# noun: HOL victim of pauses at leaf2/host5
# cure: without all background flows or without the
` + leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n") + none + "job:\n  hosts: [host2, host8]\n  " +
		steps(bytes(100, d.between(40, 60))) +
		planted("background:\n  flows:\n"+flow(1, 5, "6MB", "")+flow(6, 5, "6MB", "")+flow(7, 5, "6MB", ""))
}

func drawReplaySlowReceiver(d *draw) string {
	return filled(`# A host of a replay takes less than its link brings, and pauses its switch.
# noun: slow receiver, PCIe-bound
# cure: without faults[0]
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 200Gb/s, receive_buffer: 512kB}}
fabric: {design: single-switch}
`+none+"job:\n  "+steps("2MB")+`faults: # planted
  - {host: host$at, pcie: $pcieGb/s} # planted
`, "at", d.between(1, 4), "pcie", d.between(10, 25))
}

func drawReplayTimid(d *draw) string {
	return "# DCQCN hardly speeds up again, under a replay that a burst met.\n# noun: controller under-run\n" +
		"# cure: without congestion control or with HPCC\n" +
		single(5, 100, "") + "congestion:\n" + planted("  preset: connectx-default\n  min_rate: 1Gb/s\n  rate_ai: 1Mb/s\n"+
		"  rate_hai: 1Mb/s\n  increase_timer: 1ms\n  byte_counter: none\n") + "  #instead algorithm: none\njob:\n  hosts: [host1-host3]\n" +
		fmt.Sprintf("  replay: {forward: 5us, steps: 2, buckets: [{bytes: %dMB, compute: 5us}]}\n", d.between(20, 30)) +
		"background:\n  flows:\n" + flow(4, 1, "1MB", "") + flow(5, 1, "1MB", "")
}

func drawJobsSlowLink(d *draw) string {
	rate := d.rate()
	return filled(`# Of two jobs the first has a link that came up slow.
# noun: slow link at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(6, rate, "")+d.of(none, "")+`jobs:
  - name: mine
    hosts: [host1-host3]
    $mine  - name: other
    hosts: [host4-host6]
    $other`+`faults: # planted
  - {link: rail1/host$at, speed: $slowGb/s} # planted
`, "at", d.between(1, 3), "slow", rate/d.between(5, 10), "mine", steps(bytes(rate, d.between(40, 60))), "other", steps(bytes(rate, 40)))
}

func drawJobsLossy(d *draw) string {
	rate := d.rate()
	return filled(`# Of two jobs the first has a link that loses frames.
# noun: lossy link, timeout at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(6, rate, "")+none+`transport: {timeout: 200us}
jobs:
  - name: mine
    hosts: [host1-host3]
    collectives: [{op: all-gather, bytes: $bytes, warmup: 0, iterations: 2, algorithm: ring}]
  - name: other
    hosts: [host4-host6]
    $other`+`faults: # planted
  - {link: rail1/host$at, drop: 0.0$n} # planted
`, "at", d.between(1, 3), "n", d.between(2, 5), "bytes", bytes(rate, d.between(150, 250)), "other", steps(bytes(rate, 40)))
}

func drawJobsIncast(d *draw) string {
	rate, to := d.rate(), d.between(1, 3)
	return filled(`# Of two jobs the first meets background traffic at a host.
# noun: incast at rail1/host$to
# cure: without all background flows or without the
`+single(8, rate, "")+none+`jobs:
  - name: mine
    hosts: [host1-host3]
    $mine  - name: other
    hosts: [host4-host5]
    $other`, "to", to, "mine", steps(bytes(rate, d.between(30, 60))), "other", steps(bytes(rate, 40))) +
		crowd(6, 3, to, bytes(rate, d.between(150, 250)))
}

func drawZeroLinkDown(d *draw) string {
	at := d.between(1, 4)
	return filled(`# The link of a rank that has a part of the state goes down for a while, twice.
# noun: link down at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(4, 100, "")+none+"transport: {timeout: 100us}\njob:\n  parallel: {zero: $zero}\n"+digits("[784, 256, 10]", 8)+`faults: # planted
  - {link: rail1/host$at, at: $sinceus, down: $forus, count: 2, every: 500us} # planted
`, "at", at, "zero", d.between(1, 3), "since", d.between(200, 300), "for", d.between(150, 250))
}

// layers is a transformer in two stages whose hosts are of one GPU.
func layers(hosts int) string { return "  parallel: {pp: 2, micro_batches: 2}\n" + gpt(100*hosts) }

func drawGPTFlap(d *draw) string {
	at := d.between(1, 2)
	return filled(`# The link of a stage of a transformer goes down for a while, twice.
# noun: link down at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(2, 100, "")+none+"transport: {timeout: 100us}\njob:\n"+layers(2)+`faults: # planted
  - {link: rail1/host$at, at: $sinceus, down: $forus, count: 3, every: 400us} # planted
`, "at", at, "since", d.between(100, 200), "for", d.between(200, 300))
}

func drawGPTIncast(d *draw) string {
	to := d.between(1, 4)
	return fmt.Sprintf("# Others send to a rank of a transformer.\n# noun: incast at rail1/host%d\n"+
		"# cure: without all background flows\n", to) +
		single(7, 50, "") + d.of(none, "") + "job:\n  hosts: [host1-host4]\n" + layers(4) +
		crowd(5, 3, to, fmt.Sprintf("400kB, count: 12, every: %dus", d.between(120, 160)))
}

func drawGPTWindow(d *draw) string {
	return filled(`# A window is too small for cables between the halls of a transformer's replicas.
# noun: small window
# cure: with an infinite window
`+leafSpine(4, 200, 1, 800, "  links: {length: 20m, spine_length: $longm}\n")+none+`transport: {window: $windowkB} # planted
job:
  placement: [host1/gpu0, host3/gpu0]
`+gpt(200), "long", d.between(3000, 5000), "window", d.between(8, 12))
}

func drawGPTReordered(d *draw) string {
	return filled(`# Gradients of a transformer are sprayed over paths of different length, and receivers take them in order only.
# noun: reordering
# cure: with receivers or with only lost packets or with ECMP
`+leafSpine(2, 100, 2, 100, "  links: {named: [{link: leaf1/spine2, length: $longm}]}\n"+
		"  balance: spray\n  spray: {pick: round-robin}\n")+none+`transport:
  receiver: in-order # planted
  #instead receiver: direct
job:
`+gpt(200), "long", d.between(800, 1500))
}

func drawTrainingClassOfALeaf(d *draw) string {
	return "# A leaf puts a training's data into another class.\n# noun: wrong class\n# cure: with leaf2 as the other switches\n" +
		leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n"+
			"  switches: [{match: leaf2, dscp: 26}] # planted\n") + none + "transport: {timeout: 300us}\njob:\n  hosts: [host1, host5]\n" +
		digits("[784, 512, 10]", 8) + "background:\n  flows:\n" +
		flow(2, 5, fmt.Sprintf("1MB, count: 6, every: %dus", d.between(200, 300)), "") +
		flow(3, 5, fmt.Sprintf("1MB, count: 6, every: %dus", d.between(200, 300)), "")
}

func drawTrainingWatchdog(d *draw) string {
	return filled(`# The watchdog of a leaf empties a queue of a training, whose pauses do not end.
# noun: PFC watchdog at leaf1/spine1
# cure: without faults[0]
`+leafSpine(4, 100, 1, 200, "  links: {length: 20m}\n  qos: {pfc: {watchdog: {detect: $detectus, action: drop, restore: 10us}}}\n")+
		none+"transport: {timeout: 100us}\njob:\n"+digits("[784, 512, 10]", 8)+`faults: # planted
  - {link: leaf1/spine1, sender: spine1, at: $sinceus, storm: $lastus} # planted
`, "detect", d.between(10, 30), "since", d.between(500, 800), "last", d.between(600, 900))
}

func drawTrainingOversubscribed(d *draw) string {
	return filled(`# All ranks of a training have their neighbours below another leaf, and leaves have less up than down.
# noun: oversubscription, slow link
# cure: without oversubscription or with leaf1/spine1 or with spine1/leaf2
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  links: {spine: $lessGb/s} # planted
  #instead links: {spine: 400Gb/s}
`+none+`job:
  placement: [host1/gpu0, host5/gpu0, host2/gpu0, host6/gpu0, host3/gpu0, host7/gpu0, host4/gpu0, host8/gpu0]
`+digits("[784, 1024, 10]", 8), "less", d.between(2, 4)*10)
}

func drawTrainingProtocol(d *draw) string {
	return "# The protocol for small messages, with large gradients.\n# noun: wrong protocol\n# cure: as NCCL would choose\n" +
		single(d.between(4, 6), 100, "") + none + "job:\n  collective:\n    algorithm: ring\n    protocol: ll # planted\n" +
		"    #instead protocol: simple\n" +
		fmt.Sprintf("  replay: {forward: 5us, steps: 2, buckets: [{bytes: %dMB, compute: 5us}]}\n", d.between(4, 8))
}

func drawTrainingNVLink(d *draw) string {
	return filled(`# NVLink of all hosts is slow, under a training.
# noun: NVLink-bound
# cure: with NVLink as the board has it or with NVLink
cluster:
  hosts: 1
  host:
    gpus: $gpus
    nvlink: $slowGB/s # planted
fabric: {design: single-switch}
job:
`+digits("[784, 1024, 10]", 8), "gpus", d.between(4, 8), "slow", d.between(2, 6))
}

func drawTrainingSharesNIC(d *draw) string {
	return filled(`# Bulk transfers of a neighbouring GPU fill the NIC that a rank of a training sends by.
# noun: NIC shared at host1/rail1
# cure: without all background flows or with a NIC for each GPU or without
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 100Gb/s, shared: true}}
fabric: {design: single-switch}
`+none+`job:
  placement: [host1/gpu0, host2/gpu0, host3/gpu0]
`+digits("[784, 512, 10]", 8)+`background: # planted
  flows: # planted
    - {from: host1/gpu1, to: host4/gpu0, bytes: $MBMB} # planted
    - {from: host1/gpu1, to: host4/gpu1, bytes: $MBMB} # planted
`, "MB", d.between(10, 20))
}

func drawExchangePolarised(d *draw) string {
	rate := d.rate()
	return filled(`# Tiers that hash alike, under an exchange of all with all.
# noun: polarisation, ECMP collision
# cure: with a hash seed for each switch or with spraying or with paths that a controller or with another seed
`+pods(16, rate)+`seed: $seed
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: $rateGb/s}}
fabric:
  design: custom
  topology: planted.txt
  balance: ecmp # planted
  #instead balance: spray
`+none+`transport: {receiver: direct}
job: {collectives: [{op: all-to-all, algorithm: direct, bytes: $bytes, warmup: 0, iterations: 1}]}
`, "seed", d.between(1, 100), "rate", rate, "bytes", bytes(rate, d.between(200, 300)))
}

// ringInOrder is the schedule of an all-reduce in a ring through ranks in an order, as a file has it.
func ringInOrder(order []int) string {
	n := len(order)
	ranks := make([]string, n)
	for p, rank := range order {
		var b strings.Builder
		op, next, before := 0, order[(p+1)%n], order[(p+n-1)%n]
		line := func(format string, args ...any) int {
			fmt.Fprintf(&b, "#topology %d %s\n", op, fmt.Sprintf(format, args...))
			op++
			return op - 1
		}
		fmt.Fprintf(&b, "#topology rank %d channel 0\n", rank)
		line("send chunk %d to %d", p, next)
		for k := 1; k <= 2*(n-1); k++ {
			chunk := (p + 2*n - k) % n
			got := line("recv chunk %d from %d slot %d", chunk, before, k-1)
			if k < n {
				got = line("reduce chunk %d slot %d after %d", chunk, k-1, got)
			} else {
				got = line("copy chunk %d slot %d after %d acked %d", chunk, k-1, got, 3*(k-n))
			}
			if k < 2*(n-1) {
				line("send chunk %d to %d after %d", chunk, next, got)
			}
		}
		ranks[rank] = b.String()
	}
	return fmt.Sprintf("#topology schedule ring\n#topology ranks %[1]d\n#topology channels 1\n#topology chunks %[1]d\n#topology slots %d\n",
		n, 2*(n-1)) + strings.Join(ranks, "")
}

func drawRingOutOfOrder(d *draw) string {
	gpus := d.between(2, 4)
	var order []int
	second := d.order(gpus)
	for i, g := range d.order(gpus) {
		order = append(order, g, gpus+second[i])
	}
	return filled(`# A ring leaves its host with each step.
# noun: wrong order
# cure: with a ring in place of the schedule
`+ringInOrder(order)+`cluster: {hosts: 2, host: {gpus: $gpus}, nic: {speed: $rateGb/s, shared: true}}
fabric: {design: single-switch}
`+none+`job:
  collective:
    schedule: planted.txt # planted
    #instead algorithm: ring
`+digits("[784, 1024, 10]", 8), "gpus", gpus, "rate", d.rate())
}

func drawReplayThreshold(d *draw) string {
	return filled(`# A leaf pauses its spine far too early, and a replay that has nothing to do with a short queue waits.
# noun: wrong threshold at leaf2/host8
# cure: with leaf2 as the other switches
`+leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switches: [{match: leaf2, pfc: {threshold: $xoffkB}}] # planted\n")+none+
		"job:\n  hosts: [host1, host7]\n  "+steps(bytes(100, d.between(40, 60)))+"background:\n  flows:\n"+
		flow(2, 8, "$bytes", "")+flow(3, 8, "$bytes", ""), "xoff", d.between(30, 60), "bytes", bytes(100, d.between(300, 400)))
}

func drawFlowsBlackHole(d *draw) string {
	return filled(`# The only spine loses a leaf; once routes have changed, the other leaf drops what goes there.
# noun: black hole at leaf1
# cure: without faults[0]
`+leafSpine(4, 100, 1, 400, "  links: {length: 20m}\n")+none+`transport: {timeout: 100us}
`+across(4, bytes(100, d.between(150, 300)))+`faults: # planted
  - {link: spine1/leaf$leaf, at: $atus, down: $forus, convergence: 0us} # planted
`, "leaf", d.between(1, 2), "at", d.between(20, 60), "for", d.between(300, 500))
}

func drawTrainingBlackHole(d *draw) string {
	return filled(`# The only spine loses a leaf, twice; once routes have changed, the other leaf drops what a training sends there.
# noun: black hole at leaf1 or leaf2
# cure: without faults[0]
`+leafSpine(4, 100, 1, 400, "  links: {length: 20m}\n")+none+`transport: {timeout: 100us}
job:
`+digits("[784, 512, 10]", 8)+`faults: # planted
  - {link: spine1/leaf$leaf, at: $atus, down: $forus, count: 2, every: 1ms, convergence: 0us} # planted
`, "leaf", d.between(1, 2), "at", d.between(200, 300), "for", d.between(300, 500))
}
