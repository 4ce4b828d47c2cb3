package result

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/net/qos"
	"railyard/internal/out/diagnose"
)

// State is how far a run got.
type State string

// The states of a run. A directory whose run.json says running was killed, or is
// still being written.
const (
	Running     State = "running"
	Complete    State = "complete"
	Interrupted State = "interrupted"
	Unfinished  State = "unfinished" // nothing was left to happen, and what the job asked for was not done
	Failed      State = "failed"
)

// What the ranks of a run had for a network, where that was not the simulated one: of causes nothing is said.
const (
	NetworkFormula = "formula" // no packet was sent
	NetworkReal    = "real"    // ranks were processes, times were measured
)

// Summary is run.json and the object that `railyard run --json` prints. Every
// figure but WallSeconds is the same on each repetition. A figure that the run does
// not have is nil or zero, and its key absent.
//
// Of the times of steps StepTime is the headline: ranks begin a step while others end
// the one before, so the time of the slowest rank, and the critical path, are longer.
type Summary struct {
	State         State  `json:"state"`
	Error         string `json:"error,omitempty"` // why the state is failed or unfinished
	Version       string `json:"version"`
	FormatVersion int    `json:"format_version"`
	Name          string `json:"name"`
	Seed          uint64 `json:"seed"`
	Network       string `json:"network,omitempty"` // one of the Network constants; absent: packets were simulated
	// of the one job that there is; with several Steps and StepsPlanned are sums, the others absent
	JobFigures
	Jobs          []JobFigures  `json:"jobs,omitempty"` // of several, in order of the scenario
	VirtualTime   unit.Time     `json:"virtual_time_ps"`
	WallSeconds   float64       `json:"wall_seconds"`
	PacketHops    int64         `json:"packet_hops"`
	Events        int64         `json:"events"`
	Reuse         *Reuse        `json:"reuse,omitempty"` // absent: everything was simulated
	ECNMarks      int64         `json:"ecn_marks"`
	CNPs          int64         `json:"cnps"`
	Pauses        int64         `json:"pauses"` // PFC frames that stop a class, refreshes included
	Drops         int64         `json:"drops"`
	LosslessDrops int64         `json:"lossless_drops"` // of them, of classes under PFC
	Retransmits   int64         `json:"retransmits"`
	Lost          []LostFrames  `json:"lost,omitempty"`          // frames that did not arrive, by what lost them: most first
	Reordering    *Reordering   `json:"reordering,omitempty"`    // absent: no packet overtook another
	BusiestLinks  []LinkFigures `json:"busiest_links,omitempty"` // busiest first
	// explicit and background flows, in order of the scenario
	Flows []FlowFigures `json:"flows,omitempty"`
	// of a run that failed or is unfinished: the first messages that were not acknowledged
	Unfinished    []OpenMessage  `json:"unfinished,omitempty"`
	UnfinishedAll int64          `json:"unfinished_messages,omitempty"` // how many there are
	Queues        []QueueFigures `json:"queues,omitempty"`              // sampled queues, deepest first
	// ports that sent or received pause frames, held longest first
	Pausing    []PauseFigures    `json:"pausing,omitempty"`
	Watchdog   []WatchdogFigures `json:"watchdog,omitempty"`   // ports at which the PFC watchdog acted
	Deadlock   *Deadlock         `json:"deadlock,omitempty"`   // ports that waited for each other in a circle
	Thresholds []qos.Row         `json:"thresholds,omitempty"` // of RoCE data, a row for each kind of port
	Mistakes   []qos.Mistake     `json:"mistakes,omitempty"`   // in the thresholds, with their cures
	LeftOut    *LeftOut          `json:"left_out,omitempty"`   // of Flows, Queues, Pausing and Watchdog in run.json
	// those that the run wrote, as they were when it ended
	Tables []TableFile `json:"tables,omitempty"`
	Notes  []string    `json:"notes,omitempty"` // why a counter is zero, findings: a sentence each
	// what the run read beside its scenario, in the order in which it did
	Inputs   []InputDigest   `json:"inputs,omitempty"`
	Scenario json.RawMessage `json:"scenario,omitempty"` // resolved, as data; made from ScenarioYAML if nil
	// resolved; given back as a scenario it reruns byte for byte
	ScenarioYAML string `json:"scenario_yaml,omitempty"`

	Dir string `json:"directory,omitempty"` // where it lies; not in run.json itself: the file may be moved
}

