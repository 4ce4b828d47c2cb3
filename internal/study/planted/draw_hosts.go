package planted

import "fmt"

// hostFamilies are of what is wrong in hosts, and of how jobs are laid out and survive.
var hostFamilies = []Family{
	{"nic-of-two", drawNICOfTwo},
	{"pcie-switch", drawPCIeSwitch},
	{"slow-pcie", drawSlowPCIe},
	{"slow-nvlink", drawSlowNVLink},
	{"throttled", drawThrottled},
	{"throttled-replay", drawThrottledReplay},
	{"slow-stage", drawSlowStage},
	{"hanging", drawHanging},
	{"tree", drawTree},
	{"training-chain", drawTrainingChain},
	{"ll128", drawLL128},
	{"deep-bubble", drawDeepBubble},
	{"last-stage", drawLastStage},
	{"skewed-rails", drawSkewedRails},
	{"saves-often", drawSavesOften},
	{"gives-up", drawGivesUp},
	{"hangs-for-good", drawHangsForGood},
	{"mixed-placement", drawMixedPlacement},
	{"job-beside-job", drawJobBesideJob},
	{"job-in-leaf", drawJobInLeaf},
	{"slow-rank-of-two-jobs", drawSlowRankOfTwoJobs},
	{"lossy-training", drawLossyTraining},
	{"stage-link", drawStageLink},
	{"tensor-storm", drawTensorStorm},
	{"launches-tensor", drawLaunchesTensor},
}

func drawNICOfTwo(d *draw) string {
	rate, size := d.rate(), d.between(60, 120)
	text := filled(`# Neighbouring GPUs share a NIC.
# noun: NIC shared at host1/rail1
# cure: with a NIC for each GPU or without flow
cluster: {hosts: 3, host: {gpus: 4}, nic: {speed: $rateGb/s, shared_by: 4}}
fabric: {design: rail-optimized, spines: 1}
`+none+"job:\n  flows:\n    - {from: host1/gpu0, to: host2/gpu0, bytes: $bytes}\n", "rate", rate, "bytes", bytes(rate, size))
	for i := range d.between(1, 3) {
		text += filled("    - {from: host1/gpu$gpu, to: host3/gpu$gpu, bytes: $bytes} # planted\n", "gpu", i+1, "bytes", bytes(rate, size))
	}
	return text
}

func drawPCIeSwitch(d *draw) string {
	return filled(`# A PCIe link of a host that two GPUs share carries a fraction.
# noun: PCIe shared, PCIe-bound
# cure: without faults[0]
cluster:
  hosts: 2
  host: {preset: hgx-a100, gpus: 4, graph: preset}
  nic: {shared: true, speed: 100Gb/s}
fabric: {design: single-switch}
`+none+`job:
  flows:
    - {from: host1/gpu0, to: host2/gpu2, bytes: $kBkB}
    - {from: host1/gpu1, to: host2/gpu3, bytes: $kBkB}
faults: # planted
  - {host: host2, at: $atus, for: 900us, pcie: $pcieMB/s, pcie_link: PCIe2/CPU0} # planted
`, "kB", d.between(600, 1200), "at", d.between(0, 20), "pcie", d.between(1000, 2000))
}

func drawSlowPCIe(d *draw) string {
	return filled(`# PCIe of one host carries less than its NIC.
# noun: PCIe-bound, slow receiver, PCIe shared
# cure: without faults[0]
`+single(d.between(3, 5), 200, "")+none+`job:
  collectives: [{op: all-gather, bytes: $bytes, iterations: 2, algorithm: ring}]
faults: # planted
  - {host: host$at, pcie: $pcieGb/s} # planted
`, "bytes", bytes(200, d.between(60, 120)), "at", d.between(1, 3), "pcie", d.between(20, 50))
}

func drawSlowNVLink(d *draw) string {
	return filled(`# NVLink is slow in all hosts, under an all-reduce.
# noun: NVLink-bound
# cure: with NVLink as the board has it
cluster:
  hosts: 1
  host:
    gpus: $gpus
    nvlink: $slowGB/s # planted
fabric: {design: single-switch}
job:
  collectives: [{op: all-reduce, bytes: $MBMB, iterations: 2, algorithm: ring, protocol: none}]
`, "gpus", d.between(4, 8), "slow", d.between(5, 20), "MB", d.between(4, 16))
}

