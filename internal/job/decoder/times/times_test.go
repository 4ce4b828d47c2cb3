package times

import (
	"errors"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/scripttest"
)

// Lines of a file, `;` between them: what becomes of them, or what is wrong.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

type stage struct{ lines []string }

func (s *stage) Do(command []string) { s.lines = append(s.lines, strings.Join(command, " ")) }

func (s *stage) Told() string {
	src := strings.Join(s.lines, "\n")
	s.lines = nil
	m, err := Read("t.csv", []byte(src))
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, o := range m.Unused() {
		b.WriteString(o.String() + "\n")
	}
	return b.String()
}

// Whatever the bytes, there are operators or located problems, and what a file that reads has is written back the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte("operator,shape,microseconds\nmatmul,1x2x3,4.5\nmemory,100,1\n"))
	f.Add([]byte("shape,microseconds,operator\n# c\n64x2048x2048x128,0.000001,attention\n"))
	f.Add([]byte("\xef\xbb\xbfoperator , shape,x\nmatmul,0x1x2,-1\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Read("t.csv", src)
		var ps located.Problems
		if err != nil {
			if !errors.As(err, &ps) {
				t.Fatalf("%v: no located problem", err)
			}
			return
		}
		again := "operator,shape,microseconds\n"
		for _, o := range m.Unused() {
			again += o.String() + ",1\n"
		}
		n, err := Read("t.csv", []byte(again))
		if err != nil {
			t.Fatal(err)
		}
		_, all := m.Used()
		if _, got := n.Used(); got != all {
			t.Fatalf("%d operators, written and read %d", all, got)
		}
	})
}

// A file over its bound is refused at once.
func TestBounds(t *testing.T) {
	_, err := Read("t.csv", make([]byte, MaxText+1))
	if err == nil || !strings.Contains(err.Error(), "want at most 4194304") {
		t.Error(err)
	}
}

// Sizes are from 1 to 2^40.
func TestBoundsOfSizes(t *testing.T) {
	for size, good := range map[string]bool{"1": true, "1099511627776": true, "1099511627777": false, "0": false, "-1": false, "+1": false,
		"01": false} {
		_, err := Read("t.csv", []byte("operator,shape,microseconds\nmemory,"+size+",1\n"))
		if (err == nil) != good {
			t.Errorf("%s: %v", size, err)
		}
	}
}
