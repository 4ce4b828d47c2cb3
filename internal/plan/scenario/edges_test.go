package scenario

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// The marking curve is one at the rate of each tier, of links by name too; a custom network has the NICs' alone.
func TestCurvesAtAllRates(t *testing.T) {
	const marks = "qos: {ecn: {min: 400kB, max: auto}}" // which grows with the rate of a port
	for _, c := range []struct{ fabric, want string }{
		{"design: leaf-spine, leaves: 1, spines: 1, links: {host: 400Gb/s, spine: 400Gb/s}, " + marks, ""},
		{"design: leaf-spine, leaves: 1, spines: 1, links: {host: 400Gb/s, spine: 10Gb/s}, " + marks, "on a 10Gb/s port"},
	} {
		_, err := Parse("t.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 400Gb/s}}\nfabric: {"+c.fabric+"}\n"+
			"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.fabric, err, c.want)
		}
	}
}

// The last message of a flow that repeats is posted by the end of virtual time; one more would not be.
func TestTheLastMessageOfAFlow(t *testing.T) {
	for _, c := range []struct {
		start, every unit.Duration
		fine         int64 // messages
	}{{0, unit.Hour, 25}, {unit.Hour, unit.Hour, 24}, {1, unit.Hour, 24}, {0, 40 * unit.Minute, 37},
		{40 * unit.Minute, 40 * unit.Minute, 36}} {
		for _, more := range []int64{0, 1} {
			text := fmt.Sprintf("start: %dps, every: %dps, count: %d", int64(c.start), int64(c.every), c.fine+more)
			_, err := Parse("t.yaml", []byte(strings.Replace(two, "bytes: 1MB", "bytes: 1MB, "+text, 1)))
			want := fmt.Sprintf("want at most %d", c.fine)
			if (err == nil) != (more == 0) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
}

// Hosts without GPUs have two processors, and what a preset of GPUs says is other for each.
func TestPresetsOfHosts(t *testing.T) {
	seen := map[string]string{}
	for preset := range presets["cluster.host.preset"] {
		s := parsed(t, strings.Replace(two, "host: {gpus: 1}", "host: {preset: "+preset+"}", 1))
		h := s.Cluster.Host
		if (h.GPUs == 2) != (preset == "cpu") {
			t.Errorf("%s: %d GPUs", preset, h.GPUs)
		}
		h.Preset = ""
		if other, there := seen[fmt.Sprint(h)]; there {
			t.Errorf("%s is %s", preset, other)
		}
		seen[fmt.Sprint(h)] = preset
	}
}

// A text that is too long is refused at its beginning.
func TestATextThatIsTooLong(t *testing.T) {
	for n, want := range map[int]string{MaxBytes: "", MaxBytes + 1: fmt.Sprintf("%d bytes or more: a scenario has at most", MaxBytes+1)} {
		_, problems := readTreeOf("scenario", "t.yaml", []byte("a: b #"+strings.Repeat("x", n-6)))
		switch {
		case want == "" && len(problems) > 0, want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0].Message, want)):
			t.Errorf("%d bytes: %v, want %q", n, problems, want)
		case want != "" && (problems[0].Line != 1 || problems[0].Column != 1 || problems[0].Width != 1):
			t.Errorf("%+v", problems[0])
		}
	}
}

// Names of a type are printed as they are written, where all print them and where one switch differs.
func TestNamesOfATypeArePrinted(t *testing.T) {
	s := parsed(t, two+"fabric: {balance: spray, switches: [{match: rail1, balance: ecmp}]}\n")
	if text := string(s.YAML()); !strings.Contains(text, "balance: spray") {
		t.Error(text)
	}
	f := s.Fabric.With(&s.Fabric.Switches[0])
	for _, d := range s.Differences(&f) {
		if d.Key == "balance" && d.Own == "ecmp" && d.Others == "spray" {
			return
		}
	}
	t.Errorf("%+v", s.Differences(&f))
}
