package roce

// kept is the packets that a buffering receiver keeps past a gap: of each what its headers said. The
// bytes are the driver's, by the number of the cell.
type kept struct {
	at    map[int64]int32 // by sequence number; nobody goes through it in its own order
	cells []Packet
	free  []int32
	next  int64 // the next packet whose turn has come
	left  int   // how many turns there are
}

func (k *kept) put(seq int64, pk *Packet) int32 {
	if k.at == nil {
		k.at = map[int64]int32{}
	}
	i := int32(len(k.cells))
	if n := len(k.free); n > 0 {
		i, k.free = k.free[n-1], k.free[:n-1]
	} else {
		k.cells = append(k.cells, Packet{})
	}
	k.at[seq] = i
	k.cells[i].Opcode, k.cells[i].Landing = pk.Opcode, pk.Landing
	return i
}

// take takes out the packet whose turn it is: its opcode and its RETH, which are valid until the next one is put.
func (k *kept) take(seq int64) (int32, *Packet) {
	i := k.at[seq]
	delete(k.at, seq)
	k.free = append(k.free, i)
	k.next, k.left = seq+1, k.left-1
	return i, &k.cells[i]
}
