// Gen writes the assembly of package kernel into the current folder. One description of each loop
// serves both families and all widths of registers: what differs is a value.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

func main() {
	if err := write(); err != nil {
		panic(err)
	}
}

func write() error {
	all, err := files()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := os.WriteFile(name, all[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// files are all that is generated, by name.
func files() (map[string][]byte, error) {
	s, stubs, err := amd64()
	if err != nil {
		return nil, fmt.Errorf("amd64: %w", err)
	}
	all := map[string][]byte{"kernel_amd64.s": s, "kernel_amd64.go": stubs}
	all["kernel_arm64.s"], all["kernel_arm64.go"] = arm64()
	return all, nil
}
