package scenario

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/unit"
)

// Launches are times to launch a kernel that have a name.
var Launches = map[string]unit.Duration{"graph": 500 * unit.Nanosecond, "eager": 12 * unit.Microsecond}

// LaunchName is the name of a time to launch a kernel, empty where it has none.
func LaunchName(t unit.Duration) string {
	for name, of := range Launches {
		if of == t {
			return name
		}
	}
	return ""
}

// generalFields and clusterFields: the run as a whole, hosts and NICs.
var generalFields = []*Field{
	{
		Path: "name", Rule: "the file's base name", check: checkName, pattern: namePattern,
		example: "a name such as digits-8gpu",
		value:   in(text, func(s *Scenario) *string { return &s.Name }),
		derive:  func(d *decoder, _ any, _ string) string { return NameOf(d.file) },
		Meaning: "names the run directory: lower-case letters, digits and -",
	},
	{
		Path: "seed", Default: "1",
		value:   in(seed, func(s *Scenario) *uint64 { return &s.Seed }),
		Meaning: "every random choice follows from it: weights, order of data, ECMP hashes, marking",
	},
	{
		Path: "preset", Default: "none", Choices: Presets,
		value: in(choice, func(s *Scenario) *string { return &s.Preset }),
		Meaning: "values for many groups at once, their presets among them; what a group's own preset or the " +
			"file says wins",
	},
}

