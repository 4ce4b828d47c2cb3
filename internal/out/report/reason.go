package report

import (
	"fmt"
	"strings"

	"railyard/internal/out/diagnose"
)

// lead says a blame in a clause, and which faults of the scenario may be behind it.
func (d diagnosed) lead(b *diagnose.Blame) string {
	if len(b.Faults) == 0 {
		return d.clause(b)
	}
	return fmt.Sprintf("%s (%s)", d.clause(b), strings.Join(b.Faults, ", "))
}

// clause says a blame.
func (d diagnosed) clause(b *diagnose.Blame) string {
	at := b.Port
	if rate := d.rateOf(b.Port); rate != "" {
		at += " (" + rate + ")"
	}
	if said := sentAgain(b.Kind, at) + ofRanks(b, at); said != "" {
		return said
	}
	switch b.Kind {
	case diagnose.SharedPort:
		if b.Port == "" {
			return "ports on the path were busy with cross traffic"
		}
		if b.Acks {
			return fmt.Sprintf("acknowledgements waited at the port %s for cross traffic", at)
		}
		if !b.Crossed {
			return fmt.Sprintf("the queue of %s made PFC pause messages that do not even cross that port", at)
		}
		return fmt.Sprintf("the port %s was busy with cross traffic", at)
	case diagnose.UnevenChoice:
		return fmt.Sprintf("the port %s was busy with cross traffic while an equal one had room", at)
	case diagnose.Pauses:
		if b.Port == "" {
			return "PFC paused packets in flight"
		}
		return fmt.Sprintf("the switch of %s made PFC pause what alone was in flight there", at)
	case diagnose.SlowPort:
		return fmt.Sprintf("the port %s is slower than the links of its senders", at)
	case diagnose.Deadlock:
		return fmt.Sprintf("ports waited for each other in a circle, %s among them", at)
	case diagnose.Storm:
		return fmt.Sprintf("what is behind %s paused it with PFC frames without end", at)
	case diagnose.Receiver:
		return fmt.Sprintf("the NIC behind %s had no room, as PCIe took less than came", at)
	case diagnose.Controller:
		if b.Port == "" {
			return "congestion control held senders back though no port on their path was full"
		}
		return fmt.Sprintf("congestion control held senders back while the port %s had nothing to send", at)
	case diagnose.Window:
		return "the senders' window is smaller than link speed times round trip"
	case diagnose.PCIe:
		if host, of := strings.CutSuffix(b.Port, diagnose.PCIeOfHost); of && !strings.Contains(host, "/") {
			return fmt.Sprintf("PCIe of %s carries less than that of other hosts, and bytes waited for it", host)
		}
		if b.Port != "" {
			return fmt.Sprintf("bytes crossed PCIe by %s inside a host, or waited for it", at)
		}
	case diagnose.LinkSpeed:
		if b.Port == "" {
			return "transmission at the line rate of the senders' links"
		}
		return fmt.Sprintf("bits were put on the wire at the speed of %s", at)
	case diagnose.Cable:
		if b.Port == "" {
			return "bits were in flight in cables"
		}
		return fmt.Sprintf("bits were in flight in the cable of %s", b.Port)
	}
	return plainly[b.Kind]
}

// sentAgain is the clause of a kind of which packets were sent again; "" of others.
func sentAgain(k diagnose.Kind, at string) string {
	switch k {
	case diagnose.LossyLink:
		return fmt.Sprintf("the link %s lost packets or acknowledgements, which were sent again", at)
	case diagnose.FullBuffer:
		return fmt.Sprintf("the switch had no room for packets to %s, which were sent again", at)
	case diagnose.DropThreshold:
		return fmt.Sprintf("the queue of %s reached its drop threshold, and what was dropped was sent again", at)
	case diagnose.Watchdog:
		return fmt.Sprintf("the PFC watchdog emptied the queue of %s, and what it dropped was sent again", at)
	case diagnose.NoRoute:
		return fmt.Sprintf("the switch behind %s had no route, and what it dropped was sent again", at)
	case diagnose.Reordering:
		return "packets overtook one another, and receivers took the late ones for lost: senders went back"
	case diagnose.NoRoom:
		return "packets overtook one another further than receivers had room to keep them, and were dropped and sent again"
	case diagnose.Timeouts:
		return "timers ran out and packets were sent again though nothing had been lost"
	}
	return ""
}

// ofRanks is the clause of a kind that ranks are to blame for; "" of others.
func ofRanks(b *diagnose.Blame, at string) string {
	switch b.Kind {
	case diagnose.SlowRank:
		return fmt.Sprintf("rank %d computes longer than the others", *b.Rank)
	case diagnose.RetryExceeded:
		return gaveUp(b, at)
	case diagnose.JobWatchdog:
		if b.Rank == nil {
			return "ranks were in a collective for so long that the watchdog aborted the job"
		}
		return fmt.Sprintf("rank %d hung, and the others waited in a collective until the watchdog aborted the job", *b.Rank)
	case diagnose.Broken:
		return fmt.Sprintf("rank %d could not go on, which aborted the job", *b.Rank)
	}
	return ""
}

var plainly = map[diagnose.Kind]string{
	diagnose.Launch:      "kernels and collectives had to be started",
	diagnose.Compute:     "GPUs computed",
	diagnose.NVLink:      "bytes crossed NVLink, or waited for it",
	diagnose.PCIe:        "bytes crossed PCIe to or from GPUs, or waited for it",
	diagnose.NIC:         "NICs took their own time to send and to receive",
	diagnose.Dependency:  "ranks waited for data that others had not sent yet",
	diagnose.Answer:      "ranks waited for acknowledgements",
	diagnose.SwitchDelay: "packets were in the pipelines of switches",
	diagnose.Checkpoints: "ranks stood still while checkpoints were written",
	diagnose.Steps:       "steps were run",
}

// shortly names a blame in a few words.
func shortly(b *diagnose.Blame) string {
	switch {
	case b.Port == "":
		return string(b.Kind)
	case b.Kind == diagnose.SharedPort:
		return "cross traffic at " + b.Port
	case b.Kind == diagnose.UnevenChoice:
		return "the uneven choice of " + b.Port
	case b.Kind == diagnose.Controller:
		return "congestion control while " + b.Port + " stood idle"
	}
	return string(b.Kind) + " " + b.Port
}

// rateOf prints the rate of a port, "" if it is unknown.
func (d *Data) rateOf(port string) string {
	for i := range d.Summary.BusiestLinks {
		if l := &d.Summary.BusiestLinks[i]; l.Port == port && l.Slowed > 0 {
			return fmt.Sprintf("%s of %s", l.Slowed.Human(), l.Rate.Human())
		}
	}
	for i := range d.Links {
		if d.Links[i].Port == port {
			return d.Links[i].Rate.Human()
		}
	}
	for i := range d.Summary.BusiestLinks { // all that there is without tables
		if l := &d.Summary.BusiestLinks[i]; l.Port == port {
			return l.Rate.Human()
		}
	}
	return ""
}

// gaveUp says of a queue pair that it gave up, and what lost most of its frames.
func gaveUp(b *diagnose.Blame, at string) string {
	s := fmt.Sprintf("a queue pair gave up at %s, which aborted the job", at)
	if b.Lost != nil {
		s += "; " + b.Lost.String()
	}
	return s
}
