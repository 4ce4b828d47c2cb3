package fabric

import "railyard/internal/engine/sim"

// Alike returns what tells whether the images of some ports are still alike: nothing at these ports was marked, dropped, paused or
// decided by chance since, nor chosen by the port's number. Else it says what was. It is asked between windows.
func (f *Fabric) Alike(ports []PortID) func() (why string) {
	var drawn []sim.Stream
	each := func(visit func(s *sim.Stream)) {
		for _, id := range ports {
			for c := range f.nc {
				visit(&f.egress.slow[int(id)*f.nc+c].marking.rng)
			}
		}
	}
	each(func(s *sim.Stream) { drawn = append(drawn, *s) })
	return func() (why string) {
		for _, id := range ports {
			switch p := &f.links.ports[id]; {
			case p.marks > 0:
				return "frames were marked"
			case p.drops > 0:
				return "frames were dropped"
			case p.pausesSent+p.pausesReceived > 0:
				return "links were paused"
			}
			for c := range f.nc {
				if f.egress.slow[int(id)*f.nc+c].chosen {
					return "queues were so long that ports chose which frames to look at"
				}
			}
		}
		i := 0
		each(func(s *sim.Stream) {
			if *s != drawn[i] {
				why = "marks were drawn"
			}
			i++
		})
		return why
	}
}
