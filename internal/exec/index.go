package exec

// index numbers keys in the order in which they come. Most ranks talk to a few others, and few keys
// are found soonest by looking through them.
type index[K comparable] struct {
	keys []K
	at   map[K]int32 // of more than fewKeys
}

const fewKeys = 8

// find returns the number of a key, false if it has none.
func (x *index[K]) find(k K) (int, bool) {
	if x.at != nil {
		i, ok := x.at[k]
		return int(i), ok
	}
	for i := range x.keys {
		if x.keys[i] == k {
			return i, true
		}
	}
	return 0, false
}

// add gives a key that has none the next number.
func (x *index[K]) add(k K) {
	x.keys = append(x.keys, k)
	switch {
	case x.at != nil:
		x.at[k] = int32(len(x.keys) - 1)
	case len(x.keys) > fewKeys:
		x.at = map[K]int32{}
		for i, k := range x.keys {
			x.at[k] = int32(i)
		}
	}
}
