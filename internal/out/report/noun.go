package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
)

// link writes a port as what it leads from and to: rail1 -> host2, with its rate where that is known.
func (d *Data) link(port string) string {
	at := port
	if from, to, ok := strings.Cut(port, "/"); ok && !strings.Contains(to, "/") {
		at = from + " -> " + to
	}
	if rate := d.rateOf(port); rate != "" {
		at += " (" + rate + ")"
	}
	return at
}

// headed is a finding in a clause that begins with what it is called, and the entries of faults behind it.
func (d diagnosed) headed(f *diagnose.Finding) string {
	s := d.named(f)
	if len(f.Faults) > 0 {
		s += ", by " + strings.Join(f.Faults, ", ")
	}
	return s
}

func (d diagnosed) named(f *diagnose.Finding) string {
	at := ""
	if f.Place.Name != "" {
		at = d.link(f.Place.Name)
	}
	switch f.Noun {
	case noun.Incast:
		return fmt.Sprintf("bottleneck: %s, incast %d:1%s", at, f.N, of(f))
	case noun.SharedLink, noun.NICShared:
		return fmt.Sprintf("bottleneck: %s, %s%s", at, f.Noun, of(f))
	case noun.AnotherJob:
		more := ""
		if n := len(f.Place.Ports) - 1; n > 0 {
			more = fmt.Sprintf(", and that of %s more", unit.CountOf(int64(n), "port"))
		}
		return fmt.Sprintf("bottleneck: %s, another job: the bytes%s fill the link%s", at, of(f), more)
	case noun.CrossRail:
		more := ""
		if n := len(f.Place.Ports) - 1; n > 0 {
			more = fmt.Sprintf(" and %s more", unit.CountOf(int64(n), "port"))
		}
		return fmt.Sprintf("bottleneck: %s%s, cross-rail traffic%s by %s", at, more, of(f), f.By)
	case noun.Oversubscription:
		ratio, _ := f.Fact("oversubscription")
		return fmt.Sprintf("bottleneck: %s, oversubscription %s:1 at %s", at, short(ratio), f.By)
	case noun.HOLVictim:
		if f.N > 0 {
			return fmt.Sprintf("HOL victim of pauses from %s, incast %d:1%s", at, f.N, of(f))
		}
		return fmt.Sprintf("HOL victim of pauses from %s, a port that it does not cross%s", at, of(f))
	case noun.SlowLink:
		if rate, ok := f.Fact("rate"); ok {
			from, to, _ := strings.Cut(f.Place.Name, "/")
			return fmt.Sprintf("slow link: %s -> %s at %s", from, to, unit.Bitrate(rate).Human())
		}
	case noun.PFCDeadlock:
		return "PFC deadlock over " + strings.Join(circle(f.Place.Ports), ", ")
	case noun.ECMPCollision, noun.Polarisation, noun.UnevenSpraying:
		return d.uneven(f, at)
	case noun.WrongThreshold:
		if f.By == diagnose.OddNoECN {
			return fmt.Sprintf("wrong threshold: %s marks nothing (ECN is off there), unlike the other switches", at)
		}
		if f.Place.Kind == noun.Switch {
			return fmt.Sprintf("wrong threshold (%s): %s is set otherwise than the other switches, which costs at %s", f.By, f.Place.Name,
				unit.CountOf(int64(len(f.Place.Ports)), "port"))
		}
	case noun.LinkDown:
		if f.Place.Kind == noun.Links {
			full := slices.DeleteFunc(slices.Clone(f.Place.Ports), func(p string) bool { return p == f.Place.Name })
			return fmt.Sprintf("link down: without %s its traffic fills %s", f.Place.Name, strings.Join(full, ", "))
		}
	}
	s := string(f.Noun)
	if f.By != "" {
		s += " (" + f.By + ")"
	}
	if len(f.Blames) == 0 {
		return s + ": " + f.Noun.Meaning() + about(f)
	}
	return s + ": " + d.clause(&d.g.Blames[f.Blames[0]]) + d.timed(f)
}