// Resumed says what a training went on from. Its steps are counted from there.
type Resumed struct {
	Name   string `json:"name"`   // of the run that left the weights
	Step   int64  `json:"step"`   // of the training: so many are done before the run's first
	File   string `json:"file"`   // of the weights, without its folder
	SHA256 string `json:"sha256"` // of that file
}

// ExpertFigures is how a training's mixtures of experts were used, over all ranks and the steps of the last epoch.
type ExpertFigures struct {
	Layer   string  `json:"layer"`   // in which the use was most uneven
	Load    float64 `json:"load"`    // there: tokens of the busiest expert over the mean of all
	Least   float64 `json:"least"`   // there: tokens of the idlest over the mean
	Dropped float64 `json:"dropped"` // share of all choices for which an expert had no room
	Entropy Float   `json:"entropy"` // of the mean probabilities there, as a part of the most: 1 is even
	Balance Float   `json:"balance"` // the balancing losses of all layers with their weight, mean over steps
}

// JobFigures is what one job did. A figure that it does not have is nil or zero, and its key
// absent.
type JobFigures struct {
	Job    string    `json:"job,omitempty"`      // its name, and what kind it is, where the scenario has a list of jobs
	Kind   string    `json:"kind,omitempty"`     // one of the Job constants
	From   unit.Time `json:"from_ps,omitempty"`  // when it started
	Until  unit.Time `json:"until_ps,omitempty"` // when its last step or message ended, of several jobs
	Kernel string    `json:"kernel,omitempty"`   // which tensor kernel: values depend on it
	// virtual time from when all ranks had ended the start phase until all had ended Steps, over Steps
	StepTime   unit.Duration `json:"step_time_ps,omitempty"`
	SampleRate float64       `json:"samples_per_second,omitempty"` // global batch over StepTime
	StepMedian unit.Duration `json:"step_median_ps,omitempty"`     // over steps, of the rank that took longest
	// 99 % of the steps took at most this, of the rank that took longest
	StepP99      unit.Duration `json:"step_p99_ps,omitempty"`
	TestAccuracy *float64      `json:"test_accuracy,omitempty"`
	TestLoss     *Float        `json:"test_loss,omitempty"`    // of text: mean of a test label, in nats
	TestEntropy  *float64      `json:"test_entropy,omitempty"` // of a grammar's text: the least that it can be but by luck
	FinalLoss    *Float        `json:"final_loss,omitempty"`   // mean training loss of the last epoch
	// what mixtures of experts did in the last epoch; nil: the model has none
	Experts *ExpertFigures `json:"experts,omitempty"`
	// distance of all weights from those of one rank, over the norm of the latter; nil: stages update
	// once a step, as one rank does, or it is not known
	Drift        *float64 `json:"drift,omitempty"`
	Steps        int64    `json:"steps"`                   // training steps completed
	StepsPlanned int64    `json:"steps_planned,omitempty"` // differs from Steps when interrupted
	// float32 little-endian, layers in order, W then b, row-major
	WeightsSHA256 string       `json:"weights_sha256,omitempty"`
	Overlap       *float64     `json:"overlap,omitempty"`         // fraction of communication time beside compute, 0..1
	GPU           *Utilisation `json:"gpu_utilisation,omitempty"` // nil: nothing was computed
	Efficiency    *mfu.Figures `json:"efficiency,omitempty"`      // of arithmetic, and where a step's time goes; nil: no steps
	// what the ranks did once, before step 0; nil: nothing
	Start     *StartPhase `json:"start,omitempty"`
	StepSplit *StepSplit  `json:"step_split_ps,omitempty"`
	// mean over PathsTraced steps: what the rank that ended the step last waited for
	CriticalPath *Causes `json:"critical_path_ps,omitempty"`
	PathsTraced  int64   `json:"paths_traced,omitempty"` // steps whose critical path was traced
	PathsEvery   int64   `json:"paths_every,omitempty"`  // one of so many steps was to be traced
	// the path is of the step's last so many collectives, stretched to the whole step; 0: of all
	PathCollectives int64               `json:"path_collectives,omitempty"`
	Groups          []GroupFigures      `json:"groups,omitempty"`    // of several that communicate
	Diagnosis       *diagnose.Diagnosis `json:"diagnosis,omitempty"` // what the time was lost to
	Collectives     []Collective        `json:"collectives,omitempty"`
	Resumed         *Resumed            `json:"resumed,omitempty"` // the training went on from weights of another run
	Aborts          []Abort             `json:"aborts,omitempty"`  // what ended the job before its time, or a life of it
	Survival        *Survival           `json:"survival,omitempty"`
	// where the time of the job went, from its start to its end or its last abort: nil without checkpoints, restarts and aborts
	Lifetime *diagnose.Diagnosis `json:"lifetime,omitempty"`
	Took     unit.Duration       `json:"-"` // from its start to its end or its last abort
}

