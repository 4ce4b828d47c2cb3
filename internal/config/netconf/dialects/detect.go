package dialects

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"railyard/internal/config/netconf"
)

// marks are how a line begins in one dialect and in no other.
var marks = []struct{ dialect, prefix string }{
	{"frr", "frr version "}, {"frr", "frr defaults "}, {"frr", "bgpd="}, {"frr", "service integrated-vtysh-config"},
	{"nxos", "class-map type qos "}, {"nxos", "class-map type queuing "}, {"nxos", "class-map type network-qos "},
	{"nxos", "policy-map type qos "}, {"nxos", "policy-map type queuing "}, {"nxos", "policy-map type network-qos "},
	{"nxos", "hardware profile dlb"}, {"nxos", "feature "},
	{"nxos", "system qos"}, {"nxos", "ip load-sharing "}, {"nxos", "!Command: show "},
	{"eos", "qos map "}, {"eos", "qos profile "}, {"eos", "service-profile "}, {"eos", "! device: "},
	{"eos", "! Command: show "}, {"eos", "service routing protocols model "},
	{"nvue", "nv set "}, {"nvue", "- header:"}, {"nvue", "- set:"},
	{"junos", "set class-of-service "}, {"junos", "set system host-name "}, {"junos", "set version "},
}

// prompt is that of a shell before a command, as guides print it.
var prompt = regexp.MustCompile(`^[a-z][-\w]*@[-\w]+:\S*[$#] `)

// hints are lines that one dialect has more often than others: where no line is a mark, that with most of them is it.
// Those of Cisco IOS are here so that it is taken for none of them.
var hints = []struct {
	dialect string
	line    *regexp.Regexp
}{
	{"eos", regexp.MustCompile(`^interface (?:Ethernet\d+|Port-Channel\d+|Management\d+|Vlan\d+|Loopback\d+|Vxlan1|Tunnel\d+)\s*$`)},
	{"eos", regexp.MustCompile(`^(?:vrf instance|ip routing|ipv6 unicast-routing|management |daemon |mlag configuration|traffic-policies|` +
		`transceiver |ip virtual-router|event-handler|aaa authorization exec default local|no enable password|router general|` +
		`monitor connectivity|flow tracking|ip security|patch panel|tcam profile|switchport default mode)`)},
	{"eos", regexp.MustCompile(`^   \S`)}, // three spaces
	{"nxos", regexp.MustCompile(`^interface (?:Ethernet\d+/\d+|mgmt0|loopback\d+|port-channel\d+|nve1)`)},
	{"nxos", regexp.MustCompile(`^(?:vrf context|vpc domain|vdc |boot nxos|copp profile|version \d+\.\d+\(|nv overlay evpn|` +
		`install feature-set|system default switchport|fabric forwarding)`)},
	{"frr", regexp.MustCompile(`^int(?:erface)? (?:eth|swp|lo|ens|enp|eno|bond|vlan|br|vrf-|dummy|\S+-eth)\S*(?: vrf \S+)?\s*$`)},
	{"frr", regexp.MustCompile(`^(?:ip|ipv6) forwarding\s*$`)},
	{"frr", regexp.MustCompile(`^\s*(?:exit-address-family|exit-vrf|no bgp ebgp-requires-policy|bgp router-id |` +
		`no bgp network import-check)`)},
	{"frr", regexp.MustCompile(`^(?:log (?:file|syslog|stdout|timestamp)|debug |bfd$|auto \S|iface \S|agentx|password zebra|rpki)`)},
	{"frr", regexp.MustCompile(`^  ?(?:neighbor|network|bgp|address-family|set|match|ip ospf|ip address|ipv6 address|redistribute) `)},
	{"frr", regexp.MustCompile(`^(?:ip|ipv6) (?:prefix-list|route) \S+ (?:seq \d+ )?(?:permit|deny) `)},
	{"ios", regexp.MustCompile(`^interface (?:GigabitEthernet|FastEthernet|TenGigabitEthernet|TenGigE|HundredGigE|Serial|FortyGig)`)},
	{"ios", regexp.MustCompile(`^(?:service timestamps|ip cef|no ip http server|version 1\d\.\d\s*$|line vty \d+ \d+|` +
		`line con 0|control-plane$)`)},
	{"ios", regexp.MustCompile(`^(?: ip address \d+\.\d+\.\d+\.\d+ \d+\.|ip bgp-community new-format|ip forward-protocol|license udi|` +
		`redundancy$|no platform punt|boot-start-marker|mmi |login on-success)`)},
	{"junos", regexp.MustCompile(`^\s*[\w\[][^{}]*[\w\]"] \{\s*$`)},
	{"junos", regexp.MustCompile(`^\s*[\w-]+(?: [^#;]+)?;\s*(?:## .*)?$`)},
}

// braces is how a configuration of Junos begins that was not printed as set commands.
var braces = regexp.MustCompile(`(?m)^(?:class-of-service|` + hierarchies + `) \{\s*$`)

// hierarchies are the outermost ones of Junos.
const hierarchies = `system|interfaces|groups|protocols|routing-options|forwarding-options|chassis|policy-options|vlans|` +
	`routing-instances|switch-options|snmp|firewall|security`

// sets is how a set command of Junos begins.
var sets = regexp.MustCompile(`(?m)^set (?:` + hierarchies + `) `)

// table is how a table of a config_db.json begins: their names are in capitals.
var table = regexp.MustCompile(`^\{?\s*"[A-Z][A-Z0-9_]*(?:\|[^"]*)?"\s*:`)

// Detect tells a device's dialect from its files. The error says what would do.
func Detect(files []netconf.File) (string, error) {
	votes := map[string]int{}
	for _, f := range files {
		if d := marked(f.Text, votes); d != "" {
			return d, nil
		}
	}
	for _, f := range files {
		if braces.Match(f.Text) || sets.Match(f.Text) {
			return "junos", nil
		}
	}
	best, second := "", ""
	for _, name := range append(Names(), "ios") {
		if votes[name] > votes[best] {
			best, second = name, best
		} else if votes[name] > votes[second] {
			second = name
		}
	}
	if votes[best] > votes[second] && best != "ios" {
		return best, nil
	}
	return "", fmt.Errorf("no line tells which platform it is for, want --dialect %s", strings.Join(Names(), ", "))
}

// marked is the dialect of the first line of a text that is in one dialect alone; "": there is none. Hints are counted.
func marked(text []byte, votes map[string]int) string {
	n := 0
	for raw := range bytes.Lines(text) {
		n++
		whole := strings.TrimRight(string(raw), "\r\n")
		line := strings.TrimSpace(whole)
		if at := prompt.FindString(line); at != "" {
			line = line[len(at):]
		}
		for _, m := range marks {
			if strings.HasPrefix(line, m.prefix) && (m.prefix != "feature " || whole == line) { // EOS has features further in
				return m.dialect
			}
		}
		if table.MatchString(line) {
			return "sonic"
		}
		if len(whole) > mostHint || n > mostHints {
			continue
		}
		for i := range hints {
			if hints[i].line.MatchString(whole) {
				votes[hints[i].dialect]++
			}
		}
	}
	return ""
}

// mostHint bounds a line that is looked at for hints: those of commands are shorter.
const mostHint = 512

// mostHints bounds the lines that are looked at for hints: a block of ports tells.
const mostHints = 2000
