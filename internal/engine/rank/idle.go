//go:build unix

package rank

import (
	"time"

	"golang.org/x/sys/unix"
)

// idle looks around for a while, and then sleeps until something happens. What comes within the time that waking takes is
// there sooner so; with more processes than processors the one that it comes from needs this one. What it has been lent it
// takes into its own memory once it has looked around for the first time: mostly what it waits for has come, and the copy is saved.
func (l *Loop) idle() {
	began := time.Now()
	for n := range l.cfg.Looks {
		if n > 0 && time.Since(began) > lookFor {
			break
		}
		yield()
		if l.stirs() || l.ask() {
			if l.turn() {
				return
			}
		}
		if n == 0 {
			l.own()
			l.settle(false)
		}
	}
	l.own()
	l.settle(true)
	waits := l.publish()
	l.board.sleep(waits)
	if !l.stirs() {
		l.files = l.descriptors()
		if waits {
			l.files = l.cfg.Bell.wait(l.files, l.cfg.Brief, -1)
		} else {
			l.files = l.cfg.Bell.wait(l.files, l.cfg.Brief, creditsRead)
		}
		l.answered()
	}
	l.board.awake()
}

// lookFor is how long it looks around at most. On a machine with other work each look gives the processor away for longer than
// a sleep would: who sleeps is put before who works when it is woken.
const lookFor = 300 * time.Microsecond

// creditsRead is after how many milliseconds a loop that is not woken for credits reads them anyhow: they may be wrong.
const creditsRead = 500

// ask asks the descriptors of links which of them have something, and reports whether one has.
func (l *Loop) ask() (some bool) {
	if l.files = l.descriptors(); len(l.files) == 0 {
		return false
	}
	l.files = l.cfg.Bell.poll(l.files)
	return l.answered()
}

// descriptors are those of links, to poll.
func (l *Loop) descriptors() []unix.PollFd {
	all := l.files[:0]
	for i := range l.links {
		if fd, write := l.links[i].Descriptor(); fd >= 0 {
			events := int16(unix.POLLIN)
			if write {
				events |= unix.POLLOUT
			}
			all = append(all, unix.PollFd{Fd: int32(fd), Events: events})
		}
	}
	return all
}

// answered notes which descriptors have something, and reports whether one has.
func (l *Loop) answered() (some bool) {
	n := 0
	for i := range l.links {
		k := &l.links[i]
		if fd, _ := k.Descriptor(); fd >= 0 {
			k.stirs = k.stirs || l.files[n].Revents != 0
			some = some || k.stirs
			n++
		}
	}
	return some
}

// stirs reports whether there is something to do.
func (l *Loop) stirs() bool {
	if l.box.some.Load() || len(l.todo) > 0 {
		return true
	}
	for i := range l.links {
		if l.links[i].stirs || l.links[i].Ready() {
			return true
		}
	}
	return false
}
