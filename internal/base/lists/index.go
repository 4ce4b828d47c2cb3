package lists

// Index numbers keys in the order in which they come. Most ranks talk to a few others, and few keys
// are found soonest by looking through them.
type Index[K comparable] struct {
	keys []K
	at   map[K]int32 // of more than fewKeys
}

const fewKeys = 8

// Find returns the number of a key, false if it has none.
func (x *Index[K]) Find(k K) (int, bool) {
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

// Add gives a key that has none the next number.
func (x *Index[K]) Add(k K) {
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
