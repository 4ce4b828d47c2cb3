package ns3

import (
	"strings"
	"testing"
)

func TestAFileWithoutAKey(t *testing.T) {
	if holdsKey([]byte("correct horse battery staple\n")) || !holdsKey([]byte("# x\nCC_MODE 3\n")) {
		t.Error("a file with a key is one of ours, another is not")
	}
}

// A file that a key names is known by its last part; without the key by the name that the simulator gives it.
func TestFilesOfKeys(t *testing.T) {
	m := &importer{c: &config{text: map[string]string{"FLOW_FILE": "mix/flow.txt"}}}
	if a, b := m.file("FLOW_FILE", "f"), m.file("TOPOLOGY_FILE", "topology.txt"); a != "flow.txt" || b != "topology.txt" {
		t.Errorf("%q, %q", a, b)
	}
}

// A comment in braces may be the whole line.
func TestCommentsInBraces(t *testing.T) {
	k := tokenize("f.txt", []byte("{all of it}\n7 {seven}\n8 { open\n"))
	var words []string
	for k.more() {
		words = append(words, k.words[k.next].Text)
		k.next++
	}
	if got := strings.Join(words, " "); got != "7 8 { open" {
		t.Errorf("%q", got)
	}
}
