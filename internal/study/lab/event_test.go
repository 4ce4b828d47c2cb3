package lab

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two hosts send to a third through a small buffer: the switch pauses them and lets them go on.
const paused = "name: paused\ncluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
	"fabric: {design: single-switch, switch: {buffer: 1MB}}\ncongestion: {algorithm: none}\noutput: {events: true}\n" +
	"job: {flows: [{name: a, from: host1/gpu0, to: host3/gpu0, bytes: 500kB}, " +
	"{name: b, from: host2/gpu0, to: host3/gpu0, bytes: 500kB}]}\n"

// An event is the first of its kind at its port, behind the one that it follows in the log.
func TestEvents(t *testing.T) {
	o := outcome(t, folder(shortText, `event off = "xoff" at "host1/rail1" "over xOFF"
event stop = "pause" at "host1/rail1" after off "it stops"
event on = "xon" at "host1/rail1" after stop "under xON"
event again = "xoff" at "host1/rail1" after on "over it again"
measure stopped = on - off in us "how long"
again large = "fabric.switch.buffer=800kB" "a smaller buffer"
event sooner = "xoff" at "host1/rail1" in large "sooner"
`, paused))
	at := map[string]float64{}
	for _, q := range o.Measure {
		at[q.Name] = q.Value
	}
	if off := at["off"]; off <= 0 || at["stop"] <= off || at["on"] <= at["stop"] || at["again"] <= at["on"] || at["sooner"] >= off {
		t.Errorf("off, stop, on, again and sooner are at %v", at)
	}
	if at["stopped"] != at["on"]-at["off"] {
		t.Errorf("stopped for %v", at["stopped"])
	}
}

// What has not happened, in this order, is told with its place: a chain of events is an expectation.
func TestEventsThatDidNotHappen(t *testing.T) {
	const none = "in this run there is no such event"
	for expect, want := range map[string]string{
		`event a = "drop" at "rail1/host3" "x"`: "expect.txt:1:7: " + none + ": the first drop at rail1/host3",
		`event a = "xoff" at "rail1" "x"`:       "expect.txt:1:7: " + none,
		`event z = "xon" at "host1/rail1" "x"` + "\n" + `event a = "over-min" at "host1/rail1" after z "y"`: "expect.txt:2:7: " +
			none + ": the first over-min at host1/rail1 after z",
		`event a = "xoff" at "host1/rail1" after b "x"`: "expect.txt:1:41: b: there is no event of this name",
		`event a = "xoff" at "host1/rail1" in b "x"`:    "expect.txt:1:38: b: there is no run again",
		`again b = "output.events=false" "x"` + "\n" +
			`event a = "xoff" at "rail1" in b "x"`: "expect.txt:2:7: this run logs no events",
	} {
		l, err := Parse("my-lab", folder(shortText, expect, paused))
		if err == nil {
			_, err = l.Run(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "out")})
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expect, err, want)
		}
	}
}

// With another input a chain of events may end early: what comes after, and what is worked out of it, is left out.
func TestEventsThatAChangeTakesAway(t *testing.T) {
	lab := folder(shortText, `event off = "xoff" at "host1/rail1" "over xOFF"
event stop = "pause" at "host1/rail1" after off "it stops"
measure held = stop - off in us "how long"
measure slowest = run.flows[0].fct_ps / 1e6 in us "the flow"
guess held "How long?"
value held = 1 within 1 shape "about"
`, paused)
	for buffer, want := range map[string]string{"1MB": "off stop held slowest", "64MB": "slowest"} {
		var said []string
		for _, q := range outcome(t, lab, Change{"fabric.switch.buffer", buffer}).Measure {
			said = append(said, q.Name)
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%s: %s, want %s", buffer, got, want)
		}
	}
}
