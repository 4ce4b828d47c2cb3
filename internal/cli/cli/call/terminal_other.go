//go:build !unix

package call

import "os"

// ColumnsOf returns 0: on this system every stream gets plain lines.
func ColumnsOf(*os.File) int { return 0 }
