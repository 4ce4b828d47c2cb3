package fabric

// InLine returns how many frames stand in line on links.
func (f *Fabric) InLine() (n int) {
	for i := range f.links.ports {
		if c := f.links.ports[i].sent.line & lineClass; c != 0 {
			n += int(f.egress.queues[i*f.nc+int(c)-1].n)
		}
	}
	return n
}