var clusterFields = []*Field{
	{Path: "cluster", Meaning: "the hosts"},
	{
		Path: "cluster.hosts", Required: true, Min: "1", Max: "131072",
		value:   in(whole, func(s *Scenario) *int { return &s.Cluster.Hosts }),
		Meaning: "number of hosts; they are called host1, host2, ...",
		Also:    []string{"nodes", "servers", "num_hosts"},
	},
	{Path: "cluster.host", Meaning: "one host; all are alike"},
	{
		Path: "cluster.host.preset", Default: "hgx-h100", Choices: HostPresets,
		value:   in(choice, func(s *Scenario) *string { return &s.Cluster.Host.Preset }),
		Meaning: "the server board that the other figures of the group come from",
	},
	{
		Path: "cluster.host.gpus", Default: "8", Min: "1", Max: "8",
		value:   in(whole, func(s *Scenario) *int { return &s.Cluster.Host.GPUs }),
		Meaning: "GPUs in use per host: the board's first ones",
		Also:    []string{"gpus_per_host", "gpu", "num_gpus"},
	},
	{
		Path: "cluster.host.nvlink", Min: "1GB/s", Max: "100TB/s", Rule: "from the preset",
		value:   in(byteRate, func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.NVLink }),
		Meaning: "NVLink rate per GPU and direction",
		Also:    []string{"nvlink_bandwidth"},
	},
	{
		Path: "cluster.host.nvlink_efficiency", Default: "36761/45000", Min: "1/1000", Max: "1",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Cluster.Host.NVLinkEfficiency }),
		Meaning: "part of the NVLink rate that moves data; the rest is headers and flow control",
		Source:  "nccl-tests on 8 x H200 without NVLS: 367.61 of 450 GB/s",
	},
	{
		Path: "cluster.host.nvlink_latency", Default: "1us", Min: "0ns", Max: "1ms",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Cluster.Host.NVLinkLatency }),
		Meaning: "latency of one transfer over NVLink",
		Source:  assumed,
	},
	{
		Path: "cluster.host.pcie", Min: "1GB/s", Max: "100TB/s", Rule: "from the preset",
		value:   in(byteRate, func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.PCIe }),
		Meaning: "PCIe x16 rate per direction between a GPU and its NIC",
	},
	{
		Path: "cluster.host.pcie_latency", Default: "300ns", Min: "0ns", Max: "1ms",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Cluster.Host.PCIeLatency }),
		Meaning: "latency of one crossing of PCIe",
		Source:  assumed,
	},
	{
		Path: "cluster.host.graph", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "preset, or the path of a file that NCCL wrote (NCCL_TOPO_DUMP_FILE)",
		value:   in(opt(text), func(s *Scenario) *Opt[string] { return &s.Cluster.Host.Graph }),
		Meaning: "which PCIe links a host has, shared by all that cross them: preset, as `railyard show host` draws the board of " +
			"cluster.host.preset; a file of NCCL; none: each NIC has a link of its own. GPUs that no NVLink of it joins send each other " +
			"over PCIe",
		Also: []string{"host_graph", "topology"},
	},
	{
		Path:  "cluster.host.links",
		value: in(hostLinkList, func(s *Scenario) *[]HostLink { return &s.Cluster.Host.Links }),
		Meaning: "rates of links of the graph; unless set they are the board's or the file's, cluster.host.pcie for a PCIe link of " +
			"unknown rate, and between sockets as NCCL takes it of that CPU or, of one not known, without a limit",
	},
	{
		Path: "cluster.host.launch", Default: "3us", Word: "graph", Other: "eager", Min: "0ns", Max: "10ms",
		value: in(orNamed(duration, Launches), func(s *Scenario) *unit.Duration { return &s.Cluster.Host.Launch }),
		Meaning: "time to launch a kernel, paid by every operator; 3 us: one by one from a compiled program; graph, 500 ns: as " +
			"nodes of a CUDA graph; eager, 12 us: one by one from Python",
		Source: "CUDA.jl's manual: 80 small kernels in 260 us one by one, in 70 us as a graph; graph: NVIDIA, Getting Started " +
			"with CUDA Graphs, 3.4 us for a kernel of 2.9 us; eager: 7 us of PyTorch's dispatch (pytorch/pytorch issue 41383) and " +
			"5 us of the driver's call",
	},
	{
		Path: "cluster.host.flops", Min: "1GFLOP/s", Max: "1000PFLOP/s", Rule: "from the preset",
		value:   in(computeRate, func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPS }),
		Meaning: "dense TF32 tensor peak of one GPU",
		Also:    []string{"tflops", "peak"},
	},
	{
		Path: "cluster.host.flops_fp32", Min: "1GFLOP/s", Max: "1000PFLOP/s", Rule: "from the preset",
		value:   in(computeRate, func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPSFP32 }),
		Meaning: "fp32 peak of one GPU without tensor cores, for precision: fp32-strict",
	},
	{
		Path: "cluster.host.flops_bf16", Min: "1GFLOP/s", Max: "1000PFLOP/s", Rule: "from the preset",
		value:   in(computeRate, func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPSBF16 }),
		Meaning: "dense BF16 tensor peak of one GPU, for precision: bf16",
	},
	{
		Path: "cluster.host.memory", Min: "1MB", Max: "100TB", Rule: "from the preset",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Cluster.Host.Memory }),
		Meaning: "memory of one GPU",
	},
	{
		Path: "cluster.host.memory_bandwidth", Min: "1GB/s", Max: "1000TB/s", Rule: "from the preset",
		value:   in(byteRate, func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.MemoryBandwidth }),
		Meaning: "memory bandwidth of one GPU",
	},
	{
		Path: "cluster.host.matmul_efficiency", Default: "50%", Min: "1/1000", Max: "1",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Cluster.Host.MatmulEfficiency }),
		Meaning: "part of the peak that a matrix product reaches",
		Source:  "assumed until calibrated",
	},
	{
		Path: "cluster.host.memory_efficiency", Default: "80%", Min: "1/1000", Max: "1",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Cluster.Host.MemoryEfficiency }),
		Meaning: "part of the memory bandwidth that an elementwise pass reaches",
		Source:  "assumed until calibrated",
	},
	{Path: "cluster.nic", Meaning: "the network ports of a host"},
	{
		Path: "cluster.nic.shared", Default: "false",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Cluster.NIC.Shared }),
		Meaning: "one NIC per host that all its GPUs share",
	},
	{
		Path: "cluster.nic.per_gpu", Default: "1", Min: "1", Max: "4", applies: where(func(s *Scenario) string {
			if s.Cluster.NIC.Shared {
				return "cluster.nic.shared is true: the host has one NIC"
			}
			return ""
		}),
		value:   in(whole, func(s *Scenario) *int { return &s.Cluster.NIC.PerGPU }),
		Meaning: "NICs per GPU; NICs per host make the rails",
	},
	{
		Path: "cluster.nic.shared_by", Default: "1", Min: "1", Max: "8", applies: where(func(s *Scenario) string {
			switch {
			case s.Cluster.NIC.Shared:
				return "cluster.nic.shared is true: the host has one NIC"
			case s.Cluster.NIC.PerGPU > 1:
				return fmt.Sprintf("cluster.nic.per_gpu is %d: each GPU has NICs of its own", s.Cluster.NIC.PerGPU)
			}
			return ""
		}),
		value:   in(whole, func(s *Scenario) *int { return &s.Cluster.NIC.SharedBy }),
		Meaning: "GPUs of a host that share a NIC, neighbours: 4 makes two NICs of 8 GPUs",
	},
	{
		Path: "cluster.nic.ports", Default: "1", Min: "1", Max: "4",
		value: in(whole, func(s *Scenario) *int { return &s.Cluster.NIC.Ports }),
		Meaning: "ports of a NIC, each with a link of its own; they go to different switches, but those of single-switch " +
			"and dragonfly",
	},
	{Path: "cluster.nic.bond", Meaning: "what the ports of a NIC are to each other"},
	{
		Path: "cluster.nic.bond.mode", Default: "hash", Choices: BondModes, applies: where(func(s *Scenario) string {
			if s.Cluster.NIC.Ports == 1 {
				return "cluster.nic.ports is 1: nothing to bond"
			}
			return ""
		}),
		value:   in(choice, func(s *Scenario) *string { return &s.Cluster.NIC.Bond.Mode }),
		Meaning: "by which ports a queue pair may go",
		Source:  "IEEE 802.1AX (link aggregation); switches join by MLAG or an Ethernet segment (RFC 7432, section 5)",
	},
	{
		Path: "cluster.nic.bond.detection", Default: "50ms", Min: "0ns", Max: "10s", applies: where(func(s *Scenario) string {
			switch n := &s.Cluster.NIC; {
			case n.Ports == 1:
				return "cluster.nic.ports is 1: nothing to bond"
			case !n.Bonded():
				return "cluster.nic.bond.mode is none: no queue pair moves"
			}
			return ""
		}),
		value: in(duration, func(s *Scenario) *unit.Duration { return &s.Cluster.NIC.Bond.Detection }),
		Meaning: "from when a port's link goes down, or is up again, until its NIC and all switches know; then queue pairs " +
			"move, but those on a path of their own or with balance pinned",
		Source: "assumed: an operating system takes about 50 ms to report a link, hardware a few",
	},
	{
		Path: "cluster.nic.speed", Min: "1Mb/s", Max: "10Tb/s",
		Rule:  "fabric.links.host, or 400Gb/s where neither is given",
		value: in(rate, func(s *Scenario) *unit.Bitrate { return &s.Cluster.NIC.Speed }),
		derive: func(d *decoder, _ any, _ string) string {
			if r, err := unit.ParseBitrate(d.text("fabric.links.host")); err == nil {
				return r.String()
			}
			return "400Gb/s"
		},
		Meaning: "rate of one NIC port",
		Source:  "NVIDIA ConnectX-7 data sheet", Also: []string{"rate", "bandwidth"},
	},
	{
		Path: "cluster.nic.latency", Default: "500ns", Min: "0ns", Max: "1ms",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Cluster.NIC.Latency }),
		Meaning: "latency of a NIC, on each side",
		Source:  assumed,
	},
	{
		Path: "cluster.nic.receive_buffer", Default: "none", Word: "none", Min: "16KiB", Max: "1GB",
		value: in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Cluster.NIC.ReceiveBuffer }),
		Meaning: "what each port of a NIC has for packets that PCIe has not taken yet; with PFC it pauses its switch when " +
			"what is left is headroom, and what finds no room is dropped; none: it takes all that comes",
		Source: "Railyard's choice; NICs have about 2 MB, vendors publish none. A buffer for each port: mlx5 " +
			"(register PBMC, port_buffer_size by local_port)",
		Also: []string{"rx_buffer"},
	},
	{
		Path: "cluster.nic.pacing", Default: "each", Choices: Pacings,
		value:   in(choice, func(s *Scenario) *string { return &s.Cluster.NIC.Pacing }),
		Meaning: "when a NIC with nothing to send looks again, for queue pairs that wait for their rate",
	},
	{
		Path:    "cluster.slow",
		value:   in(slowList, func(s *Scenario) *[]SlowRank { return &s.Cluster.Slow }),
		Meaning: "ranks of the job whose GPUs are slower or faster than the others",
	},
}

