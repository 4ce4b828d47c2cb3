package fabric

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// shelf is a buffer with its accounts and nothing around it: no port, no frame, no clock. `buffer` makes one, `account`
// one of its accounts, under PFC if it has an xOFF; `charge` and `release` say what comes of it:
//
//	a: charged, holds 3000+0, shared 1000      of a's 3,000 bytes, none in headroom, 1,000 are of the shared part
type shelf struct {
	buffer
	accounts map[string]*shelved
}

type shelved struct {
	account
	ledger
	xoff *threshold
}

// shelve does a command about a buffer alone; false: it is none.
func (s *stage) shelve(command string, words []string, args map[string]string) bool {
	s.t.Helper()
	number := func(key string) (n int64) {
		if args[key] != "" {
			n = s.number(args[key])
		}
		return n
	}
	b := &s.shelf
	switch command {
	case "buffer":
		*b = shelf{accounts: map[string]*shelved{}}
		b.size, b.spare, b.reserve, b.resume = number("size"), number("spare"), number("reserve"), number("resume")
		b.crossing, b.lossyAlpha = b.size+b.spare, unit.Ratio{Num: 1, Den: max(1, number("lossy-alpha"))}
		if args["crossing"] == "headroom" {
			b.crossing = -1
		}
	case "account":
		a := &shelved{account: account{buf: &b.buffer}, ledger: ledger{limit: number("headroom")}}
		var rule qos.XOFF
		if den := number("alpha"); den > 0 {
			rule.Alpha = unit.Ratio{Num: 1, Den: den}
		}
		if rule.Fixed = number("xoff"); rule.Fixed > 0 || rule.Alpha.Den > 0 {
			t := newThreshold(rule)
			a.xoff = &t
		}
		b.accounts[words[0]] = a
	case "charge":
		a := b.accounts[words[0]]
		verdict := a.charge(&a.ledger, a.xoff, number("queued"), s.number(words[1]))
		s.held(words[0], [...]string{"refused", "charged", "crosses xOFF"}[verdict])
	case "release":
		a := b.accounts[words[0]]
		a.release(s.number(words[1]))
		what := "released"
		if a.sentOff && a.goesOn(a.xoff) {
			what = "comes to xON"
		}
		s.held(words[0], what)
	default:
		return false
	}
	return true
}

func (s *stage) held(name, what string) {
	a, b := s.shelf.accounts[name], &s.shelf.buffer
	fmt.Fprintf(&s.Log, "%s: %s, holds %d+%d; shared %d, at most %d", name, what, a.used, a.headroom, b.shared, b.maxUsed)
	if a.refused > 0 {
		fmt.Fprintf(&s.Log, "; %d refused", a.refused)
	}
	s.Log.WriteString("\n")
}