func drawThrottled(d *draw) string {
	host, gpu := d.between(1, 2), d.between(0, 3)
	return filled(`# A GPU throttles.
# noun: straggler at rank $rank
# cure: without faults[0]
cluster: {hosts: 2, host: {gpus: 4}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
`+digits("[784, 128, 10]", 8)+`faults: # planted
  - {gpu: host$host/gpu$gpu, slow: $factor} # planted
`, "rank", 4*(host-1)+gpu, "host", host, "gpu", gpu, "factor", d.between(4, 8))
}

func drawThrottledReplay(d *draw) string {
	rank := d.between(0, 4)
	return filled(`# A GPU of a replay is slow.
# noun: straggler at rank $rank
# cure: with rank $rank as the other ranks
cluster:
  hosts: 5
  host: {gpus: 1}
  nic: {speed: 200Gb/s}
  slow: [{rank: $rank, factor: $factor}] # planted
fabric: {design: single-switch}
job:
  replay: {forward: $forwardus, steps: 3, buckets: [{bytes: $kBkB, compute: 20us}, {bytes: $kBkB, compute: 20us}]}
`, "rank", rank, "factor", d.between(2, 4), "forward", d.between(40, 80), "kB", d.between(100, 300))
}

func drawSlowStage(d *draw) string {
	rank := d.between(0, 2)
	return filled(`# A GPU that has a stage of a pipeline is slow.
# noun: straggler at rank $rank
# cure: with rank $rank as the other ranks
cluster:
  hosts: 1
  host: {gpus: 4, launch: 100ns, flops: 200GFLOP/s}
  slow: [{rank: $rank, factor: $factor}] # planted
fabric: {design: single-switch}
job:
  parallel: {pp: 4, dp: 1, micro_batches: 8}
`+digits("[784, 64, 64, 64, 10]", 128), "rank", rank, "factor", d.between(20, 30))
}

func drawHanging(d *draw) string {
	return filled(`# A GPU stands still for a while.
# noun: straggler
# cure: without faults[0]
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  replay: {forward: 20us, steps: 4, buckets: [{bytes: 400kB, compute: 10us}]}
faults: # planted
  - {gpu: host$host/gpu$gpu, at: $atus, hang: $forus} # planted
`, "host", d.between(1, 2), "gpu", d.between(0, 1), "at", d.between(20, 60), "for", d.between(300, 800))
}

func drawTree(d *draw) string {
	rate := d.rate()
	return `# A tree where a ring is faster.
# noun: wrong algorithm
# cure: with a ring in place or as NCCL would choose
` + single(d.between(5, 8), rate, "") + none + filled(`job:
  collectives:
    - op: all-reduce
      bytes: $bytes
      iterations: 2
      algorithm: $tree # planted
      #instead algorithm: ring
`, "bytes", bytes(rate, d.between(300, 500)), "tree", d.of("tree", "chain"))
}

func drawTrainingChain(d *draw) string {
	rate := d.rate()
	return `# A chain sums gradients where a ring is faster.
# noun: wrong algorithm
# cure: with a ring in place or as NCCL would choose
` + single(d.between(4, 6), rate, "") + none + filled(`job:
  replay: {forward: 5us, steps: 2, buckets: [{bytes: $bytes, compute: 5us}]}
  collective: {algorithm: chain} # planted
`, "bytes", bytes(rate, d.between(200, 400)))
}

func drawLL128(d *draw) string {
	rate := d.rate()
	return `# The protocol for small messages, with large ones, in several hosts of four GPUs.
# noun: wrong protocol
# cure: as NCCL would choose
` + filled(`cluster: {hosts: $hosts, host: {gpus: 4}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 1}
`+none+`job:
  collectives:
    - op: all-gather
      bytes: $bytes
      iterations: 2
      algorithm: ring
      protocol: ll # planted
      #instead protocol: simple
`, "hosts", d.between(2, 3), "rate", rate, "bytes", bytes(4*rate, d.between(200, 400)))
}

