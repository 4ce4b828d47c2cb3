package workload

import "slices"

// Alike reports whether two operations take the same time and send the same messages, whatever they are called and
// whatever they wait for. Whose sizes or durations each step decides is like no other.
func (j *Job) Alike(a, b *Op) bool {
	if a == b {
		return true
	}
	if a.Kind != b.Kind || a.Stream != b.Stream || a.Duration != b.Duration || a.Bytes != b.Bytes || a.Effort != b.Effort ||
		a.Counted != nil || b.Counted != nil || len(a.Decides) > 0 || len(b.Decides) > 0 || (a.Coll < 0) != (b.Coll < 0) {
		return false
	}
	return a.Coll < 0 || j.Collectives[a.Coll].alike(&j.Collectives[b.Coll])
}

// alike reports whether two collectives send the same messages, to and from other addresses perhaps.
func (c *Collective) alike(d *Collective) bool {
	if c == d {
		return true
	}
	if c.Group != d.Group || c.Schedule != d.Schedule || c.Protocol != d.Protocol || c.ElemBytes != d.ElemBytes ||
		c.Range.Elems != d.Range.Elems || c.Counts != nil || d.Counts != nil || c.Once != d.Once ||
		c.Formula != d.Formula || c.Takes != d.Takes || c.Between != d.Between ||
		c.largest != d.largest || c.through != d.through || (c.size == nil) != (d.size == nil) ||
		c.goal.Collective != d.goal.Collective || c.goal.Root != d.goal.Root || !slices.Equal(c.goal.Members, d.goal.Members) {
		return false
	}
	if c.size == nil {
		return true
	}
	for m := range c.Schedule.Ranks() {
		for b := range c.blocks() {
			if c.size(m, b) != d.size(m, b) {
				return false
			}
		}
	}
	return true
}
