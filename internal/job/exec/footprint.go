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
	bytes = operationSize * int64(len(ops))
	for i := range ops {
		if ops[i].Kind != workload.Communication {
			continue
		}
		bytes += collRunSize
		if c := &job.Collectives[ops[i].Coll]; !c.Formula {
			bytes += exchangeSize + channelSize*int64(c.Schedule.Channels())
		}
	}
	return bytes
}