func drawDeepBubble(d *draw) string {
	return filled(`# A pipeline of four stages with few micro-batches.
# noun: bubble
# cure: with $more micro-batches
cluster: {hosts: 1, host: {gpus: 4, launch: 100ns, flops: 200GFLOP/s}}
fabric: {design: single-switch}
job:
  parallel:
    pp: 4
    dp: 1
    schedule: $schedule
    micro_batches: $few # planted
    #instead micro_batches: 16
`, "more", 4, "few", 2, "schedule", d.of("1f1b", "gpipe")) +
		digits(filled("[784, $k, 1176, $k, 784, $k, 784, $k]", "k", d.between(60, 90)), 128)
}

func drawLastStage(d *draw) string {
	return `# The last stage of a pipeline has most of the work.
# noun: uneven stages
# cure: with even stages
cluster: {hosts: 1, host: {gpus: 4, launch: 100ns, flops: 200GFLOP/s}}
fabric: {design: single-switch}
job:
  parallel: {pp: 4, dp: 1, micro_batches: 8}
` + planted(digits(fmt.Sprintf("[784, 16, 32, %d, 10]", d.between(1500, 2500)), 128)) +
		"  #instead train:\n    #instead layers: [784, 16, 32, 32, 10]\n" +
		"    #instead data: {digits: {dir: data/planted-512, train: 512, test: 10}}\n" +
		"    #instead batch: 128\n    #instead steps: 4\n    #instead lr: 0.1\n"
}

func drawSkewedRails(d *draw) string {
	rate := d.rate()
	return filled(`# An expert gets far more tokens than the others, over rails.
# noun: uneven routing
# cure: with a router that is not skewed
cluster: {hosts: $hosts, host: {gpus: 2}, nic: {speed: $rateGb/s}}
fabric: {design: rail-optimized, spines: 2, balance: spray}
transport: {receiver: direct}
`+none+`job:
  collectives:
    - op: all-to-all
      bytes: $bytes
      iterations: 2
      skew: $skew # planted
`, "hosts", d.between(3, 5), "rate", rate, "bytes", bytes(rate, d.between(100, 200)), "skew", d.between(8, 16))
}

func drawSavesOften(d *draw) string {
	return filled(`# Checkpoints take long, of a training.
# noun: checkpoint
# cure: without checkpoints
`) + single(3, 100, "") + "job:\n" + digits("[784, 128, 10]", 8) +
		planted(fmt.Sprintf("  checkpoint: {steps: 1, storage: %dGB/s}\n", d.between(1, 4)))
}

func drawGivesUp(d *draw) string {
	return filled(`# A host is away for so long that a queue pair gives up; its job goes on from a checkpoint.
# noun: abort
# cure: without faults[0]
`) + single(d.between(3, 5), 100, "") + filled(`transport: {timeout: 20us, retries: 2}
job:
  replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 20}
  checkpoint: {steps: $steps, storage: 50GB/s}
  restart: $restartus
faults: # planted
  - {host: host$at, at: $sinceus, down: $forus} # planted
`, "steps", d.between(3, 6), "restart", d.between(100, 200), "at", d.between(1, 3),
		"since", d.between(200, 500), "for", d.between(150, 250))
}

func drawHangsForGood(d *draw) string {
	return filled(`# A GPU hangs until the watchdog ends the job, which starts again.
# noun: hang
# cure: without faults[0]
`) + single(3, 100, "") + filled(`job:
  replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 20}
  checkpoint: {steps: 4, storage: 50GB/s}
  watchdog: 200us
  restart: 100us
faults: # planted
  - {gpu: host$at/gpu0, at: $sinceus, hang: $forus} # planted
`, "at", d.between(1, 3), "since", d.between(200, 500), "for", d.between(400, 600))
}

func drawMixedPlacement(d *draw) string {
	return filled(`# Ranks that share layers are dealt to hosts in turn.
# noun: wrong order
# cure: with ranks host by host
cluster: {hosts: 2, host: {gpus: 2, launch: 500ns}, nic: {speed: $rateGb/s, shared: true}}
fabric: {design: single-switch}
`+none+`job:
  placement: [host1/gpu0, host2/gpu0, host1/gpu1, host2/gpu1] # planted
  #instead placement: packed
  parallel: {tp: 2, dp: 2}
`+digits("[784, 32, 32, 32, 32, 10]", 512*d.between(1, 2)), "rate", d.rate())
}

