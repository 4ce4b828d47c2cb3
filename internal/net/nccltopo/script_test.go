package nccltopo

import (
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
)

// stage reads a file that a script writes line by line: ways shows what NCCL calls the ways between its GPUs and NICs,
// board its parts, and write what is written of it.
type stage struct {
	scripttest.Log
	file []string
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

func (s *stage) Do(command []string) {
	if strings.HasPrefix(command[0], "<") {
		s.file = append(s.file, strings.Join(command, " "))
		return
	}
	b, err := Read("script.xml", []byte("<system>"+strings.Join(s.file, "\n")+"</system>"))
	s.file = nil
	if err != nil {
		s.WriteString(err.Error() + "\n")
		return
	}
	switch command[0] {
	case "ways":
		s.WriteString(grid(b))
	case "board":
		for _, row := range b.Rows()[1:] {
			s.WriteString(strings.Join(row, " ") + "\n")
		}
		for _, note := range b.Notes {
			s.WriteString(note + "\n")
		}
	case "write":
		out, _ := Write(b) // what was read hangs on CPUs
		s.Write(out)
	default:
		panic("a script says " + command[0])
	}
}
