package nn

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// netKind is a kind of layer of a Net: its word, and the words of its sizes.
type netKind struct {
	name, meaning string
	takes         []form
	keys          []netKey
	build         func(b *netBuilder, v netValues) error
}

// netKey is a size: KEY=VALUE.
type netKey struct {
	name, meaning string
	def           string // what it is where it is left out; "": it must be there
	unset         string // a word beside the numbers, for none
	words         []string
	least, most   float64
	whole         bool
}

// netValues are the values of a layer's sizes, those that a file leaves out, too.
type netValues map[string]string

func (v netValues) whole(key string) int {
	n, _ := strconv.Atoi(v[key])
	return n
}

func (v netValues) number(key string) float64 {
	n, _ := strconv.ParseFloat(v[key], 64)
	return n
}

func (v netValues) yes(key string) bool { return v[key] == "yes" }

func (v netValues) activation() Activation {
	a, err := ParseActivation(v["activation"])
	if err != nil {
		panic("nn: " + err.Error()) // it is a word of the table
	}
	return a
}

// NetKinds are the words for layers, in the order of the table.
func NetKinds() (names []string) {
	for i := range netKinds {
		names = append(names, netKinds[i].name)
	}
	return names
}

func netKindNamed(name string) *netKind {
	for i := range netKinds {
		if netKinds[i].name == name {
			return &netKinds[i]
		}
	}
	return nil
}

// CheckNetLayer returns all that is wrong with the words of a layer, whatever is before it.
func CheckNetLayer(l *NetLayer) (all []NetProblem) {
	k := netKindNamed(l.Kind)
	if k == nil {
		return []NetProblem{{Text: "no kind of layer, want one of: " + strings.Join(NetKinds(), ", ")}}
	}
	for _, key := range slices.Sorted(maps.Keys(l.Sizes)) {
		if p := k.wrong(key, l.Sizes[key]); p != nil {
			all = append(all, *p)
		}
	}
	for i := range k.keys {
		if _, there := l.Sizes[k.keys[i].name]; !there && k.keys[i].def == "" {
			all = append(all, NetProblem{Text: fmt.Sprintf("no %s, want %s: %s", k.keys[i].name, k.keys[i].form(),
				k.keys[i].meaning)})
		}
	}
	return all
}

// read returns the values of all keys, or the first problem.
func (k *netKind) read(sizes map[string]string) (netValues, *NetProblem) {
	if all := CheckNetLayer(&NetLayer{Kind: k.name, Sizes: sizes}); len(all) > 0 {
		return nil, &all[0]
	}
	v := netValues{}
	for i := range k.keys {
		v[k.keys[i].name] = k.keys[i].def
	}
	for key, value := range sizes {
		v[key] = value
	}
	return v, nil
}

// wrong is what is wrong with one size.
func (k *netKind) wrong(key, value string) *NetProblem {
	i := slices.IndexFunc(k.keys, func(of netKey) bool { return of.name == key })
	if i < 0 {
		var names []string
		for _, of := range k.keys {
			names = append(names, of.name)
		}
		want := "want none"
		if len(names) > 0 {
			want = "want one of: " + strings.Join(names, ", ")
		}
		return &NetProblem{Key: key, Text: fmt.Sprintf("%s has no such size, %s", k.name, want)}
	}
	if of := &k.keys[i]; !of.takes(value) {
		return &NetProblem{Key: key, Text: "want " + of.form()}
	}
	return nil
}

func (k *netKey) takes(value string) bool {
	switch {
	case k.words != nil:
		return slices.Contains(k.words, value)
	case k.unset != "" && value == k.unset:
		return true
	case k.whole:
		n, err := strconv.Atoi(value)
		return err == nil && strconv.Itoa(n) == value && float64(n) >= k.least && float64(n) <= k.most
	}
	n, err := strconv.ParseFloat(value, 64)
	return err == nil && !math.IsNaN(n) && n >= k.least && n <= k.most
}

// form says which values a key takes.
func (k *netKey) form() string {
	if k.words != nil {
		return strings.Join(k.words[:len(k.words)-1], ", ") + " or " + k.words[len(k.words)-1]
	}
	number := "a number"
	if k.whole {
		number = "a whole number"
	}
	text := fmt.Sprintf("%s from %v to %v", number, strconv.FormatFloat(k.least, 'f', -1, 64),
		strconv.FormatFloat(k.most, 'f', -1, 64))
	if k.unset != "" {
		text += ", or " + k.unset
	}
	return text
}

// blamed is an error of a layer's constructor as a problem of the size that it names first, if it does.
func (k *netKind) blamed(err error) *NetProblem {
	first, rest, found := strings.Cut(err.Error(), ": ")
	if found && slices.ContainsFunc(k.keys, func(of netKey) bool { return of.name == first }) {
		return &NetProblem{Key: first, Text: rest}
	}
	return &NetProblem{Text: err.Error()}
}

// NetReference is the table of kinds and sizes as lines of Markdown.
func NetReference() string {
	var b strings.Builder
	b.WriteString("| layer | takes | what it is |\n|---|---|---|\n")
	for i := range netKinds {
		k := &netKinds[i]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.name, takesWords(k.takes), k.meaning)
	}
	b.WriteString("\n| layer | size | what it is | default | accepts |\n|---|---|---|---|---|\n")
	for i := range netKinds {
		for j := range netKinds[i].keys {
			k := &netKinds[i].keys[j]
			def := "required"
			if k.def != "" {
				def = "`" + k.def + "`"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", netKinds[i].name, k.name, k.meaning, def, k.form())
		}
	}
	return b.String()
}
