package planted

import "fmt"

var jobFamilies = []Family{
	{"shared-pcie", drawSharedPCIe},
	{"shared-nic", drawSharedNIC},
	{"other-job", drawOtherJob},
	{"straggler", drawStraggler},
	{"bubble", drawBubble},
	{"uneven-stages", drawUnevenStages},
	{"skewed-router", drawSkewedRouter},
	{"launches", drawLaunches},
	{"chain", drawChain},
	{"low-latency", drawLowLatency},
	{"bad-order", drawBadOrder},
	{"saves", drawSaves},
	{"training-incast", drawTrainingIncast},
	{"stages-incast", drawStagesIncast},
	{"slow-nic-of-training", drawSlowNICOfTraining},
}

func drawSharedPCIe(d *draw) string {
	return "# GPUs reach the host's NIC over a slow uplink.\n# noun: PCIe shared, PCIe-bound\n# cure: with CPU0/PCIe1 twice as fast\n" +
		"cluster:\n  hosts: 2\n  host:\n    preset: hgx-a100\n    gpus: 4\n    graph: preset\n" +
		planted(fmt.Sprintf("    links:\n      - {link: CPU0/PCIe1, rate: %dGB/s}\n", d.between(2, 4))) +
		"  nic: {shared: true, speed: 100Gb/s}\nfabric: {design: single-switch}\n" + none +
		fmt.Sprintf("job:\n  flows:\n    - {from: host1/gpu2, to: host2/gpu0, bytes: %[1]dkB}\n"+
			"    - {from: host1/gpu3, to: host2/gpu1, bytes: %[1]dkB}\n", d.between(500, 1000))
}

func drawSharedNIC(d *draw) string {
	size := bytes(100, d.between(60, 120))
	text := "# GPUs of a host share a NIC.\n# noun: NIC shared at host1/rail1\n" +
		"# cure: with a NIC for each GPU or without all background flows\n" +
		"cluster: {hosts: 5, host: {gpus: 4}, nic: {speed: 100Gb/s, shared: true}}\nfabric: {design: single-switch}\n" + none +
		"job:\n  flows:\n    - {from: host1/gpu0, to: host2/gpu0, bytes: " + size + "}\nbackground: # planted\n  flows: # planted\n"
	for i := range d.between(1, 3) {
		text += fmt.Sprintf("    - {from: host1/gpu%d, to: host%d/gpu0, bytes: %s} # planted\n", i+1, i+3, size)
	}
	return text
}

func drawOtherJob(d *draw) string {
	rate := d.rate()
	return "# Another job sends over the same spine.\n# noun: another job\n# cure: without job\n" +
		leafSpine(8, rate, 1, rate, "  links: {length: 20m}\n") + none + "jobs:\n" +
		"  - name: mine\n    hosts: [host1, host5]\n" +
		"    collectives: [{op: all-reduce, bytes: " + bytes(rate, d.between(30, 60)) + ", iterations: 2}]\n" +
		planted("  - name: other\n    hosts: [host2-host3, host6-host7]\n"+
			"    collectives: [{op: all-to-all, bytes: "+bytes(rate, d.between(80, 160))+", iterations: 3}]\n")
}

// digits is a training of a small network.
func digits(layers string, batch int) string {
	examples := max(512, 2*batch)
	return fmt.Sprintf("  train:\n    layers: %s\n"+
		"    data: {digits: {dir: data/planted-%[2]d, train: %[2]d, test: 10}}\n    batch: %d\n"+
		"    steps: 4\n    lr: 0.1\n", layers, examples, batch)
}

func drawStraggler(d *draw) string {
	rank := d.between(0, 3)
	return fmt.Sprintf("# One GPU is slow.\n# noun: straggler\n# cure: with rank %d as the other ranks\n", rank) +
		"cluster:\n  hosts: 2\n  host: {gpus: 2, flops: 1TFLOP/s}\n  nic: {speed: 200Gb/s}\n" +
		planted(fmt.Sprintf("  slow:\n    - {rank: %d, factor: %d}\n", rank, d.between(3, 6))) +
		"fabric: {design: rail-optimized, spines: 1}\njob:\n" +
		digits("[784, 64, 10]", 8)
}

func drawBubble(d *draw) string {
	k := d.between(30, 50) // the first layer has no gradient of its input to find: both stages have as much to do
	return "# A pipeline with one micro-batch.\n# noun: bubble\n# cure: with 2 micro-batches\n" +
		"cluster: {hosts: 1, host: {gpus: 4, launch: 100ns, flops: 200GFLOP/s}, nic: {speed: 400Gb/s}}\n" +
		"fabric: {design: single-switch}\njob:\n" +
		"  parallel:\n    pp: 2\n    dp: 1\n    micro_batches: 1 # planted\n    #instead micro_batches: 8\n" +
		digits(fmt.Sprintf("[784, %d, %d, %d, 10]", 3*k, k, (4704*k+9*k*k)/(3*k+30)), 128)
}

