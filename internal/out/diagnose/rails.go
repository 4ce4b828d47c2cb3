package diagnose

// crossRail reports whether a port between switches as it was built has mostly the job's bytes that NVLink and rails would have kept
// from it.
func (c *court) crossRail(b *Blame, p *Port) bool {
	switch b.Kind {
	case SharedPort, UnevenChoice, SlowPort, Controller:
	default:
		return false
	}
	if x := c.choice(b.at); p.Own || p.Last || p.Degraded || c.e.Detour == nil || x != nil && (len(x.Cut) > 0 || c.slower(b.at, x)) {
		return false
	}
	all, detours := int64(0), int64(0)
	for _, s := range c.fill(b.at) {
		if all += s.Bytes; !c.isForeign(s.Pair) && c.e.Detour(s.Pair) {
			detours += s.Bytes
		}
	}
	return 2*detours > all
}
