package hostinfo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/lazy"
	"railyard/internal/config/netconf"
)

// Bounds of a folder.
const (
	MostBytes = 32 << 20 // of all files of a host
	MostFiles = 500
	mostLines = 500_000
	mostLine  = 16 << 10 // a longer line is not understood
	mostWord  = 128      // characters of a name
)

// Header is how the script begins a section, and Ended how it ends one.
const (
	Header = "# railyard hosts: "
	Ended  = "# exit "
)

// A line is one of a section.
type line struct {
	n    int // from 1, in its file
	text string
}

// A reader reads sections into a host.
type reader struct {
	h    *Host
	file string
	kind Kind
	args []string // of the command
	dev  string   // the last of them, where it is a name
}

// at is the place of a line.
func (r *reader) at(l line) netconf.Place { return netconf.Place{File: r.file, Line: l.n} }

// took counts a line that is understood.
func (r *reader) took() { r.h.Lines.Understood++ }

// other counts a line that is of no matter.
func (r *reader) other() { r.h.Lines.Known++ }

// unread notes a line that is not understood.
func (r *reader) unread(l line) {
	r.h.Lines.Unread++
	r.h.unreadOf[r.kind]++
	if len(r.h.Unread) < mostUnread {
		text := l.text
		if len(text) > 200 {
			text = strings.ToValidUTF8(text[:200], "")
		}
		r.h.Unread = append(r.h.Unread, netconf.Unread{Place: r.at(l), Column: 1, Text: strings.TrimSpace(text)})
	}
}

// mostUnread bounds the list of lines that are not understood.
const mostUnread = 1000

// count is took where something is so, else unread.
func (r *reader) count(ok bool, l line) {
	if ok {
		r.took()
	} else {
		r.unread(l)
	}
}

// say notes a value where nothing has said it before.
func say[T any](to *Said[T], value T, at netconf.Place) {
	if !to.Known() {
		*to = Said[T]{value, at}
	}
}

// sayIn is say for an entry of a map, which is bounded.
func sayIn[K comparable, T any](to map[K]Said[T], key K, value T, at netconf.Place) {
	if _, known := to[key]; !known && len(to) < mostCounters {
		to[key] = Said[T]{value, at}
	}
}

// number reads a whole number within bounds.
func number(text string, base, least, most int) (int, bool) {
	n, err := strconv.ParseInt(text, base, 64)
	return int(n), err == nil && n >= int64(least) && n <= int64(most)
}

// word reports whether a text may be a name: short, visible, without blanks.
func word(text string) bool {
	return text != "" && len(text) <= mostWord && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f })
}

// field is the text behind a word of several, such as the mtu of "mtu 9000 qdisc mq"; "": there is none.
func field(words []string, key string) string {
	if k := slices.Index(words, key); k >= 0 && k+1 < len(words) {
		return words[k+1]
	}
	return ""
}

// Errors of Read.
var errNothing = errors.New("nothing in it is understood, want what the script of `railyard hosts collect` gathers, " +
	"or what lspci, ip, ethtool, ibv_devinfo and others print")

// Read reads the files of a host, in the order of their names. The error says that nothing was understood, or that a bound
// is exceeded.
func Read(name string, files []netconf.File) (*Host, error) {
	h := &Host{Name: name, Governors: map[string]Said[int]{}, Modules: map[string]Said[string]{}, NCCL: map[string]Said[string]{},
		Sysctl: map[string]Said[string]{}, CPU: map[string]Said[string]{}, Translate: map[int]Said[string]{},
		Paths:    map[[2]string]Said[string]{},
		unreadOf: map[Kind]int{}, pci: map[string]*PCI{}, rdma: map[string]*RDMA{}, netdev: map[string]*Netdev{},
		gpu: map[string]*GPU{}}
	if len(files) > MostFiles {
		return nil, fmt.Errorf("%d files, want at most %d", len(files), MostFiles)
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b netconf.File) int { return strings.Compare(a.Name, b.Name) })
	total, lines := 0, 0
	for _, f := range files {
		if lines += bytes.Count(f.Text, []byte("\n")); lines > mostLines {
			return nil, fmt.Errorf("more than %d lines in its files, want at most that", mostLines)
		}
		if total += len(f.Text); total > MostBytes {
			return nil, fmt.Errorf("more than %d bytes in its files, want at most that", MostBytes)
		}
		r := &reader{h: h, file: f.Name}
		r.text(string(f.Text))
	}
	h.settle()
	h.prune()
	if h.Lines.Understood == 0 {
		return nil, errNothing
	}
	h.detach()
	return h, nil
}

