package topo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// An attribute is what the source form says of a node or a link as key=value. Exactly one of number
// and text is there.
type attribute struct {
	key    string
	number *int    // written with the difference added
	plus   int     // from the value kept to the one written
	absent int     // kept where nothing is written
	least  int     // written
	most   int     // written
	text   *string // empty: absent
}

// nodeAttributes are those of a switch; a host has the first alone.
func nodeAttributes(n *Node) []attribute {
	place := func(key string, v *int) attribute {
		return attribute{key: key, number: v, plus: 1, absent: -1, least: 1, most: maxNodes}
	}
	return []attribute{place("pod", &n.Place.Pod), place("plane", &n.Place.Plane), place("rail", &n.Place.Rail),
		{key: "model", text: &n.Model}}
}

func linkAttributes(l *Link) []attribute {
	return []attribute{{key: "cost", number: &l.Cost, absent: 1, least: 1, most: maxCost}}
}

// portAttributes are those of a link between a host and a switch: of which of the host's NICs it is one more
// port, -1: of a new one.
func portAttributes(nic *int) []attribute {
	return []attribute{{key: "nic", number: nic, absent: -1, most: maxLinks}}
}

// modelName is what a switch model may be called.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// attributes reads words such as pod=1.
func (p *textParser) attributes(words []located.Word, known []attribute) {
	seen := map[string]bool{}
	for _, w := range words {
		key, value, _ := strings.Cut(w.Text, "=")
		var keys []string
		var a *attribute
		for i := range known {
			keys = append(keys, known[i].key+"=")
			if known[i].key == key {
				a = &known[i]
			}
		}
		switch {
		case a == nil:
			p.wrong(w, "%s: want %s", located.Shown(w.Text), strings.Join(keys, " or "))
		case seen[key]:
			p.wrong(w, "%s: a second %s, want one", located.Shown(w.Text), key)
		case a.text != nil && !modelName.MatchString(value):
			p.wrong(w, "%s: want %s= and a name of at most 64 letters, digits, _, . and -", located.Shown(w.Text), key)
		case a.text != nil:
			*a.text = value
		default:
			n, err := strconv.Atoi(value)
			if err != nil || n < a.least || n > a.most || strconv.Itoa(n) != value {
				p.wrong(w, "%s: want %s=%d to %s=%d", located.Shown(w.Text), key, a.least, key, a.most)
				continue
			}
			*a.number = n - a.plus
		}
		seen[key] = true
	}
}

// writeAttributes prints those that are there, each with a space before it.
func writeAttributes(all []attribute) string {
	var b strings.Builder
	for _, a := range all {
		switch {
		case a.text != nil && *a.text != "":
			fmt.Fprintf(&b, " %s=%s", a.key, *a.text)
		case a.number != nil && *a.number != a.absent:
			fmt.Fprintf(&b, " %s=%d", a.key, *a.number+a.plus)
		}
	}
	return b.String()
}
