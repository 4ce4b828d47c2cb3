package dump

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/objects"
	"railyard/internal/net/telemetry"
)

// eosPort is a port as EOS's tables have it: JSON has the long name of the same.
func eosPort(name string) string {
	if number, is := strings.CutPrefix(name, "Ethernet"); is && number != "" {
		return "Et" + number
	}
	return name
}

// eosMarks reads the JSON of show qos interfaces ecn counters queue: packets that each queue marked, as texts; of a queue that does not
// mark, or does not count, a dash.
func (r *Reader) eosMarks(s section) error {
	var top struct {
		Ports map[string]struct {
			Queues map[string]string `json:"queueCounters"`
		} `json:"intfQueueCounters"`
	}
	if err := json.Unmarshal([]byte(s.text), &top); err != nil {
		return s.jsonProblem(err)
	}
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	for _, port := range slices.Sorted(maps.Keys(top.Ports)) {
		queues := top.Ports[port].Queues
		for _, queue := range slices.Sorted(maps.Keys(queues)) {
			p, is := priorityOf(queue, "")
			if !is {
				r.pass("show qos interfaces ecn counters queue: queue %s: want 0 to 7", located.Shown(queue))
				continue
			}
			if queues[queue] == "-" {
				continue
			}
			v, err := strconv.ParseInt(queues[queue], 10, 64)
			if err != nil || v < 0 {
				return s.problem(1, 0, "", "queue %s of %s: %s marked packets: want a count from 0 below 2^63, or -", queue,
					located.Shown(port), located.Shown(queues[queue]))
			}
			if err := r.put(&s, 1, eosPort(port), telemetry.ECNMarked, p, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// lanz is the JSON of show queue-monitor length: what is used of it.
type lanz struct {
	Enabled bool   `json:"lanzEnabled"`
	Segment int64  `json:"bytesPerTxmpSegment"`
	On      string `json:"platformName"`
	Entries objects.List[struct {
		Port   string `json:"interface"`
		Class  *int64 `json:"trafficClass"`
		Length *int64 `json:"queueLength"`
	}] `json:"entryList"`
}

// inSegments is the platform whose queues are counted in segments of the chip; of others in bytes.
const inSegments = "FocalPointV2"

// eosQueues reads the queue monitor: it lists how deep queues were that were deeper than a threshold. The deepest that is listed of a
// queue is how deep that was; of a queue that is not listed nothing is known.
func (r *Reader) eosQueues(s section) error {
	var of lanz
	if err := json.Unmarshal([]byte(s.text), &of); err != nil {
		return s.jsonProblem(err)
	}
	times := int64(1)
	switch {
	case !of.Enabled:
		r.pass("show queue-monitor length: it is not enabled")
		return nil
	case of.On == inSegments && of.Segment > 0:
		times = of.Segment
	case of.On == inSegments || of.Segment != 0:
		r.pass("show queue-monitor length: platform %s, segments of %d bytes: whether lengths are bytes is not known",
			located.Shown(of.On), of.Segment)
		return nil
	}
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	type queue struct {
		port  string
		class int8
	}
	deepest := map[queue]int64{}
	var order []queue
	for i := range of.Entries {
		e := &of.Entries[i]
		switch {
		case e.Port == "" || e.Length != nil && (*e.Length < 0 || *e.Length > math.MaxInt64/times):
			return s.problem(1, 0, "", "entry %d: want an interface, and a queueLength from 0 below 2^63 bytes", i+1)
		case e.Length == nil || e.Class == nil || *e.Class < 0 || *e.Class > 7:
			r.pass("show queue-monitor length: an entry without a queueLength, or a trafficClass from 0 to 7")
			continue
		}
		q := queue{eosPort(e.Port), int8(*e.Class)}
		if _, there := deepest[q]; !there {
			order = append(order, q)
		}
		deepest[q] = max(deepest[q], *e.Length*times)
	}
	for _, q := range order {
		if err := r.put(&s, 1, q.port, telemetry.Watermark, q.class, deepest[q]); err != nil {
			return err
		}
	}
	return nil
}

// marksOnEOS is what show qos interfaces ecn counters queue prints as JSON; "": nothing is known.
func marksOnEOS(ports []reading) string {
	all := map[string]map[string]map[string]string{}
	for _, r := range ports {
		if v := r.of(telemetry.ECNMarked); v != telemetry.Unknown && r.Priority >= 0 {
			all[bare(r.Series)] = map[string]map[string]string{
				"queueCounters": {strconv.Itoa(int(r.Priority)): strconv.FormatInt(v, 10)}}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return asJSON(map[string]any{"intfQueueCounters": all})
}

// queuesOnEOS is what show queue-monitor length prints as JSON, likewise.
func queuesOnEOS(queues []reading) string {
	var all []string
	for _, r := range queues {
		if v := r.of(telemetry.Watermark); v != telemetry.Unknown && r.Priority >= 0 {
			all = append(all, fmt.Sprintf(`{"interface":%s,"trafficClass":%d,"queueLength":%d}`, strings.TrimSpace(asJSON(bare(r.Series))),
				r.Priority, v))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return `{"lanzEnabled":true,"entryList":[` + strings.Join(all, ",") + "]}\n"
}
