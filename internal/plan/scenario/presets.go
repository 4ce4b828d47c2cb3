package scenario

import (
	"maps"
	"strconv"

	"railyard/internal/net/catalogue"
)

// values are the values that a preset gives to keys, as in a file.
type values = map[string]string

// A preset gives values to the fields of a group; a key in the file wins over it.
// presets: path of the preset field -> its name -> path -> value.
var presets = map[string]map[string]values{
	"cluster.host.preset": {
		"hgx-h100": gpu("450GB/s", "63GB/s", "495TFLOP/s", "67TFLOP/s", "989TFLOP/s", "1979TFLOP/s", "80GB", "3350GB/s"),
		"hgx-a100": gpu("300GB/s", "31.5GB/s", "156TFLOP/s", "19.5TFLOP/s", "312TFLOP/s", "312TFLOP/s", "80GB", "2039GB/s"),
		"hgx-h200": gpu("450GB/s", "63GB/s", "495TFLOP/s", "67TFLOP/s", "989TFLOP/s", "1979TFLOP/s", "141GB", "4800GB/s"),
		"hgx-b200": gpu("900GB/s", "63GB/s", "1125TFLOP/s", "75TFLOP/s", "2250TFLOP/s", "4500TFLOP/s", "180GB", "8000GB/s"),
		// 56 cores at 2 GHz: 1,024 BF16 FLOP (AMX) or 64 fp32 FLOP (AVX-512, two units) a cycle and core.
		"cpu": with(gpu("40GB/s", "63GB/s", "7168GFLOP/s", "7168GFLOP/s", "114688GFLOP/s", "114688GFLOP/s", "512GB", "307200MB/s"),
			values{"cluster.host.gpus": "2"}),
	},
	"fabric.switch.model": modelPresets(),
	"fabric.qos.preset": {
		"default": {},
		"book":    below("fabric.qos.ecn", values{"min": "150kB", "max": "3MB", "probability": "7%"}),
		"dcqcn-sigcomm15": below("fabric.qos.ecn", values{
			"min": "5kB", "max": "200kB", "port_rate": "40Gb/s", "probability": "1%",
		}),
		"hpcc-ns3": below("fabric.qos", values{
			"ecn.min": "auto", "ecn.max": "auto", "ecn.probability": "auto", "ecn.at": "dequeue",
			"pfc.alpha": "1/8", "pfc.alpha_rate": "nic", "pfc.resume_offset": "3KiB", "pfc.headroom_delays": "3",
			"pfc.crossing": "headroom", "pfc.quanta": "0", "pfc.response": "0ns",
		}),
	},
	"transport.preset": {
		"default": {},
		"verbs":   below("transport", values{"timeout": "67.108864ms"}),
		"nccl":    below("transport", values{"timeout": "4.294967296s"}),
		"irn": below("transport", values{
			"recovery": "selective-repeat", "timeout": "320us", "timeout_low": "100us", "low_packets": "3",
			"window": "bdp", "ack_every": "1",
		}),
		"hpcc-ns3": below("transport", values{
			"mtu": "1kB", "frames.header": "48B", "frames.reth": "0B", "frames.immediate": "0B", "frames.ack": "60B",
			"frames.cnp": "0B", "frames.pause": "43B", "frames.overhead": "0B",
			"ack_every": "1", "ack_class": "data", "ack_paused": "false", "ack_duplicates": "false",
			"nak_again": "500us",
			"recovery":  "go-back-n", "timeout": "none", "base_rtt": "payload", "completion": "sender",
		}),
	},
	"congestion.preset": {
		"default": {},
		"dcqcn-sigcomm15": below("congestion", values{
			"cnp_interval": "50us", "g": "1/256", "initial_alpha": "1", "alpha_timer": "55us",
			"decrease_interval": "none", "decrease_offset": "0ns", "first_cnp_rate": "1", "clamp_target": "true", "min_dec_fac": "0",
			"increase_timer": "55us", "byte_counter": "10MB", "fast_recovery": "5",
		}),
		"hpcc-ns3":       reactionPoint("1us", "4us", "300us"),
		"hpcc-ns3-paper": reactionPoint("50us", "50us", "55us"),
		"connectx-default": below("congestion", values{
			"g": "5/1024", "first_cnp_rate": "1", "increase_timer": "300us", "byte_counter": "2097088B", "fast_recovery": "1",
			"rate_ai": "5Mb/s", "rate_hai": "50Mb/s", "min_rate": "1Mb/s",
		}),
		barrePreset: below("congestion", values{ // and steps and floor, which scale with the port
			"cnp_interval": "2us", "g": "5/1024", "decrease_interval": "2us", "first_cnp_rate": "1", "min_dec_fac": "92%",
			"increase_timer": "28us", "byte_counter": "none", "fast_recovery": "1",
		}),
	},
	"preset": {
		"none": {},
		"hpcc-ns3": {
			"cluster.host.pcie_latency": "0ns", "cluster.nic.latency": "0ns", "cluster.nic.pacing": "shared",
			"fabric.order": "scheduled", "fabric.links.delay": "1us",
			"fabric.switch.latency": "0ns", "fabric.switch.buffer": "32MiB", "fabric.switch.reserve": "4KiB",
			"fabric.switch.release": "dequeue", "fabric.qos.classes": "data",
			"fabric.qos.preset": "hpcc-ns3", "transport.preset": "hpcc-ns3", "congestion.preset": "hpcc-ns3",
		},
		"book-segment": bookSegment("rail-only", "4", nil),
		"book-pod":     bookSegment("rail-optimized", "8", values{"spines": "4", "links.spine": "800Gb/s"}),
		"book-multi-pod": bookSegment("rail-optimized", "16", values{"spines": "4", "links.spine": "800Gb/s", "pods": "2",
			"superspines": "4"}),
	},
}

