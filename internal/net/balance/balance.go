package balance

import (
	"railyard/internal/base/unit"
)

// Frame is what a switch looks at of a frame.
type Frame struct {
	Now  unit.Time
	Flow uint64 // frames of one flow and direction have the same headers
	Hash uint64 // of the headers at this switch; only where Method.Hashes

	Header Header // out: what the frame carries to its last switch; only where Method.Weaves
}

// Links is what a switch knows of the links of a group, by number, as of now.
type Links interface {
	// Drain is how long the port takes to send what waits there, the rest of the frame on the wire included.
	Drain(i int) unit.Duration
	// Waiting returns the bytes in the queues of the port.
	Waiting(i int) unit.Bytes
	// Sent returns the bytes that the port has sent since the start, preambles and gaps included.
	Sent(i int) unit.Bytes
	// Told returns the quality of the way behind the link, as the next switch told it last: see Quality.
	Told(i int) int
}

// Group is the equal-cost links of a switch towards some destinations. What they lead to may differ in rate.
type Group struct {
	Links  []Link
	Whole  int           // how many links it has while none is down
	Random func() uint64 // the next number of the group's own random stream
}

// Link is one of them.
type Link struct {
	Rate   unit.Bitrate // of the port
	Weight int64        // what the ways behind it carry, for weighted methods; only proportions mean something
	Home   int          // its number among the links of the group while none is down; from Whole on: it is none of them
}

// Chooser is the state of a group.
type Chooser interface {
	// Pick returns the number of the link that a frame takes.
	Pick(f *Frame, l Links) int
}

// Method makes the state of groups.
type Method struct {
	// New returns the state of a group of at least two links.
	New func(p *Params, g *Group) Chooser
	// Static says that a flow keeps its link as long as the group does: it is asked once for each flow.
	Static bool
	// Hashes says that the method looks at Frame.Hash.
	Hashes bool
	// Reorders says that packets of a flow may overtake one another though the group stays the same.
	Reorders bool
	// Tells says that switches tell the ones before them of the quality of their links.
	Tells bool

	// Weaves says that choosers are Weavers: asked at the first switch of a frame of data, which goes on by the hash;
	// the last switch has a Restorer.
	Weaves bool

	weighs bool // it looks at Link.Weight
}

// Methods holds every method by name.
var Methods = map[string]*Method{
	"ecmp":      {New: newModulo, Static: true, Hashes: true},
	"wcmp":      {New: newWeighted, Static: true, Hashes: true, weighs: true},
	"resilient": {New: newResilient, Static: true, Hashes: true},
	"pinned":    {New: newModulo, Static: true, Hashes: true},
	"flowlet":   {New: newFlowlets, Reorders: true},
	"dlb":       {New: newDLB, Reorders: true},
	"glb":       {New: newDLB, Reorders: true, Tells: true},
	"conweave":  {New: newWeaver, Hashes: true, Weaves: true},
	"spray":     {New: newSpray, Reorders: true},
}

// Params are the parameters of all methods. Each method reads its own.
type Params struct {
	Gap      unit.Duration // flowlet, dlb, glb: a flow that was quiet for so long may take another link
	Buckets  int           // resilient: of a group
	Spray    Spray
	ConWeave ConWeave
	DLB      DLB
	Tell     unit.Duration // glb: how often a switch looks whether there is something to tell
}

// below returns a number in [0, n).
func (g *Group) below(n int) int {
	if n <= 1 {
		return 0
	}
	return int(uint64(uint32(g.Random()>>32)) * uint64(n) >> 32)
}
