package roce

// kept is the packets that a buffering receiver keeps past a gap: of each what its headers said. The
// bytes are the driver's, by the number of the cell.
type kept struct {
	at    map[int64]int32 // by sequence number; nobody goes through it in its own order
	cells []cell
	free  []int32
	next  int64 // the next packet whose turn has come
	left  int   // how many turns there are
}

type cell struct {
	landing Landing
	lands   bool // the packet had a RETH
}

func (k *kept) put(seq int64, pk *Packet) int32 {
	if k.at == nil {
		k.at = map[int64]int32{}
	}
	i := int32(len(k.cells))
	if n := len(k.free); n > 0 {
		i, k.free = k.free[n-1], k.free[:n-1]
	} else {
		k.cells = append(k.cells, cell{})
	}
	k.at[seq] = i
	c := &k.cells[i]
	if c.lands = pk.Landing != nil; c.lands {
		c.landing = *pk.Landing
	}
	return i
}

// take takes out the packet whose turn it is. What its RETH said, if it had one, is valid until the next
// one is put.
func (k *kept) take(seq int64) (int32, *Landing) {
	i := k.at[seq]
	delete(k.at, seq)
	k.free = append(k.free, i)
	k.next, k.left = seq+1, k.left-1
	if c := &k.cells[i]; c.lands {
		return i, &c.landing
	}
	return i, nil
}
