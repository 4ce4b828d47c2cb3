package arrows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// rule is what a package may import from this module and from others.
type rule struct {
	may   string // packages of this module, beside unit and cause, which are free to all
	third string // other modules
	why   string // what the package is, and so why it needs no more
}

// rules names every package. Some of them are still to come: their arrows are decided.
var rules = map[string]rule{
	"cmd/railyard": {may: "cli", why: "main is five lines: everything else can be tested"},

	"unit":  {why: "quantities are below everything, so they stand on the standard library alone"},
	"cause": {why: "the list of causes is shared by all: it may depend on nothing that any of them owns"},
	"wire":  {why: "frame formats are structs and bytes: the same code serves captures and real endpoints"},
	"pcapng": {
		why: "a capture file is blocks and bytes: what lies in a packet is for wire, where the file lies for those above",
	},
	"topo": {
		may: "located",
		why: "a graph is a value made from parameters: who simulates it or prints it is above it",
	},
	"board": {
		why: "what is inside a host is a value of data sheets: who draws it, or runs on its links, is above it",
	},
	"nccltopo": {
		may: "board located",
		why: "a file of NCCL is text about the inside of a host: what a run makes of a host is for others",
	},
	"containerlab": {
		may: "inventory netconf netconf/frr topo",
		why: "a lab is a function of an inventory and its switches: who writes its files is above it",
	},
	"catalogue": {why: "what is known of equipment is a value of data sheets: what a network takes of it is above it"},
	"design": {
		may: "catalogue inventory located scenario sizing topo",
		why: "networks, racks, cables and a bill are a function of a requirement: the command line writes them and plays slices",
	},
	"sizing": {
		may: "topo",
		why: "how many switches a network takes is arithmetic on ports and rates: models, prices and places are above it",
	},
	"survey": {
		may: "topo",
		why: "what a network is good for follows from the graph and its routes: nothing needs to run",
	},
	"qos": {
		why: "thresholds are arithmetic on a configuration and a list of links: engine, check, run directory " +
			"and report share the one value, so it knows none of them",
	},
	"coll": {
		may: "located",
		why: "a schedule is data, provable without an engine: nothing in it knows time, network or device",
	},
	"cc": {
		why: "a congestion controller sees what a NIC sees, times and bytes; it cannot look into queues",
	},
	"sim": {
		may: "splitmix",
		why: "the engine knows events and owners; a packet or a rank in it would tie every driver to it",
	},
	"nn/kernel/series": {why: "coefficients are numbers: the definition in Go and the generator of assembly share them"},
	"nn/kernel": {
		may:   "nn/kernel/series",
		third: "golang.org/x/sys",
		why: "products of matrices are loops over memory: what they are the layers of is above them. Of x/sys it " +
			"takes what the processor can do, which chooses among loops with the same bits",
	},
	"nn/kernel/gen": {
		may:   "nn/kernel/series",
		third: "github.com/mmcloughlin/avo",
		why:   "it writes assembly that is committed: no program runs it",
	},
	"decoder/layers": {
		may: "decoder nn train workload",
		why: "layers of a shape are those of nn, which hold no weights, lowered as train lowers them",
	},
	"decoder/times": {
		may: "located unit workload",
		why: "a file's text becomes times of operators, as workload names them: who opens the file is above it",
	},
	"decoder": {why: "what is counted of a model follows from its sizes: what becomes of it on a cluster is above"},
	"nn": {
		may: "nn/kernel splitmix",
		why: "tensors know nothing of ranks and networks, so that the oracle and the simulation run the same " +
			"code",
	},

	"nn/netfile": {
		may: "located nn",
		why: "a network's text becomes a value of nn: who opens the file, and what the data are, is above it",
	},

	"nccl": {
		may: "coll sheet",
		why: "NCCL's model is arithmetic on constants and a group's links: the engine that plays its choice is " +
			"above it. Of coll it takes what collectives there are",
	},
	"nccltests": {
		may: "coll located",
		why: "it turns nccl-tests' text into a table and back: whose figures they are, and what they are compared " +
			"with, is above it",
	},

	"shown": {
		why: "what a terminal obeys becomes what is seen: whose text it is, and where it goes, is above it",
	},
	"traffic": {
		may: "splitmix",
		why: "patterns, sizes and arrivals of flows are arithmetic on a seed: what the ends are, scenario says",
	},
	"formula": {
		may: "located unit",
		why: "arithmetic that stands in files: what a name stands for is for the room whose file it is",
	},
	"lazy": {
		why: "what is made once for all is a constant: it knows nobody",
	},
	"located": {
		may: "shown",
		why: "what is wrong with a text and where is a value: what the text means is for its parser, where it " +
			"lies for the command line",
	},
	"hash": {
		may: "located splitmix",
		why: "which of equal links headers fall on is arithmetic: the engine that moves the packets, the plan and labs ask it",
	},
	"splitmix": {
		why: "the generator of all random numbers is arithmetic: which stream is whose, its users say",
	},

	"safetensors": {why: "named tensors to bytes and back: what they are the weights of is above it"},
	"checkpoint": {
		may: "corpus dataset nn safetensors train",
		why: "it names the tensors of a training's state, and says whether another training can go on from it: " +
			"files are for those above",
	},

	"dataset": {
		may: "input output splitmix",
		why: "images come from files and seeds; who trains on them is above",
	},
	"corpus": {
		may: "located splitmix",
		why: "it turns texts into tokens, and draws texts from a grammar: who opens their files, and who learns from " +
			"them, is above",
	},
	"inventory": {may: "topo", why: "names and addresses are a function of the graph"},
	"mfu":       {why: "what a step comes to is arithmetic on values: a plan, a run or a paper gives them"},
	"workload": {
		may: "coll splitmix",
		why: "a DAG has durations and collectives, and declared sizes are drawn; running it is for exec, tensors are for " +
			"train",
	},
	"exec": {may: "coll lists workload", why: "a rank walks its DAG under any driver, simulated or real"},
	"exec/exectest": {
		may:   "exec coll splitmix workload",
		third: "pgregory.net/rapid",
		why:   "the ideal driver for tests of ranks has no network by intent; what every driver must do is drawn",
	},
	"contents": {
		may: "coll exec nn/kernel workload",
		why: "numbers that are known by rank and place, and the memory that collectives move them in: who runs ranks, and how, is above",
	},
	"rank": {
		may:   "coll endpoint exec roce verbs wire workload",
		third: "golang.org/x/sys",
		why:   "the driver of ranks on real time knows links and clocks: processes, files and what is trained are above it",
	},
	"roce": {
		may: "cc lists wire",
		why: "a queue pair runs under a simulated and under a real driver, so it knows neither; it asks congestion " +
			"control when a packet may go. Of wire it takes the names of headers' values",
	},
	"balance": {
		may: "topo",
		why: "which of equal links a frame takes is a function of what its switch has seen: the engine that moves the " +
			"frame asks it, and the plan where the answer never changes",
	},
	"fabric": {
		may: "balance qos sim splitmix topo",
		why: "it moves frames and knows no RDMA: a switch that looked into a queue pair would know what no " +
			"switch knows, and would touch memory of the edge at every hop",
	},
	"roce/rocetest": {
		may: "cc roce scripttest wire",
		why: "what every driver of a queue pair must do is tested without knowing which it is",
	},
	"headers": {
		may: "roce wire",
		why: "a packet of the core and its headers are values of which one follows from the other: captures and sockets " +
			"both ask here",
	},
	"verbs": {
		may: "cc headers lists roce wire",
		why: "what hosts that use RDMA agree upon are values, and a queue pair is the cores with memory and rights: who moves " +
			"the bytes, on what clock, is above it",
	},
	"cm": {
		may: "lists roce wire",
		why: "connections are made and ended by messages and times alone: queue pairs and sockets are its driver's",
	},
	"endpoint": {
		may:   "cc cm headers pcapng roce splitmix verbs wire",
		third: "golang.org/x/sys/unix",
		why:   "it puts queue pairs on real time and real sockets: what is measured with them, and files, are above it",
	},
	"rdma": {
		may: "cm endpoint roce splitmix verbs wire",
		why: "what two ends tell each other over TCP and what they time is above sockets of RoCEv2: arguments and tables are " +
			"for the command line",
	},
	"objects": {why: "lists of JSON: of what, and where they come from, is above it"},
	"lists":   {why: "queues, heaps and indices of values: what they hold is for their users"},
	"host": {
		may: "exec lists sim splitmix topo verbs",
		why: "the memory side of a host knows ranks and the links between memory and NIC; what carries messages " +
			"between hosts is behind an interface, so that it may be packets, flows or sockets",
	},
	"host/hosttest": {
		may: "exec host lists sim topo",
		why: "what every network behind hosts must do is tested without knowing which it is",
	},
	"nic": {
		may: "cc exec fabric host lists roce sim topo verbs wire",
		why: "the simulated NIC joins queue pairs, the memory of hosts and the fabric; it knows no ranks, tensors or " +
			"scenarios. Of wire it takes the sizes of frames, of exec what rows of messages say",
	},
	"faultsearch": {
		may: "balance cc coll exec fabric host nic qos roce sim splitmix topo wire workload",
		why: "it breaks small networks below the level of jobs and files, so that a violation points at the " +
			"engine",
	},
	"train": {
		may: "coll exec nn splitmix workload",
		why: "it gives operations their code and memory, under any driver; the schedule of coll is for the " +
			"oracle",
	},
	"scenario": {
		may:   "catalogue decoder formula located qos topo traffic",
		third: "github.com/goccy/go-yaml",
		why: "a scenario is a checked value with names in it: plan turns names into things, so reading a file " +
			"builds nothing. Of qos it takes the marking curve and its default, of catalogue models of switches, of decoder " +
			"the sizes of models, of formula the conditions and ranges of a sweep, of topo the names of designs, of traffic the flows " +
			"that a pattern makes",
	},
	"chart": {why: "plots are values: who draws them and whose figures they are is above"},
	"chart/svg": {
		may: "chart sheet shown",
		why: "it draws values at a width; it knows no run. Of sheet it takes how names are shortened",
	},
	"chart/text": {may: "chart sheet", why: "the same in characters"},
	"sheet":      {may: "shown", why: "columns of text: what they say is above it"},
	"input":      {why: "it opens what a user names: what the bytes mean is above it"},
	"output":     {why: "it writes what a user is left with, and holds folders: what the bytes mean is above it"},
	"machine":    {why: "it reads what the machine says of itself: who decides by that is above it"},
	"machine/machinetest": {
		may: "machine",
		why: "benchmarks in CPU time, which the machine says, and what must not grow with the square of its size",
	},
	"ns3": {
		may: "located",
		why: "it turns text of another simulator into text of ours; whether that is right is for the decoder " +
			"to say",
	},
	"judge": {
		may: "noun telemetry topo",
		why: "it names faults from what an operator can see: whatever knows more, a run, a plan, a diagnosis, may not reach it",
	},
	"dump": {
		may: "lldp located nccltests objects shown telemetry topo",
		why: "texts of an operator's become telemetry, and back: which files they are, and what is wrong, is above it",
	},
	"telemetry": {
		why: "what a fabric shows is a value: who writes it, and who judges by it, knows more, or must not",
	},
	"noun": {
		why: "what things are called is shared by all who name, cure or explain them: it may depend on none of them",
	},
	"diagnose": {
		may: "noun",
		why: "what time was lost to is a function of evidence: no engine, no files, so that planted evidence " +
			"can test it",
	},
	"planted": {
		may: "diagnose noun splitmix",
		why: "a planted cause is a scenario and what must be said of it; its test runs it as a user would",
	},
	"parquet": {
		third: "github.com/klauspost/compress",
		why:   "it reads bytes that nobody vouches for, so it knows the format and nothing else",
	},
	"result": {
		may:   "diagnose input mfu noun output parquet qos shown telemetry",
		third: "github.com/goccy/go-yaml github.com/parquet-go/parquet-go",
		why:   "a run directory can be read without the simulator that wrote it",
	},
	"headline": {
		may: "chart mfu result",
		why: "the one table of what a run is known by: whoever shows figures takes names, units and meanings " +
			"from it",
	},
	"report": {
		may: "chart chart/svg chart/text diagnose headline mfu noun output qos result sheet shown",
		why: "a report must be possible from the run directory alone, also years later",
	},
	"netconf": {
		may: "inventory located qos topo wire",
		why: "switch configuration follows from names and thresholds, not from a run",
	},
	"lint": {
		may: "dcbx lldp located netconf netconf/dialects objects qos wire",
		why: "what is wrong with configurations follows from what they mean: nothing needs to run. Of dialects its " +
			"tests make use",
	},
	"lint/linttest": {
		may: "lint netconf netconf/dialects",
		why: "it holds configurations with mistakes for the tests of what finds and shows them",
	},
	"prove": {
		may: "board foresight hostboard hostinfo hostlint lint nccltopo netconf network plan qos result run " +
			"scenario switches topo",
		why: "it is a user of runs: it makes small networks of findings, and compares what their runs leave",
	},
	"lldp": {
		why: "what devices print of their neighbours is text: who of them is which device is for lint to find",
	},
	"hostinfo": {
		may: "board lazy lldp located nccltopo netconf",
		why: "what a server says about itself is a function of text, with places and classes of lines as netconf has " +
			"them, a board of NCCL's among it: what is wrong with it is above it",
	},
	"hostboard": {
		may: "board hostinfo nccltopo netconf",
		why: "a host's board is a function of what it says: what is wrong with it, and what it costs, is above it",
	},
	"hostlint": {
		may: "board hostboard hostinfo lint netconf",
		why: "what is wrong with hosts follows from what they say; findings are those of lint",
	},
	"hostinfo/hostinfotest": {
		may: "netconf",
		why: "it writes folders of hosts for the tests of what reads and judges them",
	},
	"dcbx": {
		may: "netconf wire",
		why: "what two ends make of what they tell each other is a function of both: who sends it is above it",
	},
	"netconf/lines": {
		may: "located netconf",
		why: "commands in blocks are syntax: what they mean is for the dialects that have the rules; netconf counts " +
			"lines by class",
	},
	"netconf/frr": {
		may: "inventory located netconf netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/eos": {
		may: "inventory located netconf netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/sonic": {
		may: "inventory located netconf netconf/frr netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/nvue": {
		may: "inventory located netconf netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/junos": {
		may: "located netconf netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/nxos": {
		may: "located netconf netconf/lines",
		why: "a dialect turns a device into text and back: whose device it is, is above it",
	},
	"netconf/dialects": {
		may: "netconf netconf/eos netconf/frr netconf/junos netconf/nvue netconf/nxos netconf/sonic",
		why: "the list of dialects, which cannot stand below them",
	},
	"netconf/qostest": {
		may:   "netconf",
		third: "github.com/google/go-cmp pgregory.net/rapid",
		why:   "what every dialect of quality of service must do is tested without knowing which it is",
	},
	"netconf/netconftest": {
		may:   "netconf scripttest",
		third: "github.com/google/go-cmp pgregory.net/rapid",
		why:   "it draws devices for the tests of dialects, holds what comes back against them, and plays their scripts",
	},
	"inventory/inventorytest": {
		may:   "inventory topo",
		third: "pgregory.net/rapid",
		why:   "it draws networks for the tests of what has names and addresses",
	},
	"rib": {
		may: "netconf",
		why: "what switches know of each other follows from their configurations: nothing needs to run",
	},
	"plan": {
		may: "balance board cc coll decoder decoder/layers decoder/times exec fabric faults hash inventory located " +
			"nccl nccltopo network nn nn/netfile pcie qos result scenario splitmix switches topo train transport " +
			"wire workload",
		why: "a plan is a function of the scenario and its files: run reads the files. Of what is not pure it " +
			"takes types and names alone: see onlyThese",
	},
	"switches": {
		may: "dcbx fabric inventory located netconf netconf/dialects qos scenario topo",
		why: "what each switch does is a function of the scenario, the graph and configurations: no job and no path is in it",
	},
	"transport": {
		may: "cc scenario wire",
		why: "what queue pairs are told is a function of the scenario: what they do, and what the network is, is for others",
	},
	"network": {
		may: "inventory located scenario topo transport",
		why: "a network is a function of the scenario and a topology file's text: what its switches do, and who sends, is above it",
	},
	"pcie": {
		may: "board nccltopo scenario topo",
		why: "what PCIe is inside hosts is a function of the scenario and a file's text: what happens on its links is for host",
	},
	"faults": {
		may: "fabric located pcie qos scenario switches topo",
		why: "what faults come to is a function of the scenario and its network: of fabric it takes types of parameters alone",
	},
	"images": {
		may: "fabric plan topo",
		why: "which parts of a network look alike is a function of the plan: of fabric it takes parameters alone; whether they do the " +
			"same only the run shows",
	},
	"spares": {
		may: "faults plan topo",
		why: "where a job can start again is a function of its plan: new queue pairs are the plan's, the end of a job is the run's",
	},
	"plan/plantest": {
		may: "dataset scenario",
		why: "it has the scenarios that tests of plans share",
	},
	"foresight": {
		may: "balance board coll dataset exec fabric hash images mfu network nn pcie plan qos result reuse scenario splitmix " +
			"survey switches topo train transport workload",
		why: "what a run will cost and where it will wait is a function of its plan: nothing is built from it",
	},
	"clue": {
		may: "fabric faults plan scenario topo",
		why: "what may be to blame at a place is a function of the plan: record asks it where time was lost, and judges nothing either",
	},
	"capture": {
		may: "fabric headers inventory network nic pcapng plan roce topo transport verbs wire",
		why: "it shows frames of a network as captures show them: it hears of them as record does, and decides nothing",
	},
	"reuse": {
		why: "whether a state was met before is asked of any components, by the names of their fields alone",
	},
	"record": {
		may: "cc clue coll diagnose exec fabric faults foresight mfu nccl nic nn noun plan qos result roce " +
			"scenario splitmix telemetry topo train transport workload",
		why: "it turns what happens in a run into tables and figures: what happens is for run and the engine",
	},
	"inside": {
		may: "nn result",
		why: "it looks into a network with nn's own layers and says what it saw as result's values; it knows no run",
	},
	"run": {
		may: "capture cc checkpoint coll contents corpus dataset decoder/times exec fabric faults foresight host " +
			"images input inside located machine nccltopo netconf nic nn nn/netfile pcie plan rank record result reuse " +
			"roce scenario sim spares switches topo train transport workload",
		why: "the only package that knows everything; it is below those that show it",
	},
	"launch": {
		may:   "endpoint exec input machine output rank result run scenario train wire workload",
		third: "golang.org/x/sys/unix",
		why: "it has processes run the ranks of package rank, with the real work that run prepares: what a run is, and what it " +
			"leaves, is for run; nothing but the command line knows of processes",
	},
	"perf": {
		may: "coll located nccl nccltests plan result scenario",
		why: "it says what a benchmark runs, as scenarios, and how its figures are counted: who runs them is above it; " +
			"plan says what NCCL's model takes on a scenario's cluster",
	},
	"commission": {
		may: "configs foresight inventory located nccltests perf plan result scenario sheet topo transport",
		why: "it says what to expect of a cluster, and holds what was measured against that: who runs the scenarios " +
			"that it wants simulated is above it",
	},
	"sweep": {
		may: "bayes chart formula headline input located machine objects output report result run scenario sheet shown splitmix",
		why: "it is a user of runs: it decides which and how many at once, and sees only what they leave; " +
			"its page is made as theirs are",
	},
	"bayes": {
		may: "nn splitmix",
		why: "which point is tried next follows from the values of those before it: what runs them, and what they are, is above it. " +
			"nn has exp and log whose bits are the same everywhere",
	},
	"batch": {why: "what starts workers is text from values: who asks for it, and what runs cost, is above it"},
	"fleet": {
		may:   "input machine output result run scenario shown sweep",
		third: "github.com/nats-io/nats-server/v2/server github.com/nats-io/nats.go github.com/nats-io/nats.go/jetstream",
		why:   "it carries jobs to workers and rows back: what a job is, and what comes of it, sweep says",
	},
	"tune": {
		may: "cc qos",
		why: "thresholds by formula, a search and a choice are arithmetic on facts and figures: who measures a point is " +
			"above it. Of cc it takes the fixed point of DCQCN",
	},
	"trial": {
		may: "cc chart foresight plan qos report result run scenario sweep switches topo transport tune",
		why: "it plays points of tune on a scenario's fabric, as sweep does, and shows what was found as report's pages; of " +
			"topo and cc it takes types",
	},
	"whatif": {
		may: "clue coll diagnose noun plan result run scenario sweep topo sheet",
		why: "it changes scenarios and compares what their runs leave; how a change acts is for the engine",
	},
	"bench": {
		may: "foresight machine nn output plan result run scenario splitmix",
		why: "it measures ordinary runs: what it runs is what a user can write, and holds beside it what foresight says of " +
			"them. Of nn it takes networks whose steps it times without a simulation, on examples drawn by splitmix; of a plan " +
			"those that its jobs train",
	},
	"validate": {
		may: "qos result run scenario sweep topo sheet",
		why: "it compares ordinary runs with known results: if it drove the engine itself, it would vouch for " +
			"something no user runs. Of topo it takes types, of qos the closed forms of buffer bounds",
	},
	"docs":     {why: "the documentation as files; manual makes pages of it"},
	"examples": {why: "the examples as files; what they mean, scenario says"},
	"manual": {
		may:   "report result shown",
		third: "github.com/yuin/goldmark",
		why:   "pages of the documentation are a function of its files: who writes them, and where, is above it",
	},
	"labs": {why: "the labs that come with Railyard as files; what they mean, lab says"},
	"lab": {
		may: "board chart chart/svg chart/text coll configs foresight formula hash input inventory labs located " +
			"netconf netconf/dialects network nn output plan report result run scenario sheet shown survey topo " +
			"wire workload",
		why: "a lab is a user of runs: it knows one by its directory. Of nn, coll and workload its benches show the " +
			"arithmetic and the schedules that runs use; of board, and of plan with its graph, survey and inventory, " +
			"what a network is before anything runs, and by netconf what its switches are told",
	},
	"web": {
		may: "chart chart/svg diagnose headline live qos report result shown",
		why: "it shows run directories: what is said of a run is report's, what lies in its tables result reads. What is posted " +
			"live runs",
	},
	"live": {
		may: "input machine output result shown",
		why: "it starts processes and sees what they leave: what a scenario is, and how it runs, is theirs to know",
	},
	"starter": {
		may: "located run scenario topo",
		why: "scenarios to start from are templates of answers: who asks, and where they are written, is above",
	},
	"predict": {
		may: "dataset located nn run",
		why: "what weights make of an image or a prompt is a value: whose file it is, and how it is printed, is above",
	},
	"export": {
		may: "dump input output result run telemetry topo whatif",
		why: "it makes files of what result and dump write: which of them, and what is said of them, is for the command line",
	},
	"collected": {
		may: "dump hostinfo input lint lldp located machine netconf telemetry topo",
		why: "what lies in folders of devices becomes values of rooms that read text: who asked, and what it is held against, is " +
			"above. Of netconf/dialects its tests make use",
	},
	"configs": {
		may: "fabric inventory located netconf network plan qos scenario switches topo",
		why: "how a plan's switches are to be configured is a function of it: whose words it is put into, and who asks, is above",
	},
	"intent": {
		may: "board commission configs foresight hostboard hostinfo hostlint inventory lint netconf network pcie " +
			"plan scenario topo transport",
		why: "what devices are meant to be follows from a plan: who holds devices against it, and prints it, is above",
	},
	"view": {
		may: "board coll collected configs decoder design foresight hash headline hostinfo intent inventory judge " +
			"lint located nccl nccltopo netconf network nn pcapng perf plan prove qos result rib run scenario " +
			"sheet shown sizing survey switches topo trial wire workload",
		why: "what is shown of a plan, a network or a run is a value and its text: who asked, and where it is printed, is above",
	},
	"cli/call": {
		may: "coll foresight input launch located machine output plan report result run scenario sheet shown sweep " +
			"topo",
		third: "github.com/spf13/cobra github.com/spf13/pflag golang.org/x/sys",
		why:   "what all commands share is streams, files and arguments: what any of them does is above it",
	},
	"cli/clitest": {
		may:   "cli/call output result scenario",
		third: "github.com/rogpeppe/go-internal",
		why:   "it plays scripts of the program that it is handed, so that tests of commands and of cli can share it",
	},
	"cli/rdmacmd": {
		may:   "cli/call endpoint located output perf rdma",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; sockets and measurements are below",
	},
	"cli/devicecmd": {
		may: "board cli/call collected configs hostboard hostinfo hostlint input intent lint netconf " +
			"netconf/dialects network output plan prove result rib scenario sheet topo view",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; what devices mean, and what is wrong with them, is below",
	},
	"cli/perfcmd": {
		may: "cli/call coll commission dataset foresight input inventory launch located nccl nccltests network ns3 " +
			"output perf plan result run scenario view whatif",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; sweeps, their scenarios and their figures are below",
	},
	"cli/benchcmd": {
		may:   "bench cli/call foresight machine nn result scenario",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; what is run, and how it is counted, is below",
	},
	"cli/designcmd": {
		may:   "cli/call design located result scenario shown view",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; networks and their bills are below",
	},
	"cli/topocmd": {
		may:   "board cli/call configs containerlab hash input located nccltopo output pcie plan scenario view",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; networks in other tools' forms, and hashes, are below",
	},
	"cli/labcmd": {
		may:   "cli/call docs examples input lab located manual output result",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; labs and the documentation are below",
	},
	"cli/reportcmd": {
		may: "cli/call collected dump input judge located output report result run scenario sweep telemetry topo " +
			"view whatif",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; what limited a run is said below",
	},
	"cli/showcmd": {
		may: "cli/call cli/devicecmd coll decoder foresight input output plan report result run scenario " +
			"scenario/schema sheet view",
		third: "github.com/spf13/cobra",
		why:   "commands of one topic: arguments and what is printed; values and their texts are view's",
	},
	"cli": {
		may: "batch cli/benchcmd cli/call cli/designcmd cli/devicecmd cli/labcmd cli/perfcmd cli/rdmacmd " +
			"cli/reportcmd cli/showcmd cli/topocmd coll configs endpoint examples export fleet foresight headline " +
			"input lab launch live located machine netconf netconf/dialects nn output plan predict report result " +
			"run scenario scenario/schema sheet shown starter sweep topo trial tune validate view web whatif workload",
		third: "github.com/spf13/cobra github.com/spf13/pflag golang.org/x/sys",
		why:   "commands are a user of everything but the engine's insides, which run wires",
	},
	"arrows": {why: "it holds only tests"},

	"scenario/schema": {
		may: "scenario topo",
		why: "it writes the table of keys for editors: what a scenario is, scenario says; of topo it takes names of designs",
	},
	"scenario/reference": {
		may: "catalogue scenario",
		why: "it writes the table of keys for people; nothing but its test runs it",
	},
	"scenario/scenariotest": {
		may:   "located scenario",
		third: "pgregory.net/rapid",
		why:   "it draws files for the tests of scenario and schema, as a user could write them",
	},

	"scripttest": {why: "it reads scripts and plays them: on what is for the test that has them"},

	"tools/absent/lz4": {why: "it stands in for a module that parquet-go names and nothing here uses"},

	"tools/built":   {why: "it builds the program for tools that run it as a user does"},
	"tools/figures": {may: "bench tools/built unit", why: "it runs the program as a user does, and reads what bench prints"},
	"tools/readme":  {may: "tools/built", why: "it runs the program as a user does, and reads documents"},
	"tools/forecast": {may: "tools/built splitmix foresight bench", why: "it runs the program as a user " +
		"does, on scenarios that it draws, and fits costs to what is said and taken"},
	"tools/fleet":    {may: "run scenario splitmix", why: "it runs the program as a user does, and runs themselves to see what they cost"},
	"tools/failures": {may: "splitmix", why: "it runs the program as a user does, and kills it"},
	"tools/monsters": {may: "tools/built", why: "it runs the program as a user does"},
	"tools/confusion": {
		may: "diagnose dump judge noun planted result run scenario splitmix telemetry topo",
		why: "it plants faults in runs and counts how often they are named from telemetry",
	},
	"tools/islands": {
		may: "faultsearch result run scenario validate",
		why: "it forces partitions, which a user cannot; what it runs is what a user runs",
	},
	"tools/mutate": {
		may: "splitmix",
		why: "it runs the tests as a developer does; which mutants it draws, a seed says",
	},
	"tools/release": {why: "it puts what others built into archives, and reads of programs what they are made of"},
	"tools/pgo":     {may: "cli", why: "it runs the program as a user does, in one process, to see where its time goes"},
	"tools/tables": {
		may: "hash result run scenario splitmix unit",
		why: "it runs scenarios with keys set, as a user can, and writes what they came to as tables of docs",
	},
}

// Every import of non-test code is in the table.
func TestArrows(t *testing.T) {
	unknown := map[string]bool{}
	for _, f := range sources(t) {
		if _, known := rules[f.pkg]; f.test || !known && unknown[f.pkg] {
			continue // of a package that is not in the table, one file is enough
		} else if !known {
			unknown[f.pkg] = true
		}
		for _, problem := range checkArrows(f) {
			t.Error(problem)
		}
	}
}

func checkArrows(f file) (problems []string) {
	r, known := rules[f.pkg]
	if !known {
		return []string{fmt.Sprintf("%s: package %s is not in the table of internal/arrows: add a line that says "+
			"what it may import and why", f.name, f.pkg)}
	}
	for _, path := range f.imports {
		inner, own := strings.CutPrefix(path, module+"/")
		inner = packageIn(inner)
		switch {
		case own && inner != "unit" && inner != "cause" && !listed(r.may, inner):
			problems = append(problems, fmt.Sprintf("%s: %s imports %s, but may import only %s of this module: %s",
				f.name, f.pkg, inner, join("unit cause "+r.may), r.why))
		case !own && strings.Contains(strings.Split(path, "/")[0], ".") && !thirdParty(r.third, path):
			problems = append(problems, fmt.Sprintf("%s: %s imports %s, but may import only %s of other modules: "+
				"third-party code stays at the edges (files, command line), where it can be replaced and cannot "+
				"reach a result",
				f.name, f.pkg, path, join(r.third)))
		}
	}
	return problems
}

// The arrows have no cycle. (The compiler says so of imports that are there; this says so of what
// the table would allow.)
func TestTableHasNoCycle(t *testing.T) {
	done := map[string]bool{}
	var visit func(pkg string, way []string)
	visit = func(pkg string, way []string) {
		if slices.Contains(way, pkg) {
			t.Fatalf("the table allows a cycle: %s > %s", strings.Join(way, " > "), pkg)
		}
		if done[pkg] {
			return
		}
		r, known := rules[pkg]
		if !known {
			t.Errorf("%s may import %s, which has no line in the table", way[len(way)-1], pkg)
		}
		for next := range strings.FieldsSeq(r.may) {
			visit(next, append(slices.Clone(way), pkg))
		}
		done[pkg] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(rules)) {
		visit(pkg, nil)
	}
}

// What the checks refuse: without this, a check that looks at nothing would pass.
func TestForbiddenArrowsAreFound(t *testing.T) {
	for _, c := range []struct{ pkg, path, want string }{
		{"fabric", "railyard/internal/engine/roce", "knows no RDMA"},
		{"exec", "railyard/internal/engine/sim", "under any driver"},
		{"run", "railyard/internal/cli/cli", "below those that show it"},
		{"nn", "railyard/internal/job/train", "tensors know nothing of ranks"},
		{"sim", "github.com/spf13/cobra", "third-party code stays at the edges"},
		{"util", "fmt", "not in the table"},
	} {
		f := file{name: "x.go", pkg: c.pkg, imports: []string{c.path}}
		if got := checkArrows(f); len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%s importing %s: %q, want one problem with %q", c.pkg, c.path, got, c.want)
		}
	}
	for _, path := range []string{"railyard/internal/base/unit", "railyard/internal/net/topo", "fmt", "math/bits"} {
		if got := checkArrows(file{name: "x.go", pkg: "fabric", imports: []string{path}}); got != nil {
			t.Errorf("fabric importing %s: %q, want no problem", path, got)
		}
	}
}

func listed(list, pkg string) bool { return slices.Contains(strings.Fields(list), pkg) }

// thirdParty reports whether path lies in a module of the list.
func thirdParty(list, path string) bool {
	for m := range strings.FieldsSeq(list) {
		if path == m || strings.HasPrefix(path, m+"/") {
			return true
		}
	}
	return false
}

func join(list string) string {
	if fields := strings.Fields(list); len(fields) > 0 {
		return strings.Join(fields, ", ")
	}
	return "none"
}
