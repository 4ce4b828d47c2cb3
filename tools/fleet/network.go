//go:build linux

package main

import (
	"errors"
	"fmt"
	"strings"
)

// Namespaces: two halves with a bridge each, and a cable between the bridges, which the partition takes down.
const (
	hub     = "rw-hub"
	cable   = "half1"
	servers = 3
)

// member is a namespace with an address, on one of the halves.
type member struct {
	name, address string
	half          int
}

var (
	sweeper = member{"rw-sweep", "10.77.0.20", 0}
	near    = member{"rw-near", "10.77.0.11", 0} // workers
	far     = member{"rw-far", "10.77.0.12", 1}  // likewise
)

// serverAt is the namespace of a server: the last one is in the other half.
func serverAt(i int) member {
	return member{fmt.Sprintf("rw-s%d", i+1), fmt.Sprintf("10.77.0.%d", i+1), i / (servers - 1)}
}

// network makes the namespaces and what is between them.
func (t *try) network() error {
	t.apart() //nolint:errcheck // of an earlier try that was killed
	all := []member{sweeper, near, far}
	for i := range servers {
		all = append(all, serverAt(i))
	}
	lines := []string{"netns add " + hub, "-n " + hub + " link add br0 type bridge", "-n " + hub + " link add br1 type bridge",
		"-n " + hub + " link add half0 type veth peer name half1", "-n " + hub + " link set half0 master br0 up",
		"-n " + hub + " link set half1 master br1 up", "-n " + hub + " link set br0 up", "-n " + hub + " link set br1 up"}
	for k, m := range all {
		lines = append(lines, "netns add "+m.name,
			fmt.Sprintf("-n %s link add eth0 type veth peer name port%d netns %s", m.name, k, hub),
			fmt.Sprintf("-n %s link set port%d master br%d up", hub, k, m.half),
			fmt.Sprintf("-n %s addr add %s/24 dev eth0", m.name, m.address), "-n "+m.name+" link set eth0 up",
			"-n "+m.name+" link set lo up")
	}
	for _, line := range lines {
		if err := command(append([]string{"ip"}, strings.Fields(line)...)...); err != nil {
			return fmt.Errorf("%w (want root)", err)
		}
	}
	return nil
}

// apart removes the namespaces.
func (t *try) apart() (err error) {
	names := []string{hub, sweeper.name, near.name, far.name}
	for i := range servers {
		names = append(names, serverAt(i).name)
	}
	for _, name := range names {
		err = errors.Join(err, command("ip", "netns", "del", name))
	}
	return err
}

// partition parts the halves, or joins them.
func (t *try) partition(parted bool) error {
	state := "up"
	if parted {
		state = "down"
	}
	return command("ip", "-n", hub, "link", "set", cable, state)
}

// certificate writes one for the servers, signed by itself: cert.pem, key.pem.
func (t *try) certificate() error {
	var at []string
	for i := range servers {
		at = append(at, "IP:"+serverAt(i).address)
	}
	return command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
		"/CN=fleet", "-addext", "subjectAltName="+strings.Join(at, ","), "-keyout", t.shared("key.pem"), "-out", t.shared("cert.pem"))
}

// startServer starts a server of the cluster.
func (t *try) startServer(i int, program string) (*process, error) {
	m := serverAt(i)
	var routes []string
	for k := range servers {
		if k != i {
			routes = append(routes, fmt.Sprintf("nats://%s:6222", serverAt(k).address))
		}
	}
	text := fmt.Sprintf(`server_name: s%d
listen: "%s:4222"
http: "127.0.0.1:8222"
jetstream { store_dir: "%s" }
authorization { token: "%s" }
tls { cert_file: "%s", key_file: "%s" }
cluster { name: fleet, listen: "%s:6222", routes: [%s] }
`, i+1, m.address, t.path(fmt.Sprintf("store%d", i+1)), t.token, t.shared("cert.pem"), t.shared("key.pem"), m.address,
		strings.Join(routes, ", "))
	name := fmt.Sprintf("server%d", i+1)
	if err := t.write(name+".conf", text); err != nil {
		return nil, err
	}
	return t.start(m.name, name, nil, program, "-c", t.path(name+".conf"))
}

// url is that of the servers, for sweeps and workers.
func (t *try) url() string {
	var all []string
	for i := range servers {
		all = append(all, fmt.Sprintf("tls://%s:4222", serverAt(i).address))
	}
	return strings.Join(all, ",")
}
