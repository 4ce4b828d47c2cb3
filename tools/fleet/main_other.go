//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "fleet: want Linux: it works with network namespaces")
	os.Exit(1)
}
