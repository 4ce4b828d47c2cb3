package planted

import "fmt"

// Healthy draws a scenario in which nothing is wrong and no traffic meets that need not: flows of which each has its own sender and
// receiver, rings, replays and trainings, on one switch or on leaves whose spines carry all of it.
func Healthy(seed uint64) string {
	d := drawing(seed, 0x6865616c746879)
	rate, hosts := d.rate(), 2*d.between(2, 5)
	fabric := single(hosts, rate, "")
	if d.below(2) == 0 {
		fabric = leafSpine(hosts, rate, hosts/2, rate, "  links: {length: 20m}\n  balance: pinned\n")
	}
	text := fmt.Sprintf("seed: %d\n", d.between(1, 1000)) + fabric + d.of(none, dcqcn, "", "congestion: {algorithm: hpcc}\n")
	switch d.below(8) {
	case 0:
		text += "job:\n  flows:\n"
		for i, to := range d.order(hosts / 2) {
			text += flow(1+i, 1+hosts/2+to, bytes(rate, d.between(20, 100)), "")
		}
	case 1:
		text += fmt.Sprintf("job:\n  collectives: [{op: %s, bytes: %s, iterations: %d, algorithm: ring}]\n",
			d.of("all-reduce", "all-gather", "reduce-scatter"), bytes(rate, d.between(20, 100)), d.between(1, 3))
	case 2:
		text += fmt.Sprintf("job:\n  replay: {forward: %dus, steps: 3, buckets: [{bytes: %s, compute: %dus}, "+
			"{bytes: %s, compute: %dus}]}\n",
			d.between(10, 100), bytes(rate, d.between(10, 50)), d.between(10, 100), bytes(rate, d.between(10, 50)), d.between(10, 100))
	case 3:
		text += "job:\n  parallel: {pp: 2, micro_batches: 4}\n" + digits("[784, 64, 64, 10]", 16)
	case 4:
		text += fmt.Sprintf("job:\n  parallel: {zero: %d}\n", d.between(1, 3)) + digits("[784, 64, 10]", 8)
	case 5:
		text += "job:\n  parallel: {pp: 2, micro_batches: 2}\n" + gpt(100*hosts)
	case 6: // whatever the router decides
		text += "job:\n" + mixture(hosts, 100*hosts, d.of("", evenRouter))
	default:
		text += "job:\n" + digits(d.of("[784, 64, 10]", "[784, 128, 64, 10]"), 8)
	}
	return text
}