// uneven is a finding of links of which one has more than its share.
func (d diagnosed) uneven(f *diagnose.Finding, at string) string {
	s := string(f.Noun) + ": "
	over, known := f.Fact("flows")
	all, _ := f.Fact("flows of all equal")
	equal, _ := f.Fact("equal links")
	unused, _ := f.Fact("unused")
	switch via := f.Evidence; {
	case f.Noun == noun.Polarisation:
		s += fmt.Sprintf("%s, so that %s of %s equal links carry none of the flows and %s is full", f.By, short(unused), short(equal), at)
	case known && len(via) > 0:
		s += fmt.Sprintf("%s of %s flows share %s", short(over), short(all), via[0].At)
		if idle := idleOf(f); idle != "" {
			s += ", " + idle
		}
	default:
		s += fmt.Sprintf("%s has more than its share of %s equal links", at, short(equal))
	}
	return s
}

// idleOf says which of equal links carry nothing.
func idleOf(f *diagnose.Finding) string {
	var idle []string
	for _, e := range f.Evidence {
		if e.What == "flows" && e.Value == 0 {
			idle = append(idle, e.At)
		}
	}
	switch unused, _ := f.Fact("unused"); {
	case len(idle) == 0:
		return ""
	case len(idle) == 1 && unused == 1:
		return idle[0] + " carries none"
	case int(unused) == len(idle):
		return strings.Join(idle, ", ") + " carry none"
	default:
		return fmt.Sprintf("%s of the others carry none", short(unused))
	}
}

// timed says how much of a loss the retransmission timer took, and its setting.
func (d diagnosed) timed(f *diagnose.Finding) string {
	waited, _ := f.Fact("waited for the timer")
	if waited < 0.1*f.Time.Seconds() {
		return ""
	}
	timeout, _ := f.Fact("transport.timeout")
	return fmt.Sprintf("; senders waited %s of it until a timer ran out (transport.timeout %s)", seconds(waited), seconds(timeout))
}

func seconds(s float64) string { return unit.Duration(s * float64(unit.Second)).Human() }

// about is what a finding that no blame has stands on.
func about(f *diagnose.Finding) string {
	var parts []string
	for _, e := range f.Evidence {
		if e.Unit == "s" {
			parts = append(parts, e.What+" "+seconds(e.Value))
			continue
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.What, short(e.Value), e.Unit)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// short prints a number of things: a whole one whole, a mean with three digits.
func short(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return unit.Count(int64(x))
	}
	return fmt.Sprintf("%.3g", x)
}

// circle names the switches of ports in a circle.
func circle(ports []string) (all []string) {
	for _, p := range ports {
		from, _, _ := strings.Cut(p, "/")
		all = append(all, from)
	}
	return all
}

// of names the culprits of a finding, flows that are numbered in a row together.
func of(f *diagnose.Finding) string {
	if len(f.Culprits) == 0 {
		return ""
	}
	names := inRuns(f.Culprits)
	text := " of " + strings.Join(names[:min(len(names), shownCulprits)], ", ")
	if more := len(names) - shownCulprits; more > 0 || f.Others > 0 {
		text += " and more"
	}
	return text
}

// inRuns puts names together that end in numbers which follow one another: background1-7.
func inRuns(names []string) (out []string) {
	numbers := map[string][]int{}
	var order []string
	for _, n := range names {
		stem := strings.TrimRightFunc(n, unicode.IsDigit)
		k := 0
		if _, err := fmt.Sscanf(n[len(stem):], "%d", &k); err != nil || len(n)-len(stem) > 9 {
			stem, k = n, -1
		}
		if numbers[stem] == nil {
			order = append(order, stem)
		}
		numbers[stem] = append(numbers[stem], k)
	}
	for _, stem := range order {
		for _, r := range runs(numbers[stem]) {
			switch {
			case r[0] < 0:
				out = append(out, stem)
			case r[0] == r[1]:
				out = append(out, fmt.Sprintf("%s%d", stem, r[0]))
			default:
				out = append(out, fmt.Sprintf("%s%d-%d", stem, r[0], r[1]))
			}
		}
	}
	return out
}

// runs puts numbers together that follow one another, in order.
func runs(all []int) (out [][2]int) {
	for _, k := range slices.Sorted(slices.Values(all)) {
		if n := len(out); n > 0 && out[n-1][1]+1 == k && k > 0 {
			out[n-1][1] = k
			continue
		}
		out = append(out, [2]int{k, k})
	}
	return out
}
