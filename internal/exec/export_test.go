package exec

// Held returns of how many steps the finder keeps records.
func (f *PathFinder) Held() int { return len(f.steps) }
