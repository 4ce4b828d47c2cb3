package scenario

import (
	"fmt"

	"railyard/internal/unit"
)

// Finding is something that is allowed but likely not meant, or worth knowing.
type Finding struct {
	Path    string
	Message string
}

// String returns path: message.
func (f Finding) String() string { return f.Path + ": " + f.Message }

// Findings lists what is unusual about a valid scenario, in a fixed order.
func (s *Scenario) Findings() []Finding {
	var out []Finding
	add := func(when bool, path, format string, args ...any) {
		if when {
			out = append(out, Finding{path, fmt.Sprintf(format, args...)})
		}
	}
	q, cc := s.Fabric.QoS, s.Congestion.Algorithm
	add(!q.PFC.Enabled && !(q.ECN.Enabled && cc != "none"), "fabric.qos", "neither PFC nor ECN with congestion control: full queues drop packets, which are sent again")
	add(!q.PFC.Enabled && q.ECN.Enabled && cc != "none", "fabric.qos.pfc.enabled", "false: nothing holds senders back before ECN acts, so packets can be dropped")
	add(q.ECN.Enabled && cc == "none", "congestion.algorithm", "none: switches mark packets and nobody slows down")
	add(!q.ECN.Enabled && cc != "none", "fabric.qos.ecn.enabled", "false: nothing is marked, so %s never slows a sender down", cc)
	if q.PFC.Enabled && q.ECN.Enabled && cc != "none" {
		s.xoffBelowMarking(add)
	}
	if t := s.Job.Train; t != nil {
		dp, gpus := s.Job.Parallel.DP, s.Cluster.Host.GPUs
		add(dp <= gpus, "job.parallel.dp", "%d: all ranks are on host1, so the job sends nothing over the fabric", dp)
		add(dp > gpus && dp%gpus != 0, "job.parallel.dp", "%d: the last host has %d of its %d GPUs in use", dp, dp%gpus, gpus)
	}
	add(!verbsMTU(s.Transport.MTU), "transport.mtu", "%s: not a path MTU of verbs (256, 512, 1024, 2048 or 4096 bytes)", s.Transport.MTU)
	return out
}

// xoffBelowMarking: PFC that pauses before marking is complete takes the place of
// congestion control (DCQCN, SIGCOMM'15, section 4).
func (s *Scenario) xoffBelowMarking(add func(bool, string, string, ...any)) {
	q := s.Fabric.QoS
	fastest := max(s.Fabric.Links.Host, s.Fabric.Links.Spine)
	_, hi, _ := q.ECN.At(fastest)
	xoff, path := unit.Bytes(q.PFC.Alpha.Of(int64(s.Fabric.Switch.Buffer))), "fabric.qos.pfc.alpha"
	if q.PFC.Threshold.Set {
		xoff, path = q.PFC.Threshold.Value, "fabric.qos.pfc.threshold"
	}
	add(xoff < hi, path, "xOFF is %s even when the buffer is empty, below the ECN max of %s on a %s port: PFC can act before ECN", xoff, hi, fastest)
}

func verbsMTU(b unit.Bytes) bool {
	switch b {
	case 256, 512, 1024, 2048, 4096:
		return true
	}
	return false
}
