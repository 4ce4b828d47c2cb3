package hostinfo

import (
	"strconv"
	"strings"

	"railyard/internal/base/lazy"
)

// pciHeadForm begins a device: 0000:17:00.0 Ethernet controller [0200]: Mellanox Technologies ...
var pciHeadForm = lazy.Regexp(`^((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]) ([^:]{1,80}): (.*)$`)

func pciHead(text string) []string {
	if len(text) < 10 || text[2] != ':' && text[4] != ':' && (len(text) < 12 || text[8] != ':') {
		return nil
	}
	return pciHeadForm().FindStringSubmatch(text)
}

// idsForm is the vendor and the device of a line of lspci -nn.
var idsForm = lazy.Regexp(`\[([0-9a-f]{4}):([0-9a-f]{4})\]`)

// address is a PCI address with four digits of domain, in small letters; "": it is none.
func address(text string) string {
	text = strings.ToLower(text)
	switch m := addressForm().FindStringSubmatch(text); {
	case m == nil:
		return ""
	case m[1] == "":
		return "0000:" + text
	default:
		d, _ := strconv.ParseUint(m[1][:len(m[1])-1], 16, 32)
		if d > 0xffff {
			return ""
		}
		return text[len(m[1])-5:]
	}
}

var addressForm = lazy.Regexp(`^([0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// speedForm is a speed as lspci and sysfs write it: 16GT/s, 2.5 GT/s PCIe.
var speedForm = lazy.Regexp(`^([0-9]{1,3}(?:\.[0-9])?) ?GT/s(?: PCIe)?$`)

// transfers are megatransfers per second; ok is false where it is no speed of PCI Express.
func transfers(text string) (int, bool) {
	m := speedForm().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	n := int(x * 1000)
	return n, err == nil && generationOf(n) > 0
}

// speeds are transfers by generation of PCI Express, from the first (PCI Express Base Specification).
var speeds = []int{2500, 5000, 8000, 16000, 32000, 64000}

// generationOf is the generation of a speed; 0: none.
func generationOf(mega int) int {
	for k, s := range speeds {
		if s == mega {
			return k + 1
		}
	}
	return 0
}

var (
	linkForm    = lazy.Regexp(`Speed ([0-9.]+ ?GT/s|unknown)(?: \([^)]*\))?, Width x([0-9]{1,2})\b`)
	busForm     = lazy.Regexp(`^Bus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2}), subordinate=[0-9a-f]{2}\b`)
	requestForm = lazy.Regexp(`\bMaxReadReq ([0-9]{2,4}) bytes`)
	relaxedForm = lazy.Regexp(`\bRlxdOrd([+-])`)
	acsForm     = lazy.Regexp(`^ACSCtl:\s+SrcValid[+-] TransBlk[+-] ReqRedir[+-] CmpltRedir[+-] UpstreamFwd[+-]`)
	nodeForm    = lazy.Regexp(`^NUMA node: (-?[0-9]{1,4})$`)
	groupForm   = lazy.Regexp(`^IOMMU group: ([0-9]{1,5})$`)
)

// redirections are the flags of access control services that send traffic of peers up to the root (PCI Express Base
// Specification 5.0, section 7.7.8).
var redirections = []string{"ReqRedir", "CmpltRedir", "UpstreamFwd"}

// lspci reads lspci with any of -v, -vv, -D, -nn.
func (r *reader) lspci(lines []line) {
	var p *PCI
	for _, l := range lines {
		if m := pciHead(strings.TrimPrefix(l.text, " ")); m != nil { // as pods print it, with a blank before
			a := address(m[1])
			if a == "" {
				r.unread(l)
				p = nil
				continue
			}
			p = r.h.pciAt(a, r.at(l))
			p.Class, p.Name, p.At = stripCode(m[2]), m[3], r.at(l)
			if ids := idsForm().FindStringSubmatch(m[3]); ids != nil && p.IDs[0] == "" {
				p.IDs[0], p.IDs[1] = "0x"+ids[1], "0x"+ids[2]
			}
			r.took()
			continue
		}
		if l.text[0] != '\t' && l.text[0] != ' ' || p == nil {
			r.unread(l)
			continue
		}
		r.property(p, l, strings.TrimSpace(l.text))
	}
}

// stripCode leaves out the number of a class: Ethernet controller [0200].
func stripCode(class string) string {
	if k := strings.LastIndex(class, " ["); k > 0 && strings.HasSuffix(class, "]") {
		return class[:k]
	}
	return class
}

// property reads a line of a device.
func (r *reader) property(p *PCI, l line, t string) {
	at := r.at(l)
	switch {
	case strings.HasPrefix(t, "LnkCap:"):
		r.count(r.linkOf(&p.Can, l, t), l)
	case strings.HasPrefix(t, "LnkSta:"):
		r.count(r.linkOf(&p.Is, l, t), l)
	case strings.HasPrefix(t, "NUMA node:"):
		m := nodeForm().FindStringSubmatch(t)
		if m != nil {
			n, _ := number(m[1], 10, -1, 9999)
			say(&p.NUMA, n, at)
		}
		r.count(m != nil, l)
	case strings.HasPrefix(t, "IOMMU group:"):
		m := groupForm().FindStringSubmatch(t)
		if m != nil {
			n, _ := number(m[1], 10, 0, 99999)
			say(&p.Group, n, at)
		}
		r.count(m != nil, l)
	case strings.HasPrefix(t, "Bus: primary"):
		m := busForm().FindStringSubmatch(t)
		if m != nil {
			p.bus, _ = number(m[1], 16, 0, 255)
		}
		r.count(m != nil, l)
	case strings.HasPrefix(t, "ACSCtl:"):
		on := ""
		for _, flag := range redirections {
			if strings.Contains(t, flag+"+") {
				on += " " + flag
			}
		}
		ok := acsForm().MatchString(t)
		if ok {
			say(&p.ACS, strings.TrimSpace(on), at)
		}
		r.count(ok, l)
	case strings.HasPrefix(t, "Kernel driver in use:"):
		_, name, _ := strings.Cut(t, ": ")
		if word(name) {
			say(&p.Driver, name, at)
		}
		r.count(word(name), l)
	case strings.Contains(t, "RlxdOrd"):
		m := relaxedForm().FindStringSubmatch(t)
		if m != nil {
			say(&p.Relaxed, m[1] == "+", at)
		}
		r.count(m != nil, l)
	case strings.Contains(t, "MaxReadReq "):
		m := requestForm().FindStringSubmatch(t)
		if m != nil {
			n, _ := number(m[1], 10, 64, 8192)
			say(&p.Request, n, at)
		}
		r.count(m != nil, l)
	default:
		r.other()
	}
}

// linkOf reads the speed and the width of a line; an unknown speed is none.
func (r *reader) linkOf(to *PCIeLink, l line, t string) bool {
	m := linkForm().FindStringSubmatch(t)
	if m == nil {
		return false
	}
	if m[1] == "unknown" {
		return true
	}
	speed, ok := transfers(m[1])
	width, fine := number(m[2], 10, 0, 32)
	if ok && fine && width > 0 {
		say(&to.Speed, speed, r.at(l))
		say(&to.Width, width, r.at(l))
	}
	return ok && fine
}
