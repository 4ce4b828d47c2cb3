package call

import (
	"errors"
	"fmt"
	"strings"
)

// Exit codes.
const (
	OK          = 0
	Failed      = 1
	Misused     = 2
	Interrupted = 130
)

// Exit is an error with an exit code other than 1. Without err nothing is
// printed: the command has said it all.
type Exit struct {
	Code int
	Err  error
}

// Error returns what is printed.
func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns what is wrong.
func (e *Exit) Unwrap() error { return e.Err }

// Misuse is an error in how the program was called.
func Misuse(format string, args ...any) error {
	return &Exit{Code: Misused, Err: fmt.Errorf(format, args...)}
}

// Report prints the error, if there is one to print, and returns the exit code.
func (a *App) Report(err error) int {
	if err == nil {
		return OK
	}
	code := Failed
	var e *Exit
	if errors.As(err, &e) {
		code = e.Code
		if e.Err == nil {
			return code
		}
	}
	fmt.Fprintf(a.Stderr, "railyard: %s\n", strings.TrimRight(err.Error(), "\n"))
	return code
}
