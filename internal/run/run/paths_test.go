package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// uneven is four leaves of two hosts and four spines, of which one is further away, so that packets that take
// different ways overtake one another. Each host sends messages to the one a leaf further.
func uneven(more string) string {
	yaml := `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 4
  spines: 4
  links: {spine: 100Gb/s, named: [{link: leaf1/spine4, length: 300m}, {link: leaf2/spine4, length: 300m}]}
` + more + `
job:
  flows:
`
	for i := range 8 {
		yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: 150kB, count: 3, every: 40us, start: %dns}\n",
			i+1, (i+2)%8+1, 70*i)
	}
	return yaml
}

// balancers are settings of the switches, and whether a queue pair's messages may take more than one path.
var balancers = []struct {
	name, fabric string
	several      bool
}{
	{"ecmp", "", false},
	{"wcmp", "  balance: wcmp\n", false},
	{"resilient", "  balance: resilient\n", false},
	{"pinned", "  balance: TELB\n", false},
	{"flowlet", "  balance: flowlet\n  flowlet: {gap: 5us}\n", true},
	{"dlb", "  balance: DLB\n  dlb: {gap: 5us, sampling: 2us}\n", true},
	{"glb", "  balance: GLB\n  dlb: {gap: 5us, sampling: 2us}\n  glb: {interval: 1us}\n", true},
	{"conweave", "  balance: conweave\n  conweave: {reply: 4us, busy: 2us}\n", true},
	{"dlb by packets", "  balance: dlb\n  dlb: {mode: packet}\n", true},
	{"random", "  balance: spray\n  spray: {pick: random}\n", true},
	{"round robin", "  balance: spray\n  spray: {pick: round-robin}\n", true},
	{"least queue", "  balance: spray\n", true},
	{"drill", "  balance: spray\n  spray: {pick: drill}\n", true},
}

// Whatever chooses the next hop, the explanation adds up, names the path that was taken, and no partition and no
// worker changes a byte.
func TestEveryBalancerExplains(t *testing.T) {
	for _, b := range balancers {
		for _, recovery := range []string{"go-back-n", "selective-repeat"} {
			t.Run(b.name+", "+recovery, func(t *testing.T) {
				yaml := uneven(b.fabric + "transport: {recovery: " + recovery + "}\n")
				r := run(t, yaml, Options{})
				checkPaths(t, r, b.several)
				cut := run(t, yaml, Options{Islands: 5, Workers: 2})
				if digestOf(t, r.path) != digestOf(t, cut.path) {
					t.Error(firstDifference(t, r.path, cut.path))
				}
			})
		}
	}
}

// checkPaths holds that each message's causes sum to its time, and that the ports where it waited lie on the
// path that it is said to have taken, which leads from its sender to its receiver.
func checkPaths(t *testing.T, r ran, several bool) {
	t.Helper()
	paths, ways := map[int64]string{}, map[string]map[string]bool{}
	for _, f := range rows(t, r.Run.Flows()) {
		split := f.Causes.Split()
		if f.Status != result.StatusDone || split.Sum() != f.FCT || f.FCT != f.Placed.Sub(f.Posted) {
			t.Fatalf("%s %s: causes sum to %v, it took %v", f.Name, f.Status, split.Sum(), f.FCT)
		}
		src, _, _ := strings.Cut(f.Src, "/")
		dst, _, _ := strings.Cut(f.Dst, "/")
		if !strings.HasPrefix(f.Path, src+">leaf") || !strings.HasSuffix(f.Path, ">"+dst) || strings.Count(f.Path, ">") != 4 {
			t.Fatalf("%s from %s to %s took %s", f.Name, f.Src, f.Dst, f.Path)
		}
		paths[f.ID] = f.Path
		if ways[f.Name] == nil {
			ways[f.Name] = map[string]bool{}
		}
		ways[f.Name][f.Path] = true
	}
	most := 0
	for _, w := range ways {
		most = max(most, len(w))
	}
	if len(paths) != 24 || (most > 1) != several {
		t.Errorf("%d messages, up to %d paths of one queue pair", len(paths), most)
	}
	waits := 0
	for _, h := range rows(t, r.Run.Hops()) {
		waits++
		if nodes := strings.Split(paths[h.Flow], ">"); nodes[h.Hop]+"/"+nodes[h.Hop+1] != h.Port {
			t.Fatalf("hop %d of %s is %s", h.Hop, paths[h.Flow], h.Port)
		}
	}
	if waits == 0 {
		t.Error("nothing waited")
	}
}

