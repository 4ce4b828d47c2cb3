package report

import (
	"fmt"
	"strings"

	"railyard/internal/diagnose"
	"railyard/internal/unit"
)

// majority is the share from which one reason is said to limit a run.
const majority = 0.4

// shownCulprits is how many flows a sentence names.
const shownCulprits = 3

// reasons says what the time was lost to: first what matters most, then what else is a tenth or more.
func (d *Data) reasons() []string {
	g := d.Summary.Diagnosis
	if g == nil || g.Main() == nil {
		return d.stateOnly()
	}
	main := g.Main()
	lead := d.lead(main)
	share := fmt.Sprintf("%s of the %s of %s", unit.Percent(g.Share(main)), g.Whole.Human(), g.Subject)
	first := "This run was limited because %s: %s, is attributed to it%s%s."
	switch {
	case g.Share(main) < majority && main.Kind.Congestion():
		first = "The largest single loss is that %s: %s, is attributed to it%s%s."
	case g.Share(main) < majority:
		first = "No single reason limited this run. The largest is that %s: %s%s%s."
	}
	out := []string{fmt.Sprintf(first, lead, share, felt(g, main), d.proved(main))}
	if s := culprits(main); s != "" {
		out = append(out, s)
	}
	for i := range g.Blames {
		b := &g.Blames[i]
		if len(out) > 3 || g.Share(b) < 0.1 {
			break
		}
		if b != main {
			out = append(out, fmt.Sprintf("Another %s: %s.", unit.Percent(g.Share(b)), d.lead(b)))
		}
	}
	return out
}

// stateOnly is for a run without a diagnosis: in which state most of the time passed, which is not why.
func (d *Data) stateOnly() []string {
	subject, whole, all := Findings(d)
	if len(all) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Of the %s of %s, %s passed in a state in which %s. What made it so is not known: this run has no diagnosis.",
		whole.Human(), subject, unit.Percent(all[0].Share), all[0].Cause.Meaning())}
}

// felt says in which states the time of a blame passed, where that is not what it is called.
func felt(g *diagnose.Diagnosis, b *diagnose.Blame) string {
	var parts []string
	for _, f := range b.Felt[:min(len(b.Felt), 3)] {
		if share := unit.Share(f.Time, g.Whole); share >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s, %s", f.Cause, unit.Percent(share)))
		}
	}
	if !b.Kind.Congestion() || len(parts) == 0 {
		return ""
	}
	return ", felt as " + strings.Join(parts, "; ")
}

// culprits names whose bytes it was.
func culprits(b *diagnose.Blame) string {
	if len(b.Culprits) == 0 {
		return ""
	}
	var parts []string
	for _, c := range b.Culprits[:min(len(b.Culprits), shownCulprits)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Name, unit.Percent(c.Share)))
	}
	if more := len(b.Culprits) + b.Others - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("Of what others had waiting there: %s.", strings.Join(parts, ", "))
}

// lead says a blame in a clause.
func (d *Data) lead(b *diagnose.Blame) string {
	at := b.Port
	if rate := d.rateOf(b.Port); rate != "" {
		at += " (" + rate + ")"
	}
	switch b.Kind {
	case diagnose.SharedPort:
		if b.Port == "" {
			return "ports on the way were busy with the bytes of others"
		}
		if !b.Crossed {
			return fmt.Sprintf("the queue of %s made PFC pause messages that do not even cross that port", at)
		}
		return fmt.Sprintf("the port %s was busy with the bytes of others", at)
	case diagnose.SlowPort:
		return fmt.Sprintf("the port %s is slower than the links of its senders", at)
	case diagnose.LossyLink:
		return fmt.Sprintf("the link %s lost packets or acknowledgements, which were sent again", at)
	case diagnose.FullBuffer:
		return fmt.Sprintf("the switch had no room for packets to %s, which were sent again", at)
	case diagnose.Timeouts:
		return "timers ran out and packets were sent again though nothing had been lost"
	case diagnose.Storm:
		return fmt.Sprintf("the host behind %s paused its switch with PFC frames", at)
	case diagnose.Controller:
		if b.Port == "" {
			return "congestion control held senders back though no port on their way was full"
		}
		return fmt.Sprintf("congestion control held senders back while the port %s had nothing to send", at)
	case diagnose.Window:
		return "the senders' window is smaller than link speed times round trip"
	case diagnose.SlowRank:
		return fmt.Sprintf("rank %d computes longer than the others", *b.Rank)
	case diagnose.LinkSpeed:
		if b.Port == "" {
			return "bits were put on wires at the speed of the senders' links"
		}
		return fmt.Sprintf("bits were put on the wire at the speed of %s", at)
	case diagnose.Cable:
		if b.Port == "" {
			return "bits were on their way in cables"
		}
		return fmt.Sprintf("bits were on their way in the cable of %s", b.Port)
	}
	return plainly[b.Kind]
}

var plainly = map[diagnose.Kind]string{
	diagnose.Launch:      "kernels and collectives had to be started",
	diagnose.Compute:     "GPUs computed",
	diagnose.NVLink:      "bytes crossed NVLink, or waited for it",
	diagnose.PCIe:        "bytes crossed PCIe between GPUs and NICs, or waited for it",
	diagnose.NIC:         "NICs took their own time to send and to receive",
	diagnose.Dependency:  "ranks waited for data that others had not sent yet",
	diagnose.Answer:      "ranks waited for acknowledgements",
	diagnose.SwitchDelay: "packets were in the pipelines of switches",
}

// shortly names a blame in a few words.
func shortly(b *diagnose.Blame) string {
	switch {
	case b.Port == "":
		return string(b.Kind)
	case b.Kind == diagnose.SharedPort:
		return "the bytes of others at " + b.Port
	case b.Kind == diagnose.Controller:
		return "congestion control while " + b.Port + " stood idle"
	}
	return string(b.Kind) + " " + b.Port
}

// rateOf prints the rate of a port, "" if it is unknown.
func (d *Data) rateOf(port string) string {
	for i := range d.Links {
		if d.Links[i].Port == port {
			return d.Links[i].Rate.Human()
		}
	}
	return ""
}
