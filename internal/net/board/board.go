package board

import (
	"slices"

	"railyard/internal/base/unit"
)

// Kind is what a part is.
type Kind string

// The kinds of parts.
const (
	GPU        Kind = "GPU"
	NVSwitch   Kind = "NVSwitch"
	PCIeSwitch Kind = "PCIe switch"
	CPU        Kind = "CPU"
	NIC        Kind = "NIC"
)

// Part is a part of a host.
type Part struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Rate is a NIC's towards its network; 0: unknown.
	Rate unit.Bitrate `json:"rate_bps,omitempty"`
	// Model is what a file says of it: key=value, with spaces between.
	Model string `json:"model,omitempty"`
	// BusID is where a file has it on PCIe, "": it does not say.
	BusID string `json:"bus_id,omitempty"`
	// NoGPUDirect is of a GPU or a NIC that cannot do GPUDirect RDMA.
	NoGPUDirect bool `json:"no_gpu_direct,omitempty"`
}

// C2C is the kind of the links between a GPU and its CPU that are not PCIe.
const C2C = "NVLink-C2C"

// Link joins two parts by so many links of one kind.
type Link struct {
	A     int          `json:"a"` // index into Parts
	B     int          `json:"b"`
	Kind  string       `json:"kind"` // NVLink 4, PCIe 5.0 x16, ...
	Count int          `json:"count"`
	Rate  unit.Bitrate `json:"rate_bps"` // of one, each way; 0: unknown
}

// Board is what is inside a host.
type Board struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Parts  []Part `json:"parts"`
	Links  []Link `json:"links"`
	// Notes are what a reader must know of how it was read.
	Notes []string `json:"notes,omitempty"`
}

// add adds a part and returns its index.
func (b *Board) add(name string, kind Kind) int {
	b.Parts = append(b.Parts, Part{Name: name, Kind: kind})
	return len(b.Parts) - 1
}

// Of lists the parts of a kind.
func (b *Board) Of(kind Kind) (all []int) {
	for i, p := range b.Parts {
		if p.Kind == kind {
			all = append(all, i)
		}
	}
	return all
}

// Named is the part with a name; -1: none.
func (b *Board) Named(name string) int {
	return slices.IndexFunc(b.Parts, func(p Part) bool { return p.Name == name })
}

// join adds links between two parts.
func (b *Board) join(x, y, count int, w wire) {
	b.Links = append(b.Links, Link{x, y, w.kind, count, w.rate})
}

// A wire is a kind of link with its rate each way, 0: unknown.
type wire struct {
	kind string
	rate unit.Bitrate
}

// Links of a part to others of a kind: how many, and their rate each way together.
func (b *Board) Sum(part int, to Kind) (links int, rate unit.Bitrate) {
	for _, l := range b.Links {
		if l.A == part && b.Parts[l.B].Kind == to || l.B == part && b.Parts[l.A].Kind == to {
			links += l.Count
			rate += unit.Bitrate(l.Count) * l.Rate
		}
	}
	return links, rate
}