// Survival is what it took the job to live through its aborts: nil without checkpoints and without restarts.
type Survival struct {
	Checkpoints     int64         `json:"checkpoints"`        // that were written, those of lost steps too
	CheckpointBytes unit.Bytes    `json:"checkpoint_bytes"`   // of each
	CheckpointTime  unit.Duration `json:"checkpoint_time_ps"` // of each: ranks stood still
	Written         unit.Duration `json:"written_ps"`         // all of them
	Restarts        []Restart     `json:"restarts,omitempty"`
	LostSteps       int64         `json:"lost_steps"` // that all ranks had ended, and that were run again
	LostTime        unit.Duration `json:"lost_ps"`    // of work since the last checkpoints
	DownTime        unit.Duration `json:"down_ps"`    // from aborts until ranks started again
	// part of the job's time that steps which count would have taken without all this: Steps * StepTime over
	// the time from its start until its end
	Goodput float64 `json:"goodput"`
}

// Restart is one life after another.
type Restart struct {
	At       unit.Time     `json:"at_ps"`   // when ranks started again
	Step     int64         `json:"step"`    // steps of the run that were not lost: it goes on with this one
	Lost     int64         `json:"lost"`    // steps that all ranks had ended since
	LostTime unit.Duration `json:"lost_ps"` // from when the state was reached that it goes on from until the abort
	Down     unit.Duration `json:"down_ps"` // from the abort
	Replaced []Replaced    `json:"replaced,omitempty"`
}

// Replaced is a host whose place another took.
type Replaced struct {
	Host string `json:"host"`
	By   string `json:"by"`
}

// Abort is why a job was aborted.
type Abort struct {
	At     unit.Time `json:"at_ps"`
	Why    string    `json:"why"`              // one of the Abort constants
	Step   *int64    `json:"step,omitempty"`   // that the rank was in; -1: the start phase
	Rank   *int32    `json:"rank,omitempty"`   // whose queue pair gave up, that hung, or that could not go on
	Peer   *int32    `json:"peer,omitempty"`   // the rank at the other end of the queue pair
	GPU    string    `json:"gpu,omitempty"`    // of the rank or flow
	Remote string    `json:"remote,omitempty"` // GPU or NIC at the other end
	// of a queue pair that gave up
	QueuePair string         `json:"queue_pair,omitempty"`
	NIC       string         `json:"nic,omitempty"`
	Port      string         `json:"port,omitempty"`
	Lost      *diagnose.Loss `json:"lost,omitempty"` // where it lost most frames; null: it lost none
	// of a watchdog: what a rank had been in for so long, and since when
	Collective string     `json:"collective,omitempty"`
	Since      *unit.Time `json:"since_ps,omitempty"`
	Waiting    int64      `json:"waiting,omitempty"` // ranks in a collective then
	Absent     []int32    `json:"absent,omitempty"`  // ranks in no collective then
	Faults     []string   `json:"faults,omitempty"`  // what the scenario's faults did there then, each as Fault gives it
	Text       string     `json:"text"`              // all of it in a sentence
}

