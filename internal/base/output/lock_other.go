//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import "os"

const noWait = 0

// flock has only the file itself to go by: who made it has the lock, and who dies leaves it.
func flock(_ *os.File, made bool) (free bool, err error) { return made, nil }

// unlocked takes it that who made the file has the lock: there is none to ask.
func unlocked(*os.File) (free bool, err error) { return false, nil }
