package host

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
)

// FlowSpec is an explicit flow: messages of Bytes each, Count of them, the k-th posted at Start +
// k*Every. Count 0: no end.
type FlowSpec struct {
	QP    int32
	Start unit.Time
	Bytes unit.Bytes
	Count int64
	Every unit.Duration
	// From and To are the bytes that each message carries, of length Bytes; nil: none.
	From, To []byte
}

type flow struct {
	FlowSpec
	host   int32
	key    uint32
	posted int64
	ended  bool
}

// AddFlow plans an explicit flow from a host; the Tag of its messages is their number. It returns the number of the flow.
func (h *Hosts) AddFlow(from int32, s FlowSpec) int32 {
	f := flow{FlowSpec: s, host: from}
	if s.To != nil {
		f.key = h.regions.Register(verbs.Buffer(s.To))
	}
	h.flows = append(h.flows, f)
	id := int32(len(h.flows) - 1)
	h.planPost(s.Start, id)
	return id
}

// EndFlow makes a flow post nothing more; it is called between windows.
func (h *Hosts) EndFlow(id int32) { h.flows[id].ended = true }

// planPost plans the next post of an explicit flow. In order of scheduling, the agenda of the first
// host holds the posts of all hosts: at one instant, the flow that was added first goes first.
func (h *Hosts) planPost(at unit.Time, id int32) {
	from := h.flows[id].host
	if h.cfg.AsScheduled {
		from = 0
	}
	h.plan(from, entry{at: at, what: workPost, a: id})
}

func (h *Hosts) postFlow(now unit.Time, id int32) {
	f := &h.flows[id]
	if f.ended {
		return
	}
	out := &h.hosts[f.host].post
	*out = Message{QP: f.QP, Bytes: f.Bytes, From: f.From, Key: f.key, Tag: f.posted}
	h.net.Post(now, out)
	f.posted++
	if f.Count == 0 || f.posted < f.Count {
		h.planPost(now.Add(f.Every), id)
	}
}
