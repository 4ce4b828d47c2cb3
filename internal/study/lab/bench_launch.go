package lab

import "fmt"

var launchBench = Bench{
	Meaning: "processes that are started on several hosts: their ranks, and their connections to rank 0",
	Params: []Param{
		{Name: "nodes", Meaning: "hosts, --nnodes, 1 to 8", Default: 2.0},
		{Name: "per_node", Meaning: "processes of each host, --nproc_per_node, 1 to 16", Default: 4.0},
		{Name: "address", Meaning: "where rank 0 listens, --master_addr", Default: "192.168.10.101"},
		{Name: "port", Meaning: "the port it listens on, --master_port", Default: 12345.0},
	},
	Run: runLaunch,
}

// loopback is the address of the own host.
const loopback = "127.0.0.1"

func runLaunch(a Args) (*Shown, error) {
	nodes, err := a.Whole("nodes", 1, 8)
	if err != nil {
		return nil, err
	}
	per, err := a.Whole("per_node", 1, 16)
	if err != nil {
		return nil, err
	}
	port, err := a.Whole("port", 1, 65535)
	if err != nil {
		return nil, err
	}
	t := Table{Name: "ranks", Title: "Ranks, and where each connects to",
		Columns: []string{"node rank", "local rank", "global rank", "connects to", "unique id"}}
	remote, local := 0, 0
	for node := range nodes {
		for l := range per {
			to, id := fmt.Sprintf("%s:%d", a.Text("address"), port), "from rank 0"
			switch {
			case node == 0 && l == 0:
				to, id = "(listens)", "makes it"
			case node == 0:
				to = fmt.Sprintf("%s:%d", loopback, port)
				local++
			default:
				remote++
			}
			t.Rows = append(t.Rows, []string{fmt.Sprint(node), fmt.Sprint(l), fmt.Sprint(node*per + l), to, id})
		}
	}
	s := &Shown{Tables: []Table{t}}
	s.add("world", float64(len(t.Rows)), fmt.Sprintf("%d * %d", nodes, per), "ranks, nnodes * nproc_per_node")
	s.add("connections", float64(remote+local), fmt.Sprintf("%d - 1", nodes*per), "connections to rank 0: every other rank has one")
	s.add("remote", float64(remote), fmt.Sprintf("(%d - 1) * %d", nodes, per), "of them from other hosts, to the address")
	s.add("local", float64(local), fmt.Sprintf("%d - 1", per), "of them from its own host, to "+loopback)
	return s, nil
}
