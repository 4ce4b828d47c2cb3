package netconf

import (
	"fmt"
	"strings"

	"railyard/internal/base/located"
)

// Lines counts the lines of files by class: each is one of these. Remarks and empty lines are none.
type Lines struct {
	Understood int `json:"understood"`
	// Known are of no matter to what a Device says: users, logging, time.
	Known  int `json:"of_no_matter"`
	Unread int `json:"not_understood"`
}

// Topic is what a line may be about: a bit each.
type Topic uint8

// The topics.
const (
	AboutQoS Topic = 1 << iota
	AboutRouting
	AboutMTU
	AboutLLDP
	AboutPorts = AboutQoS | AboutRouting | AboutMTU | AboutLLDP // it may begin the block of a port
)

// An Unread is a line that is not understood.
type Unread struct {
	Place
	Column int    `json:"column"` // from 1
	Text   string `json:"text"`
	Port   string `json:"port,omitempty"` // whose block it is in; "": of the device, or it is not known
	// About is what it may be about, by words that are, or are nearly, those of commands.
	About Topic `json:"-"`
}

// MostUnread bounds the list of lines that are not understood; others are counted.
const MostUnread = 10_000

// NotUnderstood notes a line. What it may be about is looked for in some of them: a file that is none of its dialect has
// no other.
func (p *Parsed) NotUnderstood(u Unread) {
	p.Lines.Unread++
	if len(p.Unread) >= MostUnread {
		return
	}
	u.About = AboutPorts
	if len(p.Unread) < 1000 {
		u.About = about(u.Text)
	}
	p.Unread = append(p.Unread, u)
}

// Kind is what lines like it have in common: their first words, without names and numbers.
func (u *Unread) Kind() string {
	var kept []string
	for word := range strings.FieldsSeq(u.Text) {
		if len(kept) == mostKind || len(kept) > 0 && strings.ContainsAny(word, "0123456789.:/{") {
			break
		}
		kept = append(kept, word)
	}
	return strings.Join(kept, " ")
}

const mostKind = 3

// Hides reports whether lines that are not understood may say something of a topic: of the device, or of a port.
func (p *Parsed) Hides(t Topic, port string) bool {
	for i := range p.Unread {
		u := &p.Unread[i]
		if u.About&t != 0 && (port == "" || u.Port == "" || u.Port == port) {
			return true
		}
	}
	return p.Lines.Unread > len(p.Unread)
}

// Missing reports at a place that something is not said: a problem or, where lines that are not understood may say it,
// a warning that it is not known.
func (p *Parsed) Missing(t Topic, at Place, port, format string, args ...any) {
	q := located.Problem{File: at.File, Line: at.Line, Column: 1, Width: 1, Message: fmt.Sprintf(format, args...)}
	if p.Hides(t, port) {
		q.Warning, q.Message = true, q.Message+unknown
	}
	p.Problems = append(p.Problems, q)
}

// NoSuch is Missing for a name that nothing here has. A file in which no thing of the kind is defined is a part of one:
// then it is not known either.
func (p *Parsed) NoSuch(t Topic, others bool, at Place, format string, args ...any) {
	n := len(p.Problems)
	p.Missing(t, at, "", format, args...)
	if q := &p.Problems[n]; !others && !q.Warning {
		q.Warning, q.Message = true, q.Message+"; not known, since the file defines none at all"
	}
}

// unknown is said of what may stand in lines that are not understood.
const unknown = "; not known, since lines that are not understood may say it"

// vocabulary are words of commands, by topic.
var vocabulary = func() map[string]Topic {
	all := map[string]Topic{}
	for t, words := range map[Topic]string{
		AboutQoS: `qos cos pfc priority-flow-control priority ecn random-detect wred dscp trust service-policy service-profile
			policy-map class-map network-qos queuing qos-group pause no-drop no-loss roce lossless congestion-control
			congestion-notification-profile classifiers classifier forwarding-class forwarding-classes schedulers scheduler
			scheduler-map scheduler-maps drop-profile drop-profiles drop-profile-map shared-buffer buffer-partition tx-queue
			uc-tx-queue bandwidth watchdog watch-dog-interval watch-dog pfc-watchdog class-of-service
			explicit-congestion-notification code-points code-point traffic-class switch-priority egress-queue-mapping
			egress-scheduler strict transmit-rate queue queue-num profile policy pfc-cos class map no-drop
			port_qos_map dscp_to_tc_map tc_to_queue_map tc_to_priority_group_map map_pfc_priority_to_queue wred_profile
			buffer_pg buffer_profile buffer_pool buffer_queue pfc_wd pfc_enable pfcwd_sw_enable wred_profile scheduler
			cable_length dot1p_to_tc_map pfc_priority_to_priority_group_map tc_to_pg_map pfc_to_queue_map system
			detection_time restoration_time poll_interval`,
		AboutRouting: `bgp router neighbor neighbors remote-as peer-group peer address-family address network vlan vlans
			maximum-paths multipath multipaths ecmp bfd autonomous-system activate feature protocols routing-options family
			inet unit peer-as local-as group router-id switchport channel-group summary aggregate-address import export
			loopback_interface vlan_interface vlan_member bgp_neighbor portchannel portchannel_member portchannel_interface
			remote-as bgp-peer irb bridge bridge-vlan-aware tagging_mode redistribute inherit template vrf iface
			bridge-access bridge-ports bridge-vids members access
			vpc domain domain-id mlag peer-link peer-keepalive local-interface peer-address mclag_domain source_ip peer_ip peer_link
			minimum-interval multiplier profile detect-multiplier`,
		AboutMTU:  `mtu jumbo jumbomtu network-qos`,
		AboutLLDP: `lldp dcbx feature dcbxp tlv-select`,
		AboutPorts: `interface interfaces iface port inherit template group apply-groups interface-range device_metadata
			default`,
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] |= t
		}
	}
	return all
}()

// about is what a line may be about: a word that is wrong by two letters is still known.
func about(text string) (t Topic) {
	n := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" \t{};[]\"|,:()", r)
	}) {
		if n++; n > 24 {
			break
		}
		if known := vocabulary[word]; known != 0 {
			t |= known
			continue
		}
		for known, of := range vocabulary { // all that are near count: their order does not matter
			if near(word, known) {
				t |= of
			}
		}
	}
	return t
}

// near reports whether a word is another one with a letter or two wrong: of short ones, one.
func near(a, b string) bool {
	most := 2
	if len(b) < 6 {
		most = 1
	}
	if len(b) < 4 || len(a) > 48 || max(len(a), len(b))-min(len(a), len(b)) > most {
		return false
	}
	return distance(a, b) <= most
}

// distance counts letters to add, leave out, change or swap (Damerau, of neighbours only).
func distance(a, b string) int {
	row := func() []int { return make([]int, len(b)+1) }
	before, last, now := row(), row(), row()
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
