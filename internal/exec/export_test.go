package exec

// Held returns of how many steps the finder keeps records, at most, of a rank.
func (f *PathFinder) Held() (n int) {
	for r := range f.ranks {
		n = max(n, len(f.ranks[r].steps))
	}
	return n
}