// hostLinkFields: one entry of cluster.host.links.
var hostLinkFields = []*Field{
	{
		Path: "link", Required: true, check: checkHostLink, pattern: hostLinkPattern, example: "part/part such as CPU0/PCIe1",
		value:   in(text, func(l *HostLink) *string { return &l.Link }),
		Meaning: "the link, both directions: part/part, as `railyard show host` names parts; part/part#2 for the second of two",
	},
	{
		Path: "rate", Required: true, Min: "1Mb/s", Max: "100TB/s",
		value:   in(byteRate, func(l *HostLink) *unit.Bitrate { return &l.Rate }),
		Meaning: "its rate, each direction",
		Also:    []string{"speed", "bandwidth"},
	},
}

// hostLinkPattern is part/part: names of parts have no spaces and no /.
const hostLinkPattern = `^[^\s/#]{1,80}/[^\s/#]{1,80}(#[1-9])?$`

var hostLinkText = regexp.MustCompile(hostLinkPattern)

func checkHostLink(s string) string {
	if !hostLinkText.MatchString(s) {
		return "want part/part such as CPU0/PCIe1, part/part#2 for the second of two"
	}
	return ""
}

// slowFields: one entry of cluster.slow.
var slowFields = []*Field{
	{
		Path: "job", Default: "first", Word: "first", check: checkName, pattern: namePattern,
		example: "the name of a job such as job1",
		value:   in(opt(text), func(r *SlowRank) *Opt[string] { return &r.Job }),
		Meaning: "the job whose rank it is; first: the first that has ranks",
	},
	{
		Path: "rank", Required: true, Min: "0", Max: "32767",
		value:   in(whole, func(r *SlowRank) *int { return &r.Rank }),
		Meaning: "the rank, from 0",
		Also:    []string{"gpu"},
	},
	{
		Path: "factor", Required: true, Min: "1/100", Max: "100", example: "a ratio such as 1.5",
		value:   in(ratio, func(r *SlowRank) *unit.Ratio { return &r.Factor }),
		Meaning: "what its kernels, launches included, take times as long",
		Also:    []string{"multiplier", "slowdown"},
	},
}

