package nccltopo

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// What is kept of what a file says of a part, in the order in which it is written: of a CPU what NCCL tells it apart by
// and binds threads to, of a GPU what it needs to be one (ncclTopoAddGpu), of a net what ncclTopoAddNet reads.
var (
	cpuKeys = []string{"arch", "vendor", "familyid", "modelid", "affinity"}
	gpuKeys = []string{"sm", "rank", "gcn", "arch"}
	netKeys = []string{"dev", "port", "guid", "latency", "maxconn"}
)

// maxValue is the longest value that is kept: the affinity of 1,024 threads has 287 characters.
const maxValue = 300

// model keeps what a file says of a part as words, key=value; of several elements the values stand with + between.
func model(keys []string, of ...*element) string {
	values := map[string]string{}
	for _, key := range keys {
		var all []string
		for _, e := range of {
			v := e.attrs[key]
			if len(v) > maxValue || strings.ContainsFunc(v, hiddenRune) || strings.Contains(v, "+") {
				v = ""
			}
			all = append(all, v)
		}
		if v := strings.Join(all, "+"); strings.Trim(v, "+") != "" {
			values[key] = v
		}
	}
	return words(keys, values)
}

// words are values as a model, in the order of their keys.
func words(keys []string, values map[string]string) string {
	var all []string
	for _, key := range keys {
		if v := values[key]; v != "" {
			all = append(all, key+"="+v)
		}
	}
	return strings.Join(all, " ")
}

// fill makes up what a file needs and nobody has said, so that what is written is read as the same board: bus
// identifiers, ranks of GPUs, numbers, ports and identities of nets. A net without an identity of its own would be
// another port of the same NIC to NCCL.
func fill(b *board.Board) {
	used := map[string]bool{}
	for _, p := range b.Parts {
		used[p.BusID] = true
	}
	next := 0
	for i := range b.Parts {
		p := &b.Parts[i]
		if p.BusID != "" || p.Kind == board.CPU || isVirtual(b, i) {
			continue
		}
		for p.BusID == "" || used[p.BusID] {
			p.BusID = fmt.Sprintf("%04x:%02x:00.0", next>>8, next&0xff)
			next++
		}
		used[p.BusID] = true
	}
	for i := range b.Parts {
		switch p := &b.Parts[i]; p.Kind {
		case board.GPU:
			values := attributes(p.Model)
			if values["rank"] == "" {
				values["rank"] = strings.TrimPrefix(p.Name, "GPU")
			}
			p.Model = words(gpuKeys, values)
		case board.NIC:
			fillNets(b, p)
		}
	}
}

// fillNets numbers the nets of a NIC after those before it.
func fillNets(b *board.Board, nic *board.Part) {
	values := attributes(nic.Model)
	devs := strings.Split(values["dev"], "+")
	ports, guids := perNet(values["port"], len(devs)), perNet(values["guid"], len(devs))
	for k := range devs {
		if devs[k] == "" {
			devs[k] = strconv.Itoa(freeDev(b, devs))
		}
		if ports[k] == "" {
			ports[k] = strconv.Itoa(k + 1)
		}
		if guids[k] == "" {
			guids[k] = "0x" + devs[0]
		}
	}
	values["dev"], values["port"], values["guid"] = strings.Join(devs, "+"), strings.Join(ports, "+"), strings.Join(guids, "+")
	nic.Model = words(netKeys, values)
}

// perNet are the values of so many nets; what does not fit is not theirs.
func perNet(value string, nets int) []string {
	if all := strings.Split(value, "+"); len(all) == nets {
		return all
	}
	return make([]string, nets)
}

// freeDev is the first number that no net has, of other NICs or of those given.
func freeDev(b *board.Board, own []string) int {
	used := map[string]bool{}
	for _, d := range own {
		used[d] = true
	}
	for _, p := range b.Parts {
		if p.Kind == board.NIC {
			for _, d := range strings.Split(attributes(p.Model)["dev"], "+") {
				used[d] = true
			}
		}
	}
	for n := 0; ; n++ {
		if !used[strconv.Itoa(n)] {
			return n
		}
	}
}

// isVirtual says whether a part is a NIC that is no PCIe device.
func isVirtual(b *board.Board, part int) bool {
	for _, l := range b.Links {
		if l.B == part && l.Kind == virtual {
			return true
		}
	}
	return false
}

// nvlinkKind is a generation of NVLink: the compute capability from which GPUs have it, what a link carries each way
// (NVIDIA's data sheets of P100, V100, A100, RTX A6000, H100, B200), and what NCCL counts for it (topo.h).
type nvlinkKind struct {
	name          string
	capability    int
	rate, counted unit.Bitrate
}

var nvlinkKinds = []nvlinkKind{
	{"NVLink 1", 60, 20 * gbyte, 18 * gbyte},
	{"NVLink 2", 70, 25 * gbyte, 20 * gbyte},
	{"NVLink 3", 80, 25 * gbyte, 20 * gbyte},
	{"NVLink 3 of GA102", 86, 14_062_500 * unit.KilobitPerSec * 8 / 1000, 12 * gbyte},
	{"NVLink 4", 90, 25 * gbyte, 20_600 * unit.MegabitPerSec * 8 / 1000},
	{"NVLink 5", 100, 50 * gbyte, 40_100 * unit.MegabitPerSec * 8 / 1000},
}

// kindOf is the generation of NVLink that GPUs of a compute capability have; nil: none is known.
func kindOf(capability string) (kind *nvlinkKind) {
	sm, err := strconv.Atoi(capability)
	if err != nil || sm > 999 {
		return nil
	}
	for i := range nvlinkKinds {
		if k := &nvlinkKinds[i]; sm >= k.capability && (k.capability != 86 || sm == 86) {
			kind = k
		}
	}
	return kind
}

// capabilityOf is the compute capability of a GPU by its NVLinks, "" without any of a known generation.
func capabilityOf(b *board.Board, gpu int) string {
	for _, l := range b.Links {
		if l.A != gpu && l.B != gpu {
			continue
		}
		for i := range nvlinkKinds {
			if nvlinkKinds[i].name == l.Kind {
				return strconv.Itoa(nvlinkKinds[i].capability)
			}
		}
	}
	return ""
}

// processors are the CPUs of boards that have a name, as a file says them: those of NVIDIA's DGX A100 (EPYC 7742), H100,
// H200 (Xeon 8480C) and B200 (Xeon 8570), and Grace; of another host's CPU only the architecture is assumed.
var processors = map[string]string{
	"hgx-a100":    "arch=x86_64 vendor=AuthenticAMD familyid=23 modelid=49",
	"hgx-h100":    "arch=x86_64 vendor=GenuineIntel familyid=6 modelid=143",
	"hgx-h200":    "arch=x86_64 vendor=GenuineIntel familyid=6 modelid=143",
	"hgx-b200":    "arch=x86_64 vendor=GenuineIntel familyid=6 modelid=207",
	"mi300x":      "arch=x86_64 vendor=AuthenticAMD familyid=25 modelid=17",
	"gb200-nvl72": "arch=arm64",
	"cpu":         "arch=x86_64 vendor=GenuineIntel familyid=6 modelid=143",
}
