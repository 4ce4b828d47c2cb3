package foresight

import "railyard/internal/plan/plan"

// What messages of ranks take beside their queue pairs, measured as the constants of memory are.
const (
	rankPairMemory = 3200 // of a queue pair that ranks use: a message at both ends, what it met, how its ranks know it
	heldCopies     = 5    // of what held up a message: the ledger of its queue pair, traces of its sender and receiver, garbage
)

// heldMemory is what queue pairs of a job's ranks take for their messages, each for the longest of its messages: all of an
// all-to-all are under way at once, and what a message of another collective leaves the next one uses.
func heldMemory(p *plan.Plan, j *plan.Job) (sum int64) {
	held := map[int32]int64{} // by the first queue pair of a connection
	eachTraffic(j, func(_ int, l *plan.RankLink, t traffic) {
		if l.Pair < 0 || t.messages == 0 {
			return
		}
		all, pair := int64(0), l.Pair
		deal(p, l, t, func(_ *plan.Pair, t traffic) {
			if t.messages > 0 {
				spans := min(mul(packetSpans, packets(p, ceil(t.bytes, t.messages))), mostSpans)
				all = add(all, add(rankPairMemory, mul(spans, int64(spanMemory)*heldCopies)))
			}
		})
		held[pair] = max(held[pair], all)
	})
	for _, h := range held {
		sum = add(sum, h)
	}
	return sum
}
