package live

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"testing"

	"railyard/internal/out/result"
)

// The last line says how far the run is when it ends; a loss that is no number is left out, since JSON has none.
func TestTheLastLineOfAStream(t *testing.T) {
	var out bytes.Buffer
	s := NewStream(&out, waiting{}, func() {})
	s.Update(result.Progress{Phase: "training", Done: 1, Total: 2, HasLoss: true, Loss: 0.5})
	s.Update(result.Progress{Phase: "training", Done: 2, Total: 2, HasLoss: true, Loss: math.NaN()})
	s.Stop()
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var last map[string]any
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		t.Fatal(err)
	}
	if _, has := last["loss"]; has || last["phase"] != "training" || last["done"] != 2.0 {
		t.Errorf("%s", lines[len(lines)-1])
	}
	(*Stream)(nil).Stop() // tells nobody
}

// waiting is an input on which nothing comes.
type waiting struct{}

func (waiting) Read([]byte) (int, error) { select {} }

// When what is heard ends, the run is to end.
func TestTheEndOfWhatAStreamHears(t *testing.T) {
	ended := make(chan bool)
	s := NewStream(io.Discard, bytes.NewReader(nil), func() { close(ended) })
	<-ended
	s.Stop()
}
