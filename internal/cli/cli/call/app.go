package call

import (
	"io"
	"time"
)

// App is one call of the program: what all commands share.
type App struct {
	Stdin            io.Reader
	piped            []byte // what stdin held, once it was read
	Stdout, Stderr   io.Writer
	OutTerm, ErrTerm Terminal
	Start            time.Time
}
