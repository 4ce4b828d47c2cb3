package run

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Packet-hops are forecast within a factor of 1.3, on the examples and on other shapes: the same
// scenarios, but for the length of trainings, for which tools/forecast prints memory too. What the examples say on the
// way of the part that is done is held, too.
func TestForecastOfPacketHops(t *testing.T) {
	texts, examples := map[string]string{}, map[string]bool{}
	for _, glob := range []string{"../../../examples/*.yaml", "../../../tools/forecast/shapes/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) < 10 {
			t.Fatalf("%s: %d files, %v", glob, len(files), err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if strings.Contains(glob, "examples") {
				texts[name], examples[name] = example(t, name), true
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = shortened(string(b))
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			text = strings.ReplaceAll(text, ": ../../../examples/", ": "+root+"/examples/")
			// gpt-text's time is the steps' arithmetic: half of its packets are bursts at its begin.
			r, said, whole := runSaying(t, text, name == "gpt-text")
			if examples[name] {
				holdParts(t, r, said, whole)
			}
			in, err := Inspect(read(t, text)) // now that images that are drawn are there
			if err != nil {
				t.Fatal(err)
			}
			// What is sent again is not forecast; each such packet took one link at least.
			if said, took := in.Estimate.PacketHops, r.PacketHops-r.Retransmits; 10*said > 13*took || 13*said < 10*took {
				t.Errorf("%d packet-hops forecast, %d taken: a factor of %.2f", said, took, float64(said)/float64(took))
			}
		})
	}
}

// shortened is a scenario whose training takes a quarter of the steps, on few test images.
func shortened(text string) string {
	text = regexp.MustCompile(`test: \d+`).ReplaceAllString(text, "test: 600")
	return regexp.MustCompile(`steps: \d+`).ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(s, "steps: "))
		return "steps: " + strconv.Itoa(max(1, n/4))
	})
}
