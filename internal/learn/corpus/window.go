package corpus

// Recent are the last pieces of a text that a network which reads windows of width pieces sees of it.
// Where windows begin with a sentence, so does this one if a sentence begins within it.
func (v *Vocabulary) Recent(pieces []string, width int, sentences bool) []string {
	if len(pieces) <= width {
		return pieces
	}
	last := pieces[len(pieces)-width:]
	if !sentences {
		return last
	}
	at := -1 // with the piece before, for a sentence may begin right after it
	for s := range Sentences(v.Join(pieces[len(pieces)-width-1:])) {
		if at >= 0 {
			return last[at:]
		}
		for range v.Pieces(s) {
			at++
		}
	}
	return last
}