// Packets that overtake one another cost a receiver that takes them in order NAKs and repeats, one that takes
// them as they come nothing but its headers.
func TestSprayingReorders(t *testing.T) {
	spray := "  balance: spray\n  spray: {pick: round-robin}\n"
	inOrder := run(t, uneven(spray), Options{})
	if inOrder.Retransmits == 0 {
		t.Error("nothing was sent again")
	}
	if ecmp := run(t, uneven(""), Options{}); ecmp.Retransmits != 0 {
		t.Errorf("%d packets sent again without spraying", ecmp.Retransmits)
	}
}

// ConWeave moves queue pairs while they send, and hosts notice nothing: no packet is sent again.
func TestConWeaveKeepsTheOrder(t *testing.T) {
	r := run(t, uneven("  balance: conweave\n  conweave: {reply: 4us, busy: 2us}\ncongestion: {algorithm: none}\n"), Options{})
	if r.Retransmits != 0 {
		t.Errorf("%d packets sent again", r.Retransmits)
	}
	checkPaths(t, r, true)
	early := run(t, uneven("  balance: conweave\n  conweave: {reply: 4us, busy: 2us, resume: 100ns}\ncongestion: {algorithm: none}\n"),
		Options{})
	if early.Retransmits == 0 {
		t.Error("nothing was sent again though the last switch holds nothing back: it has nothing to do")
	}
}

// A link that stays down is routed around when the switches have heard of it: until then what is sent onto it is
// lost. Where they never hear, it is lost until the link is up.
func TestRoutesConverge(t *testing.T) {
	yaml := func(convergence string) string {
		return `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2, links: {spine: 100Gb/s}}
transport: {timeout: 50us, retries: 100}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10kB, count: 40, every: 20us}]}
faults: [{link: leaf1/spineN, at: 100us, down: 500us, convergence: ` + convergence + `}]
`
	}
	for _, spine := range []string{"1", "2"} {
		follow := run(t, strings.ReplaceAll(yaml("200us"), "spineN", "spine"+spine), Options{})
		never := run(t, strings.ReplaceAll(yaml("never"), "spineN", "spine"+spine), Options{})
		other := map[string]bool{}
		last, lastNever := unit.Time(0), unit.Time(0)
		for _, l := range rows(t, follow.Run.Losses()) {
			if l.Kind != "timeout" {
				last = max(last, l.Time)
			}
		}
		for _, l := range rows(t, never.Run.Losses()) {
			if l.Kind != "timeout" {
				lastNever = max(lastNever, l.Time)
			}
		}
		for _, f := range rows(t, follow.Run.Flows()) {
			other[f.Path] = true
		}
		if last == 0 {
			continue // the hash takes the other spine: the test is the other round
		}
		if len(other) != 2 || last < unit.Time(200*unit.Microsecond) || last > unit.Time(310*unit.Microsecond) {
			t.Errorf("spine%s: paths %v, last loss at %v, want two paths and losses until 300 us", spine, other, last)
		}
		if lastNever < unit.Time(500*unit.Microsecond) {
			t.Errorf("spine%s: last loss at %v where routes never change, want until 600 us", spine, lastNever)
		}
		return
	}
	t.Error("no queue pair takes either spine")
}

// What is crowded behind the next switch a leaf does not see: DLB takes either spine. With GLB the spines tell, and
// messages avoid the one whose link to the other leaf is full, from when its word has come on.
func TestGLBSeesBehindTheNextSwitch(t *testing.T) {
	counts := func(balance string) (full, free int) {
		r := run(t, `
cluster: {hosts: 6, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 3
  spines: 2
  links: {spine: 100Gb/s}
  balance: `+balance+`
  dlb: {gap: 1us, sampling: 2us}
congestion: {algorithm: none}
job: {flows: [{from: host1/gpu0, to: host5/gpu0, bytes: 20kB, count: 40, every: 20us, start: 50us}]}
background: {flows: [{from: host3/gpu0, to: host6/gpu0, bytes: 20MB, path: [host3, leaf2, spine1, leaf3, host6]}]}
`, Options{})
		for _, f := range rows(t, r.Run.Flows()) {
			switch {
			case f.Kind == result.KindBackground:
			case strings.Contains(f.Path, "spine1"):
				full++
			default:
				free++
			}
		}
		return full, free
	}
	if full, free := counts("dlb"); full < 10 || free < 10 {
		t.Errorf("DLB: %d messages by the spine whose link is full, %d by the other, want about half", full, free)
	}
	if full, free := counts("glb\n  glb: {interval: 5us}"); full != 0 || free != 40 {
		t.Errorf("GLB: %d messages by the spine whose link is full, %d by the other, want none and 40", full, free)
	}
}
