package web

// mostKnown bounds the names that are numbered for a table's row groups; of others nothing is known.
const mostKnown = 100_000

// whoIs tells which row groups have rows of a name, so that those that have none need not be read.
//
// Invariant: of a name without a number any row group may have rows.
type whoIs struct {
	number map[string]int
	has    [][]uint64 // by row group: a bit for each number
	full   bool       // there were more names
}

// add says that the last row group, or a new one, has a row of a name.
func (w *whoIs) add(group int, name string) {
	if w.number == nil {
		w.number = map[string]int{}
	}
	for len(w.has) <= group {
		w.has = append(w.has, nil)
	}
	n, known := w.number[name]
	if !known {
		if len(w.number) == mostKnown {
			w.full = true
			return
		}
		n = len(w.number)
		w.number[name] = n
	}
	for len(w.has[group]) <= n/64 {
		w.has[group] = append(w.has[group], 0)
	}
	w.has[group][n/64] |= 1 << (n % 64)
}

// may reports whether a row group may have rows of a name; "" is any.
func (w *whoIs) may(group int, name string) bool {
	if name == "" {
		return true
	}
	n, known := w.number[name]
	if !known {
		return w.full
	}
	return group < len(w.has) && n/64 < len(w.has[group]) && w.has[group][n/64]&(1<<(n%64)) != 0
}
