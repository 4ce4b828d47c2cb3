package exec

// Held returns of how many steps the finder keeps records, at most, of a rank.
func (f *PathFinder) Held() (n int) {
	for r := range f.ranks {
		n = max(n, len(f.ranks[r].steps))
	}
	return n
}

// KeepNothing has ranks ask for their programs in every step until restore is called.
func KeepNothing() (restore func()) {
	before := keptOps
	keptOps = 0
	return func() { keptOps = before }
}