// Why a job was aborted.
const (
	AbortRetries  = "retries exceeded" // a queue pair gave up: its completion says so (IBTA vol. 1, 11.6.2)
	AbortWatchdog = "watchdog"         // a rank was in a collective for as long as job.watchdog says
	AbortRank     = "rank"             // a rank could not go on
)

// The kinds of job.
const (
	JobTrain       = "train"
	JobModel       = "model"
	JobReplay      = "replay"
	JobCollectives = "collectives"
	JobFlows       = "flows"
)

// GroupFigures is the part that one group of a job's ranks has in the critical path: its messages,
// reductions and copies, mean over PathsTraced steps.
type GroupFigures struct {
	Group        string `json:"group"`
	Ranks        int64  `json:"ranks"`
	CriticalPath Causes `json:"critical_path_ps"`
}

// PerJob returns the figures of each job.
func (s *Summary) PerJob() (all []*JobFigures) {
	if len(s.Jobs) == 0 {
		return []*JobFigures{&s.JobFigures}
	}
	for i := range s.Jobs {
		all = append(all, &s.Jobs[i])
	}
	return all
}

// First returns the run as its first job alone: the one that is measured where runs are compared by
// one figure.
func (s *Summary) First() *Summary {
	if len(s.Jobs) == 0 {
		return s
	}
	return s.OfJob(0)
}

// EachJob gives OfJob of each of the first most jobs, in time that does not grow with jobs times flows.
func (s *Summary) EachJob(most int) iter.Seq2[int, *Summary] {
	return func(yield func(int, *Summary) bool) {
		flows := map[string][]FlowFigures{}
		for i := range s.Flows {
			job := s.Flows[i].Job
			flows[job] = append(flows[job], s.Flows[i])
		}
		for i := range min(most, len(s.Jobs)) {
			if !yield(i, s.only(i, flows[s.Jobs[i].Job])) {
				return
			}
		}
	}
}

// OfJob returns the run as if job i of Jobs were the only one: with its figures and flows, and those
// of the network, which the jobs share. Background flows belong to none.
func (s *Summary) OfJob(i int) *Summary {
	var flows []FlowFigures
	for _, f := range s.Flows {
		if f.Job == s.Jobs[i].Job {
			flows = append(flows, f)
		}
	}
	return s.only(i, flows)
}

// only is OfJob with the job's flows.
func (s *Summary) only(i int, flows []FlowFigures) *Summary {
	one := *s
	one.JobFigures, one.Jobs, one.Flows = s.Jobs[i], nil, flows
	if s.LeftOut != nil {
		left := *s.LeftOut
		left.Flows = slices.DeleteFunc(slices.Clone(left.Flows), func(f FlowsLeft) bool { return f.Job != one.Job })
		one.LeftOut = &left
	}
	return &one
}

// StartPhase is what the ranks did once, before step 0: a broadcast of the parameters, a copy of the
// first batch.
type StartPhase struct {
	Time  unit.Duration `json:"time_ps"` // from the start of the job until all ranks had ended it
	Bytes unit.Bytes    `json:"bytes"`   // of the parameters that were broadcast to each replica
	// where the time of the rank that ended it last went, as it saw it and through all ranks
	LastRank     Causes  `json:"last_rank_ps"`
	CriticalPath *Causes `json:"critical_path_ps,omitempty"` // nil: it was not traced
}

// Utilisation is the share of the time, from the start of the job to the end of its last step, in
// which GPUs ran compute operations, in steps that their ranks ended: 0..1.
type Utilisation struct {
	Mean      float64 `json:"mean"` // over ranks
	Least     float64 `json:"least"`
	LeastRank int32   `json:"least_rank"`
	Most      float64 `json:"most"`
	MostRank  int32   `json:"most_rank"`
}

// StepSplit is where the time of a training step went.
type StepSplit struct {
	Mean        Causes `json:"mean"`         // mean over steps and ranks
	SlowestRank Causes `json:"slowest_rank"` // mean over steps of the rank whose step took longest
}

