package exec

// Rest forgets what nothing asks for any more: how collectives that have not begun in the step in progress went when they
// last did, and operations of the start phase. It changes nothing that happens; two states that differ in this alone are
// the same.
func (r *Rank) Rest() {
	if r.over || !r.begun {
		return
	}
	clear(r.ops[len(r.in.ops):])
	begun := make([]bool, len(r.colls))
	for s := range r.streams {
		for _, id := range r.in.queues[s][:r.streams[s].next] {
			if place := r.in.collOf[id]; place >= 0 {
				begun[place] = true
			}
		}
	}
	for place := range r.colls {
		if !begun[place] {
			r.colls[place].forget()
		}
	}
}

func (c *collRun) forget() {
	c.last, c.joined = -1, 0
	c.answer.forget()
	for i := range c.channels {
		ch := &c.channels[i]
		ch.src, ch.end, ch.gated, ch.gates = -1, 0, 0, ch.gates[:0]
		ch.trace.forget()
	}
}

func (t *Trace) forget() { *t = Trace{Segments: t.Segments[:0]} }
