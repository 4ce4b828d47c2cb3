package exec

import "railyard/internal/job/workload"

// Sizes on a 64-bit machine, in bytes.
const (
	operationSize = 40
	exchangeSize  = 272
	collRunSize   = 48
	channelSize   = 144
)

// StateSize is how many bytes a rank takes to stand in operations, and in the collectives that these run, for as long as the job does.
func StateSize(job *workload.Job, ops []workload.Op) (bytes int64) {
	collectives, exchanges, channels := roomsOf(job, ops)
	return operationSize*int64(len(ops)) + collRunSize*int64(collectives) + exchangeSize*int64(exchanges) + channelSize*int64(channels)
}
