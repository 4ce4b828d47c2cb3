package netfile

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/learn/nn"
)

// A net is written line by line; a block begins a new one. What comes of it is its layers with what each takes
// and gives, or what is wrong. `data` says what the data are.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage {
		return &stage{rows: Rows{Image: nn.Volume{Channels: 1, Height: 28, Width: 28}}}
	})
}

type stage struct {
	lines []string
	rows  Rows
}

func (s *stage) Do(command []string) {
	if command[0] != "data" {
		s.lines = append(s.lines, strings.Join(command, " "))
		return
	}
	var n [3]int
	for i, word := range command[2:] {
		n[i], _ = strconv.Atoi(word)
	}
	s.rows = Rows{Image: nn.Volume{Channels: n[0], Height: n[1], Width: n[2]}}
	if command[1] == "text" {
		s.rows = Rows{Text: true, Vocabulary: n[0], Context: n[1]}
	}
}

func (s *stage) Told() string {
	src := strings.Join(s.lines, "\n")
	s.lines = nil
	m, err := s.model(src)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for l := range m.Layers() {
		of := m.Layer(l, nn.Portable)
		fmt.Fprintf(&b, "%s %d > %d", m.LayerName(l), of.In(), of.Out())
		if n := of.Params(); n > 0 {
			fmt.Fprintf(&b, ", %d parameters", n)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d parameters, %d labels, %v\n", m.Free(), m.Targets(), m.LossOf())
	return b.String()
}

func (s *stage) model(src string) (*nn.Model, error) {
	f, err := Read("net.txt", []byte(src))
	if err != nil {
		return nil, err
	}
	net, err := f.Net(s.rows)
	if err != nil {
		return nil, err
	}
	return net.Model()
}
