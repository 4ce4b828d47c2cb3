package dump

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/net/telemetry"
)

// nvShow is a command of NVUE whose output as JSON is read: of all interfaces, or of one.
var nvShow = regexp.MustCompile(`^nv show interface(?: ([^-\s]\S*))?(?: (?:link|stats|counters|qos))*(?: (?:-o|--output)[ =]json)$`)

// linkStats are counters of a link, by NVUE's names. A transition is a change up or down.
var linkStats = map[string]telemetry.Counter{"in-bytes": telemetry.RxBytes, "out-bytes": telemetry.TxBytes, "in-pkts": telemetry.RxPackets,
	"out-pkts": telemetry.TxPackets, "in-errors": telemetry.InErrors, "in-drops": telemetry.InDiscards, "out-drops": telemetry.OutDiscards,
	"carrier-transitions": telemetry.LinkDowns}

// queueStats are those of a traffic class or a priority, by group. Pauses are taken as microseconds, as those of NVUE's metrics.
var queueStats = map[string]map[string]telemetry.Counter{
	"pfc-stats": {"rx-pause-frames": telemetry.RxPFC, "tx-pause-frames": telemetry.TxPFC, "rx-pause-duration": telemetry.RxPause},
	"egress-queue-stats": {"tx-frames": telemetry.TxPackets, "tx-bytes": telemetry.TxBytes, "ecn-marked-frames": telemetry.ECNMarked,
		"tx-uc-buffer-discards": telemetry.OutDiscards},
}

// nvue reads the JSON of nv show interface.
func (r *Reader) nvue(s section) error {
	var top map[string]any
	d := json.NewDecoder(strings.NewReader(s.text))
	d.UseNumber()
	if err := d.Decode(&top); err != nil {
		return s.jsonProblem(err)
	}
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	if port := nvShow.FindStringSubmatch(s.command)[1]; port != "" {
		return r.nvuePort(&s, port, "", top)
	}
	for _, port := range slices.Sorted(maps.Keys(top)) {
		if of, is := top[port].(map[string]any); is {
			if err := r.nvuePort(&s, port, "", of); err != nil {
				return err
			}
		}
	}
	return nil
}

// nvuePort reads what is known of an interface, below whatever it stands.
func (r *Reader) nvuePort(s *section, port, at string, of map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		var err error
		path := strings.TrimPrefix(at+"."+name, ".")
		inside, isObject := of[name].(map[string]any)
		c, isStat := linkStats[name]
		switch {
		case isStat && !isObject:
			err = r.nvueCount(s, port, path, of[name], c, -1)
		case name == "speed" && !isObject:
			err = r.nvueSpeed(s, port, path, of[name])
		case name == "state" && isObject && (inside["up"] != nil || inside["down"] != nil):
			err = r.put(s, 1, port, telemetry.Up, -1, int64(one(inside["up"] != nil)))
		case queueStats[name] != nil && isObject:
			err = r.nvueQueues(s, port, path, queueStats[name], inside)
		case slices.Contains([]string{"link", "stats", "counters", "qos"}, name) && isObject:
			err = r.nvuePort(s, port, path, inside)
		default:
			r.pass("nv show interface: %s: no counter here has that name", located.Shown(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) nvueQueues(s *section, port, at string, known map[string]telemetry.Counter, of map[string]any) error {
	for _, class := range slices.Sorted(maps.Keys(of)) {
		inside, isObject := of[class].(map[string]any)
		p, is := priorityOf(class, "")
		if !is || !isObject {
			r.pass("nv show interface: %s %s: want a priority from 0 to 7", located.Cut(at), located.Shown(class))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(inside)) {
			c, there := known[name]
			if !there {
				r.pass("nv show interface: %s: no counter here has that name", located.Shown(name))
				continue
			}
			if err := r.nvueCount(s, port, at+"."+class+"."+name, inside[name], c, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// nvueCount reads a number, or a text with one and a unit.
func (r *Reader) nvueCount(s *section, port, at string, value any, c telemetry.Counter, priority int8) error {
	text := ""
	switch x := value.(type) {
	case json.Number:
		text = x.String()
	case string:
		text = strings.TrimSuffix(x, " Bytes")
	}
	if text == "n/a" || text == "N/A" {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return s.problem(1, 0, "", "%s of %s: want a count from 0 below 2^63", located.Cut(at), located.Shown(port))
	}
	if c == telemetry.LinkDowns {
		v /= 2 // each second change is one to down
	}
	return r.put(s, 1, port, c, priority, v)
}

func (r *Reader) nvueSpeed(s *section, port, at string, value any) error {
	text, is := value.(string)
	m := speed.FindStringSubmatch(text)
	switch {
	case is && (text == "auto" || text == "N/A" || text == ""):
		return nil
	case !is || m == nil || m[3] == "M" && m[2] != "":
		return s.problem(1, 0, "", "%s of %s: want a speed such as 400G", located.Cut(at), located.Shown(port))
	}
	v := int64(number(m[1]))
	if m[3] == "G" {
		v = v*1000 + int64(number((m[2] + "000")[:3]))
	}
	return r.put(s, 1, port, telemetry.Speed, -1, v)
}
