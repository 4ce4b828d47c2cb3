package fabric

// InLine returns how many frames stand in line on links.
func (f *Fabric) InLine() (n int) {
	for i := range f.ports {
		if c := f.ports[i].sent.line & lineClass; c != 0 {
			n += int(f.queues[i*f.nc+int(c)-1].n)
		}
	}
	return n
}