// Collective is one collective of the step, mean over steps.
type Collective struct {
	Name  string        `json:"name"` // "all-reduce 0 (layer 2)"
	Count int64         `json:"count"`
	Bytes unit.Bytes    `json:"bytes"`
	Time  unit.Duration `json:"time_ps"` // first rank's start to last rank's end
	AlgBW float64       `json:"algbw_bytes_per_s"`
	BusBW float64       `json:"busbw_bytes_per_s"` // algbw times 2(n-1)/n for all-reduce, (n-1)/n for its halves
	Wrong *int64        `json:"wrong,omitempty"`   // elements that ranks found to be wrong; nil: nobody looked
}

// LostFrames is how many frames were lost in one way: to a full buffer, to a fault, by the PFC watchdog.
type LostFrames struct {
	Why    string `json:"why"` // as in losses.parquet
	Frames int64  `json:"frames"`
}

// lostWords say what lost frames.
var lostWords = map[string]string{
	LostInBuffer: "by full buffers", LostOnLink: "on links, to faults", LostWithoutRoute: "for want of a route",
	LostInNIC: "by receivers, past a gap", LostOversize: "longer than a port takes", LostInReboot: "in switches that went down",
	LostByWatchdog: "by the PFC watchdog", LostAtThreshold: "at a drop threshold", LostBeforePCIe: "by NICs that wait for PCIe",
}

// Words says what lost the frames, in words.
func (l *LostFrames) Words() string { return lostWords[l.Why] }

// LostFrames is how many frames did not arrive, and what lost how many of them, in words.
func (s *Summary) LostFrames() (sum int64, words string) {
	var parts []string
	for i := range s.Lost {
		l := &s.Lost[i]
		sum += l.Frames
		parts = append(parts, unit.Count(l.Frames)+" "+l.Words())
	}
	return sum, strings.Join(parts, ", ")
}

// LinkFigures is one egress port over the run.
type LinkFigures struct {
	Port        string       `json:"port"`
	Rate        unit.Bitrate `json:"rate_bps"`             // of the link
	Slowed      unit.Bitrate `json:"slowed_bps,omitempty"` // where a fault took some of it: what the port had in the mean
	TxBytes     unit.Bytes   `json:"tx_bytes"`
	Utilisation float64      `json:"utilisation"`
	MaxQueue    unit.Bytes   `json:"max_queue_bytes"`
	ECNMarks    int64        `json:"ecn_marks"`
	Drops       int64        `json:"drops"`
}

// FlowFigures is one explicit flow.
type FlowFigures struct {
	Job         string         `json:"job,omitempty"` // whose, of several jobs; "": background
	Name        string         `json:"name"`
	Kind        string         `json:"kind"`
	Src         string         `json:"src"`
	Dst         string         `json:"dst"`
	Bytes       unit.Bytes     `json:"bytes"`    // of each message
	Posted      int64          `json:"posted"`   // messages
	Done        int64          `json:"done"`     // of them, acknowledged
	Start       *unit.Time     `json:"start_ps"` // of the first message; nil: none was posted
	FCT         *unit.Duration `json:"fct_ps"`   // mean over messages that were done; nil: none, see Status
	Marks       int64          `json:"marks"`
	CNPs        int64          `json:"cnps"`
	Retransmits int64          `json:"retransmits"`
	Status      string         `json:"status"`
	Path        string         `json:"path"`
}

// Took returns the mean completion time; 0: no message was done.
func (f FlowFigures) Took() unit.Duration {
	if f.FCT == nil {
		return 0
	}
	return *f.FCT
}

// OpenMessage is a message that was posted and never acknowledged, and the last that is known of
// it.
type OpenMessage struct {
	Job    string     `json:"job,omitempty"` // whose, of several jobs
	Name   string     `json:"name"`          // of its flow, or its queue pair
	Kind   string     `json:"kind"`
	Src    string     `json:"src"`
	Dst    string     `json:"dst"`
	Step   int32      `json:"step"` // training step; -1: none
	Bytes  unit.Bytes `json:"bytes"`
	Acked  unit.Bytes `json:"acked_bytes"` // of them, acknowledged
	Posted unit.Time  `json:"posted_ps"`
	Placed *unit.Time `json:"placed_ps"`    // its last byte; nil: not before the end
	Left   *unit.Time `json:"last_sent_ps"` // when the last data packet of its queue pair left the NIC; nil: none did
	Waits  string     `json:"waits"`        // what its queue pair waited for at the end: the Waits constants
	Path   string     `json:"path"`
}