func drawJobBesideJob(d *draw) string {
	rate := d.rate()
	return filled(`# Two jobs share the link of leaves to spines.
# noun: another job
# cure: without job
`+leafSpine(8, rate, 2, rate, "  links: {length: 20m}\n  balance: spray\n")+none+`transport: {receiver: direct}
jobs:
  - name: mine
    hosts: [host1, host5]
    replay: {forward: 10us, steps: 3, buckets: [{bytes: $mine, compute: 10us}]}
`+planted(`  - name: other
    hosts: [host2-host4, host6-host8]
    collectives: [{op: all-to-all, bytes: $other, iterations: 4}]
`), "mine", bytes(rate, d.between(60, 100)), "other", bytes(rate, d.between(200, 300)))
}

func drawJobInLeaf(d *draw) string {
	rate := d.rate()
	return filled(`# A job's flows go to a host of another job.
# noun: another job, incast at rail1/host2
# cure: without job or without all background
`+single(6, rate, "")+none+`jobs:
  - name: mine
    hosts: [host1-host3]
    collectives: [{op: all-reduce, bytes: $mine, iterations: 2, algorithm: ring}]
  - name: other # planted
    flows: # planted
      - {from: host4/nic0, to: host2/nic0, bytes: $other} # planted
      - {from: host5/nic0, to: host2/nic0, bytes: $other} # planted
`, "mine", bytes(rate, d.between(60, 100)), "other", bytes(rate, d.between(150, 250)))
}

func drawSlowRankOfTwoJobs(d *draw) string {
	rank := d.between(0, 2)
	return filled(`# Of two jobs the first has a slow GPU.
# noun: straggler at rank $rank
# cure: with rank $rank as the other ranks
cluster:
  hosts: 6
  host: {gpus: 1}
  nic: {speed: 200Gb/s}
  slow: [{job: mine, rank: $rank, factor: $factor}] # planted
fabric: {design: single-switch}
jobs:
  - name: mine
    hosts: [host1-host3]
    replay: {forward: 40us, steps: 3, buckets: [{bytes: 200kB, compute: 20us}]}
  - name: other
    hosts: [host4-host6]
    replay: {forward: 40us, steps: 3, buckets: [{bytes: 200kB, compute: 20us}]}
`, "rank", rank, "factor", d.between(2, 5))
}

func drawLossyTraining(d *draw) string {
	at := d.between(1, 3)
	return filled(`# The link of a rank of a training loses frames.
# noun: lossy link, timeout at rail1/host$at or host$at/rail1
# cure: without faults[0]
`+single(3, 200, "")+none+"transport: {timeout: 200us}\njob:\n"+digits("[784, 256, 10]", 8)+`faults: # planted
  - {link: rail1/host$at, drop: 0.0$n} # planted
`, "at", at, "n", d.between(2, 4))
}

func drawStageLink(d *draw) string {
	return filled(`# The link between two stages of a pipeline is slow.
# noun: slow link at rail1/host2 or host2/rail1 or host1/rail1 or rail1/host1
# cure: with rail1/host2 or without
` + single(2, 200, planted(filled("  links:\n    named: [{link: rail1/host2, rate: $slowGb/s}]\n",
		"slow", d.between(5, 15)))) + none + `job:
  parallel: {dp: 1, pp: 2, micro_batches: 4}
` + digits("[784, 512, 10]", 128))
}

func drawTensorStorm(d *draw) string {
	at := d.between(1, 2)
	return filled(`# A NIC of ranks that share layers pauses its switch.
# noun: PFC storm at rail1/host$at
# cure: without faults[0]
`+single(2, 200, "")+none+`job:
  parallel: {tp: 2, dp: 1}
`+digits("[784, 64, 10]", 64)+`faults: # planted
  - {link: rail1/host$at, storm: $lastus, at: 50us} # planted
`, "at", at, "last", d.between(300, 600))
}

func drawLaunchesTensor(d *draw) string {
	return filled(`# Kernels take longer to start than to run, in ranks that share layers.
# noun: launch-bound
# cure: with launches that take no time
cluster:
  hosts: 1
  host:
    gpus: 4
    launch: $launchus # planted
    #instead launch: 0ns
fabric: {design: single-switch}
job:
  parallel: {tp: 2, dp: 2}
`+digits("[784, 32, 32, 10]", 8), "launch", d.between(5, 10))
}
