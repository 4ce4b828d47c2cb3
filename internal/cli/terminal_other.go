//go:build !unix

package cli

import "os"

// columnsOf returns 0: on this system every stream gets plain lines.
func columnsOf(*os.File) int { return 0 }
