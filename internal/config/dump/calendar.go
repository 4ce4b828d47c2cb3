package dump

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Dates of the Gregorian calendar in UTC: package time, with the clock of this machine, is not for a reader of texts.

var months = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

func leap(year int) bool { return year%4 == 0 && year%100 != 0 || year%400 == 0 }

func daysOf(year, month int) int {
	switch {
	case month == 2 && leap(year):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// moment is a time of a day of 1970 to 2199.
type moment struct{ year, month, day, hour, minute, second int }

// unix is it in seconds since 1970.
func (m moment) unix() (int64, bool) {
	if m.year < 1970 || m.year >= 2200 || m.month < 1 || m.month > 12 || m.day < 1 || m.day > daysOf(m.year, m.month) ||
		m.hour > 23 || m.minute > 59 || m.second > 59 {
		return 0, false
	}
	days := 0
	for y := 1970; y < m.year; y++ {
		if days += 365; leap(y) {
			days++
		}
	}
	for n := 1; n < m.month; n++ {
		days += daysOf(m.year, n)
	}
	return int64(days+m.day-1)*day + int64(m.hour*3600+m.minute*60+m.second), true
}

// momentOf is the inverse.
func momentOf(unix int64) moment {
	days, rest := int(unix/day), int(unix%day)
	m := moment{1970, 1, 1, rest / 3600, rest / 60 % 60, rest % 60}
	for {
		whole := 365
		if leap(m.year) {
			whole++
		}
		if days < whole {
			break
		}
		days, m.year = days-whole, m.year+1
	}
	for days >= daysOf(m.year, m.month) {
		days, m.month = days-daysOf(m.year, m.month), m.month+1
	}
	m.day += days
	return m
}

func (m moment) String() string {
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", m.year, m.month, m.day, m.hour, m.minute, m.second)
}

// Times as they are printed: of logs and date -Ins, of SONiC's syslog (UTC), of date without anything, in UTC.
var (
	isoStamp = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,12}))?` +
		`\s?(?:Z|([+-])(\d\d):?(\d\d))(?:\s+|$)`)
	sonicStamp = regexp.MustCompile(`^(\d{4}) ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?\s+`)
	plainDate  = regexp.MustCompile(`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) UTC (\d{4})$`)
	// epoch is what date +%s.%N prints.
	epoch = regexp.MustCompile(`^\d{9,10}(\.\d{1,12})?$`)
)

// number reads digits that an expression has let through.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// stamp reads the time that a text begins with, and returns the rest.
func stamp(text string) (t instant, rest string, known bool) {
	var at moment
	digits, offset := "", 0
	if m := isoStamp.FindStringSubmatch(text); m != nil {
		at = moment{number(m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5]), number(m[6])}
		digits, rest = m[7], text[len(m[0]):]
		if m[8] != "" {
			hours, minutes := number(m[9]), number(m[10])
			if hours > 23 || minutes > 59 {
				return t, text, false
			}
			if offset = hours*3600 + minutes*60; m[8] == "-" {
				offset = -offset
			}
		}
	} else if m := sonicStamp.FindStringSubmatch(text); m != nil {
		at = moment{number(m[1]), 1 + slices.Index(months, m[2]), number(m[3]), number(m[4]), number(m[5]), number(m[6])}
		digits, rest = m[7], text[len(m[0]):]
	} else {
		return t, text, false
	}
	sec, valid := at.unix()
	ps, known := fraction(digits)
	if sec -= int64(offset); !valid || !known || sec < 0 || sec >= mostSeconds {
		return t, text, false
	}
	return instant{sec, ps}, rest, true
}

// date reads what date printed.
func date(text string) (instant, bool) {
	if epoch.MatchString(text) {
		t, err := seconds(text)
		return t, err == nil
	}
	if m := plainDate.FindStringSubmatch(text); m != nil {
		sec, known := moment{number(m[6]), 1 + slices.Index(months, m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5])}.unix()
		return instant{sec, 0}, known
	}
	t, rest, known := stamp(text)
	return t, known && rest == ""
}