func drawUnevenStages(d *draw) string {
	return "# The first stage of a pipeline has most of the work.\n# noun: uneven stages\n# cure: with even stages\n" +
		"cluster: {hosts: 1, host: {gpus: 4, launch: 100ns, flops: 200GFLOP/s}, nic: {speed: 400Gb/s}}\n" +
		"fabric: {design: single-switch}\njob:\n" +
		"  parallel: {pp: 4, dp: 1, micro_batches: 8}\n" +
		planted(digits(fmt.Sprintf("[784, %d, 64, 64, 10]", d.between(128, 192)), 128)) +
		"  #instead train:\n    #instead layers: [784, 16, 64, 64, 10]\n" +
		"    #instead data: {digits: {dir: data/planted-512, train: 512, test: 10}}\n" +
		"    #instead batch: 128\n    #instead steps: 4\n    #instead lr: 0.1\n"
}

func drawSkewedRouter(d *draw) string {
	rate := d.rate()
	return "# An expert gets far more tokens than the others.\n# noun: uneven routing\n# cure: with a router that is not skewed\n" +
		single(d.between(4, 8), rate, "") + none + "job:\n  collectives:\n    - op: all-to-all\n" +
		"      bytes: " + bytes(rate, d.between(80, 160)) +
		fmt.Sprintf("\n      iterations: 2\n      skew: %d # planted\n", d.between(6, 12))
}

func drawLaunches(d *draw) string {
	return "# Kernels take longer to start than to run.\n# noun: launch-bound\n# cure: with launches that take no time\n" +
		"cluster:\n  hosts: 2\n  host:\n    gpus: 2\n" + fmt.Sprintf("    launch: %dus # planted\n"+
		"    #instead launch: 0ns\n", d.between(4, 9)) +
		"  nic: {speed: 400Gb/s}\nfabric: {design: rail-optimized, spines: 1}\njob:\n" + digits("[784, 32, 10]", 8)
}

func drawChain(d *draw) string {
	rate := d.rate()
	return "# A chain where a ring is faster.\n# noun: wrong algorithm\n" +
		"# cure: with a ring in place of the chain or as NCCL would choose\n" +
		single(d.between(4, 8), rate, "") + none + "job:\n  collectives:\n    - op: all-reduce\n" +
		"      bytes: " + bytes(rate, d.between(150, 300)) +
		"\n      iterations: 2\n      algorithm: chain # planted\n      #instead algorithm: ring\n"
}

func drawLowLatency(d *draw) string {
	rate := d.rate()
	return "# The protocol for small messages, with large ones.\n# noun: wrong protocol\n# cure: as NCCL would choose\n" +
		single(4, rate, "") + none + "job:\n  collectives:\n    - op: all-reduce\n      bytes: " + bytes(rate, d.between(200, 400)) +
		"\n      iterations: 2\n      algorithm: ring\n      protocol: ll # planted\n      #instead protocol: simple\n"
}

func drawBadOrder(d *draw) string {
	return "# Ranks that share layers are on different hosts.\n# noun: wrong order\n# cure: with ranks in the order tp-dp-pp\n" +
		fmt.Sprintf("cluster: {hosts: 2, host: {gpus: 2, launch: 500ns}, nic: {speed: %dGb/s, shared: true}}\n"+
			"fabric: {design: single-switch}\n", d.rate()) +
		none + "job:\n  parallel:\n    tp: 2\n    dp: 2\n" +
		"    order: dp-tp-pp # planted\n" + digits("[784, 32, 32, 32, 32, 10]", 512*d.between(1, 2))
}

func drawSaves(d *draw) string {
	return "# A checkpoint after each step.\n# noun: checkpoint\n# cure: without checkpoints\n" + single(3, 100, "") +
		"job:\n  replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 10}\n" +
		planted(fmt.Sprintf("  checkpoint: {steps: 1, storage: %dGB/s}\n", d.between(1, 3)))
}

func drawTrainingIncast(d *draw) string {
	n := d.between(2, 4)
	return "# Others send to a rank of a training.\n# noun: incast at rail1/host2\n# cure: without all background flows\n" +
		single(3+n, 100, "") + none + "job:\n  hosts: [host1-host3]\n" + digits("[784, 64, 10]", 8) +
		crowd(4, n, 2, fmt.Sprintf("400kB, count: 20, every: %dus", d.between(100, 150)))
}

func drawStagesIncast(d *draw) string {
	n := d.between(2, 3)
	return "# A stage gets its activations through a port that others fill.\n# noun: incast at rail1/host2\n" +
		"# cure: without all background flows\n" +
		single(2+n, 200, "") + none + "job:\n  hosts: [host1-host2]\n  parallel: {dp: 1, pp: 2, micro_batches: 2}\n" +
		digits("[784, 512, 10]", 128) + crowd(3, n, 2, "2MB, count: 10, every: 100us")
}

func drawSlowNICOfTraining(d *draw) string {
	at := d.between(1, 3)
	return fmt.Sprintf("# The link of a rank came up slow.\n# noun: slow link at rail1/host%d or host%[1]d/rail1\n"+
		"# cure: without faults[0]\n", at) +
		single(3, 200, "") + none + "job:\n" + digits("[784, 128, 10]", 8) +
		planted(fmt.Sprintf("faults:\n  - {link: rail1/host%d, speed: %dGb/s}\n", at, d.between(10, 20)))
}
