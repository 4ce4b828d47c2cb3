package planted

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
)

// A Family draws cases of one sort.
type Family struct {
	Name string
	draw func(d *draw) string
}

// Draw draws a case: the same for the same seed.
func (f *Family) Draw(seed uint64) (Case, error) {
	src := f.draw(drawing(seed, 0x706c616e746564))
	c, err := parse(fmt.Sprintf("%s-%d", f.Name, seed), src)
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", f.Name, err, src)
	}
	return c, err
}

// Families lists all of them.
func Families() []Family {
	return slices.Concat(networkFamilies, jobFamilies, balanceFamilies, settingFamilies, hostFamilies, shapeFamilies,
		layoutFamilies, trainingFamilies, expertFamilies, cellFamilies)
}

// draw makes texts of random sizes.
type draw struct{ stream splitmix.Stream }

// drawing is a draw of its own for each seed of a purpose.
func drawing(seed, purpose uint64) *draw {
	return &draw{splitmix.Stream(splitmix.Mix(seed ^ splitmix.Mix(purpose)))}
}

// below draws a number from 0 to n-1. That n divides no power of 2 matters to nobody here.
func (d *draw) below(n int) int { return int(d.stream.Next() % uint64(n)) }

// order draws an order of n things.
func (d *draw) order(n int) []int {
	all := make([]int, n)
	for i := range all {
		k := d.below(i + 1)
		all[i], all[k] = all[k], i
	}
	return all
}

// of draws one of several.
func (d *draw) of(all ...string) string { return all[d.below(len(all))] }

// between draws a number.
func (d *draw) between(low, high int) int { return low + d.below(high-low+1) }

// rate is that of NICs, in Gb/s.
func (d *draw) rate() int { return []int{100, 200, 400}[d.below(3)] }

// bytes is a size that takes a link of a rate in Gb/s so many us.
func bytes(rate, us int) string { return fmt.Sprintf("%dkB", rate*us/8) }

// single is a cluster of hosts of one GPU at one switch.
func single(hosts, rate int, more string) string {
	return fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dGb/s}}\nfabric:\n"+
		"  design: single-switch\n%s", hosts, rate, more)
}

// leafSpine is a cluster of hosts of one GPU at two leaves, spines of a rate, and more lines of fabric.
func leafSpine(hosts, rate, spines, spine int, more string) string {
	return fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dGb/s}}\nfabric:\n  design: leaf-spine\n  leaves: 2\n"+
		"  spines: %d\n%s", hosts, rate, spines, strings.Replace(more, "links: {", fmt.Sprintf("links: {spine: %dGb/s, ", spine), 1))
}

// flow is an entry of flows.
func flow(from, to int, bytes, more string) string {
	return fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: %s%s}\n", from, to, bytes, more)
}

// planted marks every line as planted.
func planted(lines string) string {
	return strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", " # planted\n") + " # planted\n"
}

const (
	none  = "congestion: {algorithm: none}\n"
	dcqcn = "congestion: {preset: connectx-default, min_rate: 1Gb/s}\n"
)
