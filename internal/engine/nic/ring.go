package nic

import "slices"

// ring is the list of queue pairs that the HPCC authors' model serves in turn. A queue pair is in
// it from its first message on. One that has finished is taken out when the search for the next one
// to serve comes by it; its place goes to the one behind it, and if the search found none to serve,
// the mark of the one served last stays where it was and is then another's.
type ring struct {
	list []int32 // numbers of queue pairs, ascending
	last int     // index of the one served last, if it is still there
	done int     // how many of the list have finished
}

// add puts a queue pair into the list.
func (r *ring) add(number int32) {
	i, in := slices.BinarySearch(r.list, number)
	if in {
		return
	}
	if i <= r.last && i < len(r.list) {
		r.last++
	}
	r.list = slices.Insert(r.list, i, number)
}

// served notes that the search found a queue pair to serve, -1: none. It takes out those that have
// finished, from the first one that the search came by.
func (r *ring) served(found int32, finished func(number int32) bool) {
	if r.done > 0 {
		r.sweep(found, finished)
	}
	if found >= 0 {
		r.last, _ = slices.BinarySearch(r.list, found)
	}
}

func (r *ring) sweep(found int32, finished func(int32) bool) {
	n := len(r.list)
	first := n
	for k := 1; k <= n; k++ {
		i := (r.last + k) % n
		if r.list[i] == found {
			break
		}
		if finished(r.list[i]) {
			first = min(first, i)
		}
	}
	kept := slices.DeleteFunc(r.list[first:], finished)
	r.list = r.list[:first+len(kept)]
	r.done -= n - len(r.list)
}

// before returns the number of the queue pair after which the next search begins.
func (r *ring) before() int {
	if len(r.list) == 0 {
		return 0
	}
	return int(r.list[r.last%len(r.list)])
}
