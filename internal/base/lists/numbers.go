package lists

// Numbers gives numbers, such as those of ranks, others: those of what belongs to them. Who asks twice asks
// mostly for the same, most have a few alone, and many lie close together.
type Numbers struct {
	key, value int32 // found last, or added
	n          int32 // keys
	all        *numbered
}

// numbered is the keys of those that have more than one.
type numbered struct {
	keys, values []int32
	at           map[int32]int32
	dense        []int32 // by key - least, where they lie close together; -1: not there
	least        int64
}

// closely is how many places there may be for a key in a dense list.
const closely = 4

// Find returns the number of a key, false if it has none.
func (x *Numbers) Find(k int32) (int32, bool) {
	if x.key == k && x.n > 0 {
		return x.value, true
	}
	return x.search(k)
}

func (x *Numbers) search(k int32) (int32, bool) {
	all := x.all
	switch {
	case all == nil:
	case all.dense != nil:
		if i := int64(k) - all.least; i >= 0 && i < int64(len(all.dense)) && all.dense[i] >= 0 {
			return x.found(all.dense[i])
		}
	case all.at != nil:
		if i, ok := all.at[k]; ok {
			return x.found(i)
		}
	default:
		for i := range all.keys {
			if all.keys[i] == k {
				return x.found(int32(i))
			}
		}
	}
	return 0, false
}

func (x *Numbers) found(i int32) (int32, bool) {
	x.key, x.value = x.all.keys[i], x.all.values[i]
	return x.value, true
}

// Only returns the number of the only key, false if there are none or several.
func (x *Numbers) Only() (int32, bool) {
	return x.value, x.n == 1
}

// Add gives a number to a key that has none.
func (x *Numbers) Add(k, v int32) {
	switch x.n {
	case 0:
	case 1:
		x.all = &numbered{keys: []int32{x.key, k}, values: []int32{x.value, v}}
	default:
		x.all.add(k, v)
	}
	x.key, x.value = k, v
	x.n++
}

func (x *numbered) add(k, v int32) {
	i := int32(len(x.keys))
	x.keys, x.values = append(x.keys, k), append(x.values, v)
	switch {
	case x.dense != nil:
		if at := int64(k) - x.least; at >= 0 && at < int64(len(x.dense)) {
			x.dense[at] = i
			return
		}
		x.index()
	case x.at != nil:
		x.at[k] = i
		if n := len(x.keys); n&(n-1) == 0 { // they may lie closer together now
			x.index()
		}
	case len(x.keys) > fewKeys:
		x.index()
	}
}

// index makes a list or a map of all keys anew.
func (x *numbered) index() {
	least, most := x.keys[0], x.keys[0]
	for _, k := range x.keys {
		least, most = min(least, k), max(most, k)
	}
	x.dense, x.at = nil, nil
	if span := int64(most) - int64(least) + 1; span <= closely*int64(len(x.keys)) {
		room := span / 4 // for more keys on both sides
		x.least, x.dense = int64(least)-room, make([]int32, span+2*room)
		for i := range x.dense {
			x.dense[i] = -1
		}
		for i, k := range x.keys {
			x.dense[int64(k)-x.least] = int32(i)
		}
		return
	}
	x.at = make(map[int32]int32, len(x.keys))
	for i, k := range x.keys {
		x.at[k] = int32(i)
	}
}
