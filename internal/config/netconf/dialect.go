package netconf

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"

	"railyard/internal/base/located"
)

// A File is one of a device's, by its path on the device.
type File struct {
	Name string
	Text []byte
}

// NewFile is one with a text as it was read. A byte order mark that an editor has put before it is none of it.
func NewFile(name string, text []byte) File {
	return File{Name: name, Text: bytes.TrimPrefix(text, []byte("\ufeff"))}
}

// A Dialect is the language of a platform.
type Dialect interface {
	// Fit cuts a device to what the platform has words for, and says what is cut off: it is left to
	// the platform.
	Fit(d *Device) (fitting *Device, left []string)
	// Render writes a device as the files of the platform. The error says what the platform has no
	// words for.
	Render(d *Device) ([]File, error)
	// Parse reads the files of one device.
	Parse(files []File) *Parsed
}

// Parsed is what files say.
type Parsed struct {
	Device *Device
	// Places is where a thing is said, by its name: "interface Ethernet1/24", "bgp", "neighbour
	// 172.16.0.1", "network 10.0.1.0/24", "aggregate 10.0.1.0/24".
	Places map[string]Place
	// Problems are what cannot be. A warning among them is one of which it is not known whether it is one, since lines that
	// are not understood may say otherwise. Its files are those of Parse.
	Problems located.Problems
	Slips    []Slip
	// Untrusted are the interfaces whose packets have a class whatever their DSCP is, and why.
	Untrusted map[string]string
	// Tagged says that classes are also found by the priority of a VLAN tag, which no model has.
	Tagged bool
	// Unread are the lines that are not understood, in order of files, at most MostUnread; Lines counts all of them.
	Unread []Unread
	Lines  Lines
	// Names are those of the device for interfaces, by those used here, where they differ.
	Names map[string]string
	// Defaults are the platform's, for what files do not say.
	Defaults Defaults
	// Routes are the destinations of static routes.
	Routes []netip.Prefix
	// Loose are things that are defined and that nothing uses.
	Loose []Loose
}

// A Slip is a form that is understood and is not what was meant: the platform ignores it, refuses
// it or takes it for something else.
type Slip struct {
	Rule string `json:"rule"` // of package lint, such as Q14
	Place
	Text string `json:"text"`
}

// A Loose is a thing that is defined, and that nothing uses.
type Loose struct {
	Place
	Text   string // policy-map type qos QOS_IN
	QoS    bool   // it is of quality of service
	Pauses bool   // it says which class pauses
}

// Native is the device's own name of an interface.
func (p *Parsed) Native(name string) string {
	if own, other := p.Names[name]; other {
		return own
	}
	return name
}

// A Place is a line of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
}

// Refusals are what a platform has no words for, for those who render.
type Refusals struct {
	Platform string
	all      []error
}

// Refuse adds one.
func (r *Refusals) Refuse(format string, args ...any) {
	r.all = append(r.all, fmt.Errorf(r.Platform+": "+format, args...))
}

// Err returns all of them, nil if there are none.
func (r *Refusals) Err() error { return errors.Join(r.all...) }
