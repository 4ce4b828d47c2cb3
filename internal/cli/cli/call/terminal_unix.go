//go:build unix

package call

import (
	"os"

	"golang.org/x/sys/unix"
)

// ColumnsOf returns the width of the terminal behind f, 0 if it is none. A
// terminal that does not know its width counts as 80 columns.
func ColumnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	if size.Col == 0 {
		return DefaultColumns
	}
	return int(size.Col)
}
