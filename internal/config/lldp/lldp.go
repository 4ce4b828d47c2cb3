package lldp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A Neighbour is who is heard on a port. What is not printed is empty.
type Neighbour struct {
	Port       string // the own one, as the device calls it, or shortened: Et1, swp1
	System     string // the neighbour's name
	FarPort    string // the identifier of its port: its name, on some systems a number or a MAC address
	FarPortSay string // the description of its port, on many systems its name
}

// A Dump is what one device hears.
type Dump struct {
	Host       string // whose prompt stands before it; "": nobody's
	Neighbours []Neighbour
}

// Most bounds the neighbours of a text.
const Most = 100_000

// prompt is that of a shell before a command about LLDP: leaf1#, admin@leaf1:~$, cumulus@leaf1:mgmt:~$, lab@leaf1>.
var prompt = regexp.MustCompile(`^(?:[\w.-]+@)?([A-Za-z][\w.-]*)(?:\([\w-]+\))?(?::\S*)?\s?[#>$]\s*\S*.*\blldp`)

// Parse reads a text: what one device printed, or several, each behind its prompt. The error says what is wanted.
func Parse(text string) (all []Dump, err error) {
	host, at, n := "", 0, 0
	end := func(to int) error {
		part := text[at:to]
		if strings.TrimSpace(part) == "" {
			return nil
		}
		heard, err := section(part)
		if err != nil {
			if host != "" {
				err = fmt.Errorf("%s: %w", host, err)
			}
			return err
		}
		if n += len(heard); n > Most {
			return fmt.Errorf("more than %d neighbours", Most)
		}
		all = append(all, Dump{host, heard})
		return nil
	}
	here := 0
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "lldp") { // nearly all lines: quicker than the expression
			here += len(line)
			continue
		}
		if m := prompt.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			if err := end(here); err != nil {
				return nil, err
			}
			host, at = m[1], here+len(line)
		}
		here += len(line)
	}
	if err := end(len(text)); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errNone
	}
	return all, nil
}

// errNone is of a text without neighbours.
var errNone = errors.New("no neighbour in it: want what lldpctl, lldpcli, show lldp neighbors (EOS, NX-OS, Junos), " +
	"show lldp table (SONiC) or nv show interface lldp prints")

// section reads what one command printed.
func section(text string) ([]Neighbour, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "{"):
		return fromJSON(trimmed)
	case strings.HasPrefix(trimmed, "lldp."):
		return keyValues(trimmed), nil
	case strings.Contains(text, "Interface:") && strings.Contains(text, "PortID:"):
		return blocks(trimmed), nil
	}
	return table(text), nil
}

// blocks reads lldpctl's text.
func blocks(text string) (all []Neighbour) {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		if key == "Interface" {
			name, _, _ := strings.Cut(value, ",")
			all = append(all, Neighbour{Port: strings.TrimSpace(name)})
			continue
		}
		if len(all) == 0 {
			continue
		}
		n := &all[len(all)-1]
		switch key {
		case "SysName":
			n.System = value
		case "PortID":
			_, n.FarPort, _ = strings.Cut(value, " ") // ifname swp1, local 12, mac 00:..
			n.FarPort = strings.TrimSpace(n.FarPort)
		case "PortDescr":
			n.FarPortSay = value
		}
	}
	return all
}

// keyValues reads lldpcli's lines such as lldp.eth0.chassis.name=spine1. A port may have dots.
func keyValues(text string) (all []Neighbour) {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		rest, isLLDP := strings.CutPrefix(key, "lldp.")
		if !ok || !isLLDP {
			continue
		}
		if port, is := strings.CutSuffix(rest, ".via"); is {
			all = append(all, Neighbour{Port: port})
			continue
		}
		if len(all) == 0 {
			continue
		}
		n := &all[len(all)-1]
		switch strings.TrimPrefix(rest, n.Port+".") {
		case "chassis.name":
			n.System = value
		case "port.ifname", "port.local", "port.mac":
			n.FarPort = value
		case "port.descr":
			n.FarPortSay = value
		}
	}
	return all
}
