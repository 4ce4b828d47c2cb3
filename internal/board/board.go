package board

import "railyard/internal/unit"

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
}

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
}

// add adds a part and returns its index.
func (b *Board) add(name string, kind Kind) int {
	b.Parts = append(b.Parts, Part{name, kind})
	return len(b.Parts) - 1
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
