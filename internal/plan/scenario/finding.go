package scenario

import (
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Severity says what a finding means for a run.
type Severity string

// The severities. A scenario with a finding of severity Error does not run; what is
// wrong with the file itself is a located.Problem and not a finding.
const (
	Warning Severity = "warning" // allowed but likely not meant, or worth knowing
	Error   Severity = "error"
)

// Finding is something about a valid scenario that its writer will want to know.
type Finding struct {
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // what would be right, if that is known
}

// String returns path: message.
func (f Finding) String() string { return f.Path + ": " + f.Message }

// Located returns the finding as a problem with its place in the scenario's file. Line
// is 0 where the file says nothing about the path.
func (s *Scenario) Located(f Finding) located.Problem {
	p := s.places[f.Path].problem(s.file, f.Path, f.Message, f.Hint)
	p.Warning = f.Severity == Warning
	return p
}

// Wrong is an error about a key as a problem with its place in the scenario's file.
func (s *Scenario) Wrong(path, format string, args ...any) located.Problem {
	return s.Located(Finding{Severity: Error, Path: path, Message: fmt.Sprintf(format, args...)})
}

// Refused is an error about a key of the scenario, with its place in the file.
func (s *Scenario) Refused(path, format string, args ...any) error {
	return located.Problems{s.Wrong(path, format, args...)}
}

// Findings lists what is unusual about a valid scenario, in a fixed order.
func (s *Scenario) Findings() []Finding {
	var out []Finding
	add := func(when bool, path, format string, args ...any) {
		if when {
			out = append(out, Finding{Severity: Warning, Path: path, Message: fmt.Sprintf(format, args...)})
		}
	}
	q, cc := s.Fabric.QoS, s.Congestion.Algorithm
	marked := q.ECN.Enabled && cc.NeedsMarks()
	add(!q.PFC.Enabled && !marked && !cc.worksWithoutMarks(), "fabric.qos",
		"neither PFC nor ECN with congestion control: full queues drop packets, which are sent again")
	add(!q.PFC.Enabled && marked, "fabric.qos.pfc.enabled",
		"false: nothing holds senders back before ECN acts, so packets can be dropped")
	add(q.ECN.Enabled && cc == Uncontrolled, "congestion.algorithm", "none: switches mark packets and nobody slows down")
	add(!q.ECN.Enabled && cc.NeedsMarks(), "fabric.qos.ecn.enabled",
		"false: nothing is marked, so %s never slows a sender down", cc)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Train == nil || j.Placement.Rule != "packed" {
			continue
		}
		ranks, gpus := j.Parallel.Ranks(), len(j.GPUs.Of(s.Cluster.Host.GPUs))
		add(ranks <= gpus, j.Path()+".parallel.dp",
			"%d: all ranks are on host%d, so the job sends nothing over the fabric", ranks,
			s.HostsOf(j)[0]+1)
		add(ranks > gpus && ranks%gpus != 0, j.Path()+".parallel.dp",
			"%d: the last host has %d of its %d GPUs in use", ranks, ranks%gpus, gpus)
	}
	add(!verbsMTU(s.Transport.MTU), "transport.mtu",
		"%s: not a path MTU of verbs (256, 512, 1024, 2048 or 4096 bytes)", s.Transport.MTU)
	every := s.Transport.AckEvery
	add((cc == ByTIMELY || cc == BySwift || cc == ByDCTCP) && every > 1, "transport.ack_every",
		"%d: %s learns only from acknowledgements, and gets one of every %d packets", every, cc, every)
	add(s.Transport.Recovery == "selective-repeat" && every > 1, "transport.ack_every",
		"%d: what selective repeat sends again alone is not acknowledged at once, and may cost a timeout per "+
			"packet; want 1", every)
	notify := s.Congestion.Notify
	add(cc == ByDCTCP && notify != "ack", "congestion.notify",
		"%s: dctcp learns of marks from acknowledgements only, so it never slows down", notify)
	add(cc == ByDCQCN && notify == "none", "congestion.notify",
		"none: dcqcn learns of no mark, so it never slows down")
	add(!cc.NeedsMarks() && notify == "cnp" && q.ECN.Enabled, "congestion.notify",
		"cnp: receivers send CNPs, and no sender looks at them: congestion.algorithm is %s", cc)
	add(!s.Transport.Timeout.Set && (!q.PFC.Enabled || len(s.Faults) > 0), "transport.timeout",
		"none: a lost last packet or acknowledgement is never noticed, and its flow never ends")
	return out
}

func verbsMTU(b unit.Bytes) bool {
	switch b {
	case 256, 512, 1024, 2048, 4096:
		return true
	}
	return false
}
