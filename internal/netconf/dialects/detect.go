package dialects

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"railyard/internal/netconf"
)

// marks are how a line begins in one dialect and in no other.
var marks = []struct{ dialect, prefix string }{
	{"frr", "frr version "}, {"frr", "frr defaults "}, {"frr", "bgpd="},
	{"nxos", "class-map type "}, {"nxos", "policy-map type "}, {"nxos", "hardware profile dlb"}, {"nxos", "feature "},
	{"nxos", "system qos"}, {"nxos", "ip load-sharing "}, {"nxos", "!Command: show "},
	{"eos", "qos map "}, {"eos", "qos profile "}, {"eos", "service-profile "}, {"eos", "! device: "},
	{"eos", "! Command: show "}, {"eos", "service routing protocols model "},
	{"nvue", "nv set "}, {"nvue", "- header:"}, {"nvue", "- set:"},
	{"junos", "set class-of-service "}, {"junos", "set system host-name "}, {"junos", "set version "},
}

// braces is how a configuration of Junos begins that was not printed as set commands.
var braces = regexp.MustCompile(`(?m)^(?:class-of-service|` + hierarchies + `) \{\s*$`)

// hierarchies are the outermost ones of Junos.
const hierarchies = `system|interfaces|groups|protocols|routing-options|forwarding-options|chassis|policy-options|vlans`

// sets is how a set command of Junos begins.
var sets = regexp.MustCompile(`(?m)^set (?:` + hierarchies + `) `)

// table is how a table of a config_db.json begins: their names are in capitals.
var table = regexp.MustCompile(`^\{?\s*"[A-Z][A-Z0-9_]*"\s*:`)

// Detect tells a device's dialect from its files. The error says what would do.
func Detect(files []netconf.File) (string, error) {
	for _, f := range files {
		for raw := range bytes.Lines(f.Text) {
			line := strings.TrimSpace(string(raw))
			for _, m := range marks {
				if strings.HasPrefix(line, m.prefix) {
					return m.dialect, nil
				}
			}
			if table.MatchString(line) {
				return "sonic", nil
			}
		}
	}
	for _, f := range files {
		if braces.Match(f.Text) || sets.Match(f.Text) {
			return "junos", nil
		}
	}
	return "", fmt.Errorf("no line tells which platform it is for, want --dialect %s", strings.Join(Names(), ", "))
}