// bookSegment is segments of 4 hosts: the NIC of each GPU has a port to each of two switches, which have all rails and
// are a pair (figures 13-6 and 13-7).
func bookSegment(design, hosts string, above values) values {
	all := below("fabric", above)
	maps.Copy(all, values{
		"cluster.hosts": hosts, "cluster.host.gpus": "8", "cluster.nic.ports": "2", "cluster.nic.speed": "200Gb/s",
		"fabric.design": design, "fabric.segment": "4", "fabric.rails_per_leaf": "8", "fabric.links.peer": "2",
	})
	return all
}

// reactionPoint is DCQCN with timers only, as in the HPCC authors' ns-3 model.
func reactionPoint(alpha, decrease, increase string) values {
	all := below("congestion", values{
		"notify": "ack", "cnp_interval": "0ns", "g": "1/256", "initial_alpha": "1", "alpha_timer": alpha,
		"decrease_interval": decrease, "decrease_offset": "1ns", "first_cnp_rate": "1", "clamp_target": "false", "min_dec_fac": "0",
		"increase_timer": increase, "byte_counter": "none", "fast_recovery": "1",
		"rate_ai": "20Mb/s", "rate_hai": "200Mb/s", "min_rate": "1Gb/s",
	})
	maps.Copy(all, below("congestion.hpcc", values{
		"max_stage": "0", "rate_ai": "40Mb/s", "tx_unit": "512B", "queue_unit": "320B", "repace": "true",
	}))
	maps.Copy(all, below("congestion.timely", values{
		"ai": "100Mb/s", "hai": "500Mb/s", "hai_after": "6", "hai_below_low": "true", "segment": "round-trip",
		"min_rate": "1Gb/s",
	}))
	maps.Copy(all, below("congestion.dctcp", values{"rate_ai": "615Mb/s", "min_rate": "1Gb/s"}))
	return all
}

// gpu is the group of figures that a host preset sets.
func gpu(nvlink, pcie, tf32, fp32, bf16, fp8, memory, bandwidth string) values {
	return below("cluster.host", values{
		"nvlink": nvlink, "pcie": pcie, "flops": tf32, "flops_fp32": fp32, "flops_bf16": bf16, "memory": memory,
		"memory_bandwidth": bandwidth,
		"flops_fp8":        fp8,
	})
}

// with adds values to those of a preset.
func with(all, more values) values {
	maps.Copy(all, more)
	return all
}

// modelPresets are the groups of figures that the models of switches set.
func modelPresets() map[string]values {
	all := map[string]values{"any": {}}
	for _, m := range catalogue.Switches {
		if m.Buffer > 0 {
			all[m.Name] = below("fabric.switch", values{"ports": strconv.Itoa(m.Ports), "port_rate": m.Rate.String(),
				"buffer": m.Buffer.String()})
		}
	}
	return all
}

// below gives the values to keys of a group.
func below(group string, keys values) values {
	all := values{}
	for key, text := range keys { // order does not matter: keys differ
		all[group+"."+key] = text
	}
	return all
}