const assumed = "assumed"

// NameOf returns the name that a scenario in a file has by default: the file's in lower case, - for what a name cannot hold.
func NameOf(file string) string {
	base := strings.ToLower(filepath.Base(filepath.ToSlash(file)))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	var b strings.Builder
	for _, r := range base {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			r = '-'
		}
		if r == '-' && (b.Len() == 0 || strings.HasSuffix(b.String(), "-")) {
			continue
		}
		b.WriteRune(r)
	}
	name := b.String()
	name = strings.Trim(name[:min(len(name), 64)], "-")
	if name == "" || (&node{text: name}).number() {
		name = strings.TrimSuffix("scenario-"+name, "-")
	}
	return name[:min(len(name), 64)]
}

// What checkName, checkFolder and checkFile accept, for editors.
const (
	namePattern = `^[a-z0-9][a-z0-9-]{0,63}$`
	pathPattern = `[^ ]`
)

func checkName(s string) string {
	const want = "want a name of at most 64 lower-case letters, digits and -, not starting with -"
	if s == "" || len(s) > 64 || s[0] == '-' {
		return want
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return want
		}
	}
	return ""
}

// checkFolder refuses what cannot be the name of a folder.
func checkFolder(s string) string { return checkPath(s, "want the path of a folder") }

// checkFile refuses what cannot be the name of a file.
func checkFile(s string) string { return checkPath(s, "want the path of a file") }

func checkPath(s, want string) string {
	if strings.Trim(s, " ") == "" {
		return want
	}
	if len(s) > 4096 {
		return "longer than 4096 bytes"
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return fmt.Sprintf("holds U+%04X, want printable characters", r)
		}
	}
	return ""
}
