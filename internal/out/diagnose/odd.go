package diagnose

import (
	"strings"

	"railyard/internal/out/noun"
)

// wrong is the noun of a port that is set otherwise than its like, where that can have brought about a blame; "":
// it is not. That the port was busy with others' bytes is not the setting's, but for what does not cross it.
func wrong(b *Blame, p *Port) (n noun.Noun, setting string) {
	for _, odd := range p.Odd {
		switch {
		case odd == OddNoECN && (b.Kind == SharedPort && !b.Crossed || b.Kind == FullBuffer || b.Kind == Pauses):
			return noun.WrongThreshold, odd
		case odd == OddLeak && (b.Kind == FullBuffer || b.Kind == Pauses || b.Kind == Controller || b.Kind == SharedPort && !b.Crossed):
			return noun.SmallBuffer, odd
		case odd == OddClass && (b.Kind == FullBuffer || b.Kind == Pauses || b.Kind == SharedPort && !b.Crossed):
			return noun.WrongClass, odd
		case odd == OddXOFF && (b.Kind == Pauses || b.Kind == SharedPort && !b.Crossed || b.Kind == FullBuffer),
			odd == OddMarking && b.Kind == Controller,
			odd == OddPFC && (b.Kind == FullBuffer || b.Kind == LossyLink):
			return noun.WrongThreshold, odd
		}
	}
	return "", ""
}

// Settings in which a port may differ from its like.
const (
	OddXOFF    = "xOFF"
	OddMarking = "ECN thresholds"
	OddNoECN   = "ECN off" // where its like mark
	OddClass   = "DSCP to class"
	OddPFC     = "PFC"
	OddMTU     = "MTU"
	OddLeak    = "shared buffer in use for nothing"
)

// odd are all of them.
var odd = []string{OddXOFF, OddMarking, OddNoECN, OddClass, OddPFC, OddMTU, OddLeak}

// sender is the node of a port.
func sender(port string) string {
	node, _, _ := strings.Cut(port, "/")
	return node
}

// receiver is the node that a port sends to.
func receiver(port string) string {
	name, _, _ := strings.Cut(port, "#")
	_, node, _ := strings.Cut(name, "/")
	return node
}