// What a queue pair waited for when the run ended.
const (
	WaitsAck    = "acknowledgement" // everything it had was sent
	WaitsWindow = "window"          // the window was full
	WaitsPause  = "pause"           // PFC held its NIC's port
	WaitsTurn   = "turn"            // its rate, the host path, or other packets of its NIC
	WaitsNone   = "gave up"         // it used up its retries
)

// QueueFigures is one sampled egress queue, weighted by time.
type QueueFigures struct {
	Port  string       `json:"port"`
	Class int32        `json:"class"`
	Mean  unit.Bytes   `json:"mean_bytes"`
	P99   unit.Bytes   `json:"p99_bytes"`          // at most 1/128 too large
	Max   unit.Bytes   `json:"max_bytes"`          // of the samples
	Rate  unit.Bitrate `json:"rate_bps,omitempty"` // of the port
}

// Delay returns how long the port sends what P99 says, and nothing else; 0 where the rate is not known.
func (q *QueueFigures) Delay() unit.Duration {
	if q.Rate == 0 {
		return 0
	}
	return q.Rate.TransmitTime(q.P99)
}

// PauseFigures is the PFC of one port.
type PauseFigures struct {
	Port     string        `json:"port"`
	Sent     int64         `json:"sent"`
	Received int64         `json:"received"`
	Paused   unit.Duration `json:"paused_ps"`
}

// WatchdogFigures is what the PFC watchdog did at one port.
type WatchdogFigures struct {
	Port     string `json:"port"`
	Detected int64  `json:"detected"` // queues taken out of PFC
	Restored int64  `json:"restored"` // put back
	Dropped  int64  `json:"dropped"`  // frames
}

// Deadlock is ports each of which waited for the next, and the last for the first: found at an instant.
type Deadlock struct {
	At    unit.Time `json:"at_ps"`
	Ports []string  `json:"ports"`
}

// Text names the ports in a circle.
func (d *Deadlock) Text() string {
	return strings.Join(append(slices.Clone(d.Ports), d.Ports[0]), " > ")
}

// TableFile is a table's file: what tells a whole one from one that was changed since.
type TableFile struct {
	Name   string `json:"name"` // without .parquet
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the file, in hexadecimal
}

// Float is a figure that may be no number, such as the loss of a training that
// diverged: JSON has none, so it is written as "NaN", "+Inf" or "-Inf".
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	v := float64(f)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendQuote(nil, strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return json.Marshal(v)
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Float) UnmarshalJSON(b []byte) error {
	s := string(b)
	if t, err := strconv.Unquote(s); err == nil {
		s = t
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("%s: want a number or \"NaN\", \"+Inf\", \"-Inf\"", s)
	}
	*f = Float(v)
	return nil
}

// stamp sets what every run.json must say.
func (s *Summary) stamp(state State) error {
	s.State, s.Version, s.FormatVersion = state, Version, FormatVersion
	if s.Scenario == nil && s.ScenarioYAML != "" {
		b, err := yaml.YAMLToJSON([]byte(s.ScenarioYAML))
		if err != nil {
			return fmt.Errorf("resolved scenario: %w", err)
		}
		s.Scenario = b
	}
	return nil
}

// Reordering is what it came to at receivers that packets overtook one another, or were missing.
type Reordering struct {
	Gaps    int64  `json:"gaps_answered"`            // with a NAK
	Late    int64  `json:"late"`                     // of them, the packet was only late: it came, and then came again
	Most    int    `json:"most_ahead"`               // packets past a gap at one receiver, which placed or kept them
	At      string `json:"at,omitempty"`             // the queue pair where that was
	Dropped int64  `json:"dropped"`                  // by receivers that had no room for them
	GaveUp  int64  `json:"tails_given_up,omitempty"` // by ConWeave's last switches
}
