// Railyard is a flight simulator for AI training networks.
package main

import (
	"os"

	"railyard/internal/cli/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