// prompt is that of a shell before a command that is read here.
var prompt = lazy.Regexp(`^(?:[\w.@:~/()\[\] -]{0,64})[#$>] ?((?:sudo )?(?:lspci|ip|ethtool|sysctl|ibv_devinfo|rdma|` +
	`show_gids|ibdev2netdev|mlnx_qos|dcb|lldpctl|lldpcli|nvidia-smi|lsmod|uname|dmesg|numactl|lscpu|ulimit|cat /|grep |env|modinfo)\b.*)$`)

// otherPrompt is that of a shell before another command, or none: user@host:~$ or [user@host ~]#
var otherPrompt = lazy.Regexp(`^\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^#$]{0,64}[#$](?: (.*))?$`)

// escapes are those of terminals: colours, underlines.
var escapes = lazy.Regexp(`\x1b\[[0-9;]{0,16}[A-Za-z]`)

// blocks begin what ethtool prints of another interface, in a text without commands.
var blocks = []string{"Settings for ", "Features for ", "Ring parameters for ", "Pause parameters for ", "driver: "}

// text reads the sections of a file.
func (r *reader) text(text string) {
	here := make([]line, 0, strings.Count(text, "\n")+1)
	command, at, exit, headed := "", 1, -1, false
	end := func() {
		if !headed && !slices.ContainsFunc(here, func(l line) bool { return strings.TrimSpace(l.text) != "" }) {
			here = here[:0]
			return
		}
		r.section(command, at, exit, here)
		here, command, exit, headed = here[:0], "", -1, false
	}
	n := 0
	for raw := range strings.Lines(text) {
		n++
		t := strings.TrimRight(raw, "\r\n")
		if strings.IndexByte(t, 0x1b) >= 0 { // nvidia-smi topo underlines its heading wherever it goes
			t = escapes().ReplaceAllString(t, "")
		}
		if c, is := strings.CutPrefix(t, Header); is {
			end()
			command, at, headed = strings.TrimSpace(c), n, true
			continue
		}
		if code, is := strings.CutPrefix(t, Ended); is && headed {
			if e, ok := number(code, 10, 0, 255); ok {
				exit = e
				end()
				at = n + 1
				continue
			}
		}
		if strings.ContainsAny(t, "#$>") && len(t) < 300 {
			m := prompt().FindStringSubmatch(t)
			if m == nil {
				m = otherPrompt().FindStringSubmatch(t)
			}
			if m != nil {
				end()
				command, at, headed = strings.TrimPrefix(m[1], "sudo "), n, m[1] != ""
				continue
			}
		}
		if !headed && len(here) > 0 && slices.ContainsFunc(blocks, func(b string) bool { return strings.HasPrefix(t, b) }) {
			end()
		}
		if len(here) == 0 && !headed {
			at = n
		}
		here = append(here, line{n, t})
	}
	if headed && exit < 0 && command != "" && strings.Contains(text, Ended) {
		exit = 255 // the script was ended in the middle of it
	}
	end()
}

// section reads one.
func (r *reader) section(command string, at, exit int, lines []line) {
	command, more, _ := strings.Cut(command, "|")
	command, into, _ := strings.Cut(strings.TrimSpace(command), ">")
	f, args := formOf(strings.TrimSpace(command), lines)
	r.kind, r.args, r.dev = f.kind, args, ""
	if k := len(args); k > 1 && !strings.HasPrefix(args[k-1], "-") && word(args[k-1]) {
		r.dev = args[k-1]
	}
	if len(r.h.Sections) < mostSections {
		r.h.Sections = append(r.h.Sections, Section{r.kind, strings.TrimSpace(command), netconf.Place{File: r.file, Line: at}, exit,
			more != "" || into != ""})
	}
	kept := make([]line, 0, len(lines))
	for _, l := range lines {
		switch {
		case strings.TrimSpace(l.text) == "":
		case len(l.text) > mostLine:
			r.unread(l)
		default:
			kept = append(kept, l)
		}
	}
	if exit > 0 && !f.partial { // it says what it could not do: no value
		r.h.Lines.Known += len(kept)
		return
	}
	f.read(r, kept)
}

const mostSections = 20_000
