package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/unit"
)

// generalFields and clusterFields: the run as a whole, hosts and NICs.
var generalFields = []*Field{
	{Path: "name", at: in(func(s *Scenario) *string { return &s.Name }), Rule: "the file's base name", check: checkName, pattern: namePattern, example: "a name such as digits-8gpu",
		derive:  func(d *decoder, _ any, _ string) string { return nameFromFile(d.file) },
		Meaning: "names the run directory: lower-case letters, digits and -"},
	{Path: "seed", at: in(func(s *Scenario) *uint64 { return &s.Seed }), Default: "1",
		Meaning: "every random choice follows from it: weights, order of data, ECMP hashes, marking"},
	{Path: "preset", at: in(func(s *Scenario) *string { return &s.Preset }), Default: "none", Choices: Presets,
		Meaning: "values for many groups at once, their presets among them; what a group's own preset or the file says wins"},
}

var clusterFields = []*Field{
	{Path: "cluster", Meaning: "the hosts"},
	{Path: "cluster.hosts", at: in(func(s *Scenario) *int { return &s.Cluster.Hosts }), Required: true, Min: "1", Max: "16384",
		Meaning: "number of hosts; they are called host1, host2, ...", Also: []string{"nodes", "servers", "num_hosts"}},
	{Path: "cluster.host", Meaning: "one host; all are alike"},
	{Path: "cluster.host.preset", at: in(func(s *Scenario) *string { return &s.Cluster.Host.Preset }), Default: "hgx-h100", Choices: HostPresets,
		Meaning: "the server board that the other figures of the group come from"},
	{Path: "cluster.host.gpus", at: in(func(s *Scenario) *int { return &s.Cluster.Host.GPUs }), Default: "8", Min: "1", Max: "8",
		Meaning: "GPUs in use per host: the board's first ones", Also: []string{"gpus_per_host", "gpu", "num_gpus"}},
	{Path: "cluster.host.nvlink", Kind: ByteRate, at: in(func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.NVLink }), Min: "1GB/s", Max: "100TB/s",
		Rule: "from the preset", Meaning: "NVLink rate per GPU and direction", Also: []string{"nvlink_bandwidth"}},
	{Path: "cluster.host.nvlink_latency", at: in(func(s *Scenario) *unit.Duration { return &s.Cluster.Host.NVLinkLatency }), Default: "1us", Min: "0ns", Max: "1ms",
		Meaning: "latency of one transfer over NVLink", Source: assumed},
	{Path: "cluster.host.pcie", Kind: ByteRate, at: in(func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.PCIe }), Min: "1GB/s", Max: "100TB/s",
		Rule: "from the preset", Meaning: "PCIe x16 rate per direction between a GPU and its NIC"},
	{Path: "cluster.host.pcie_latency", at: in(func(s *Scenario) *unit.Duration { return &s.Cluster.Host.PCIeLatency }), Default: "300ns", Min: "0ns", Max: "1ms",
		Meaning: "latency of one crossing of PCIe", Source: assumed},
	{Path: "cluster.host.launch", at: in(func(s *Scenario) *unit.Duration { return &s.Cluster.Host.Launch }), Default: "3us", Min: "0ns", Max: "10ms",
		Meaning: "time to launch a kernel, paid by every operator", Source: assumed},
	{Path: "cluster.host.flops", at: in(func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPS }), Min: "1GFLOP/s", Max: "1000PFLOP/s",
		Rule: "from the preset", Meaning: "dense TF32 tensor peak of one GPU", Also: []string{"tflops", "peak"}},
	{Path: "cluster.host.flops_fp32", at: in(func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPSFP32 }), Min: "1GFLOP/s", Max: "1000PFLOP/s",
		Rule: "from the preset", Meaning: "fp32 peak of one GPU without tensor cores, for precision: fp32-strict"},
	{Path: "cluster.host.memory", at: in(func(s *Scenario) *unit.Bytes { return &s.Cluster.Host.Memory }), Min: "1MB", Max: "100TB",
		Rule: "from the preset", Meaning: "memory of one GPU"},
	{Path: "cluster.host.memory_bandwidth", Kind: ByteRate, at: in(func(s *Scenario) *unit.Bitrate { return &s.Cluster.Host.MemoryBandwidth }), Min: "1GB/s", Max: "1000TB/s",
		Rule: "from the preset", Meaning: "memory bandwidth of one GPU"},
	{Path: "cluster.host.matmul_efficiency", at: in(func(s *Scenario) *unit.Ratio { return &s.Cluster.Host.MatmulEfficiency }), Default: "50%", Min: "1/1000", Max: "1",
		Meaning: "part of the peak that a matrix product reaches", Source: "assumed until calibrated"},
	{Path: "cluster.host.memory_efficiency", at: in(func(s *Scenario) *unit.Ratio { return &s.Cluster.Host.MemoryEfficiency }), Default: "80%", Min: "1/1000", Max: "1",
		Meaning: "part of the memory bandwidth that an elementwise pass reaches", Source: "assumed until calibrated"},
	{Path: "cluster.nic", Meaning: "the network ports of a host"},
	{Path: "cluster.nic.shared", at: in(func(s *Scenario) *bool { return &s.Cluster.NIC.Shared }), Default: "false",
		Meaning: "one NIC per host that all its GPUs share"},
	{Path: "cluster.nic.per_gpu", at: in(func(s *Scenario) *int { return &s.Cluster.NIC.PerGPU }), Default: "1", Min: "1", Max: "4",
		applies: func(s *Scenario) string {
			if s.Cluster.NIC.Shared {
				return "cluster.nic.shared is true: the host has one NIC"
			}
			return ""
		},
		Meaning: "NICs per GPU; NICs per host make the rails"},
	{Path: "cluster.nic.speed", at: in(func(s *Scenario) *unit.Bitrate { return &s.Cluster.NIC.Speed }), Min: "1Mb/s", Max: "10Tb/s",
		Rule: "fabric.links.host, or 400Gb/s where neither is given", Also: []string{"rate", "bandwidth"},
		derive: func(d *decoder, _ any, _ string) string {
			if r, err := unit.ParseBitrate(d.text("fabric.links.host")); err == nil {
				return r.String()
			}
			return "400Gb/s"
		},
		Meaning: "rate of one NIC port", Source: "NVIDIA ConnectX-7 data sheet"},
	{Path: "cluster.nic.latency", at: in(func(s *Scenario) *unit.Duration { return &s.Cluster.NIC.Latency }), Default: "500ns", Min: "0ns", Max: "1ms",
		Meaning: "latency of a NIC, on each side", Source: assumed},
	{Path: "cluster.nic.pacing", at: in(func(s *Scenario) *string { return &s.Cluster.NIC.Pacing }), Default: "each", Choices: Pacings,
		Meaning: "when a NIC with nothing to send looks again, for queue pairs that wait for their rate"},
	{Path: "cluster.slow", at: in(func(s *Scenario) *[]SlowRank { return &s.Cluster.Slow }), Meaning: "ranks of the training job whose GPUs are slower or faster than the others"},
}

// slowFields: one entry of cluster.slow.
var slowFields = []*Field{
	{Path: "rank", at: inSlow(func(r *SlowRank) *int { return &r.Rank }), Required: true, Min: "0", Max: "32767",
		Meaning: "the rank, from 0", Also: []string{"gpu"}},
	{Path: "factor", at: inSlow(func(r *SlowRank) *unit.Ratio { return &r.Factor }), Required: true, Min: "1/100", Max: "100", example: "a ratio such as 1.5",
		Meaning: "what its kernels, launches included, take times as long", Also: []string{"multiplier", "slowdown"}},
}

const assumed = "assumed"

// NameOf returns the name that a scenario in a file has by default.
func NameOf(file string) string { return nameFromFile(file) }

// nameFromFile makes a run's name from a file's: lower case, - for what a name cannot hold.
func nameFromFile(file string) string {
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
	if name == "" || numberText.MatchString(name) {
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
	if strings.TrimSpace(s) == "" {
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
