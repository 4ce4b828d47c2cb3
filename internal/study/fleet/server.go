package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// A Server is a NATS server in this process.
type Server struct {
	ns     *server.Server
	token  string
	remove func()
}

// startLimit is how long a server may take to be ready.
const startLimit = 10 * time.Second

// Start starts a server in this process, without a socket unless listen names an address. Who connects by that needs the
// token. What it keeps is gone with it: rows are in the sweep's directory.
func Start(listen, token string) (*Server, error) {
	output.ClearTemporary() // a sweep that was killed left its queue
	dir, remove, err := output.Temporary("queue")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the queue: %w", input.Cause(err))
	}
	opt := &server.Options{ServerName: "railyard", DontListen: listen == "", JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
		DisableJetStreamBanner: true}
	if listen != "" {
		host, port, err := net.SplitHostPort(listen)
		n, bad := strconv.Atoi(port)
		if err != nil || bad != nil || n < 0 || n > 65535 {
			remove()
			return nil, fmt.Errorf("%q: want an address such as 127.0.0.1:4222", listen)
		}
		if opt.Host, opt.Port, opt.Authorization = host, n, token; n == 0 {
			opt.Port = server.RANDOM_PORT
		}
	}
	ns, err := server.NewServer(opt)
	if err != nil {
		remove()
		return nil, err
	}
	ns.Start()
	s := &Server{ns, token, remove}
	if !ns.ReadyForConnections(startLimit) {
		s.Stop()
		return nil, errors.New("the queue's server does not start; is the address in use?")
	}
	return s, nil
}

// Address is where the server listens, "" without a socket.
func (s *Server) Address() string {
	if a := s.ns.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// Conn is a connection to a server.
type Conn = nats.Conn

// Connect connects within the process.
func (s *Server) Connect(name string) (*nats.Conn, error) {
	opt := append(connecting(name), nats.InProcessServer(s.ns))
	if s.token != "" {
		opt = append(opt, nats.Token(s.token))
	}
	return nats.Connect("", opt...)
}

// Stop ends the server, and removes what it kept.
func (s *Server) Stop() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	s.remove()
}

// maxCredentials bounds files of credentials and certificates.
const maxCredentials = 1 << 20

// Access says how to connect to a server elsewhere.
type Access struct {
	URL string // nats://host:4222 or tls://host:4222, several with commas between
	// Credentials is a file: of a user of NATS (.creds: a token signed by the account, and its key), or one line, a token or
	// user:password. "": none.
	Credentials string
	CA          string // file of certificates that servers must be signed by; "": those of this machine
}

// Dial connects to a server elsewhere, and goes on trying when it is lost. No error shows what opens doors.
func Dial(a Access, name string) (*nats.Conn, error) {
	opt := connecting(name)
	if a.Credentials != "" {
		text, err := readCredentials(a.Credentials)
		if err != nil {
			return nil, err
		}
		user, password, pair := strings.Cut(text, ":")
		switch {
		case text == "":
			opt = append(opt, nats.UserCredentials(a.Credentials))
		case pair:
			opt = append(opt, nats.UserInfo(user, password))
		default:
			opt = append(opt, nats.Token(text))
		}
	}
	if a.CA != "" {
		text, err := input.Read(context.Background(), a.CA, maxCredentials)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.CA, input.Cause(err))
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: holds no certificate, want PEM", a.CA)
		}
		opt = append(opt, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	nc, err := nats.Connect(a.URL, opt...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", Shown(a.URL), err)
	}
	return nc, nil
}

// readCredentials reads what a file holds in one line; "" for one of a user of NATS, which is read by NATS itself, again each time
// that it connects.
func readCredentials(path string) (string, error) {
	text, err := input.Read(context.Background(), path, maxCredentials)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, input.Cause(err))
	}
	line := strings.TrimSpace(string(text))
	switch {
	case strings.Contains(line, "-----BEGIN NATS USER JWT-----"):
		return "", nil
	case line == "" || strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }):
		return "", fmt.Errorf("%s: want credentials of a user of NATS (.creds), or one line: a token, or user:password", path)
	}
	return line, nil
}

// Token is the one that a file holds. Where there is none, fresh is put there, for its owner alone to read.
func Token(path, fresh string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := output.WriteSecret(path, []byte(fresh+"\n")); err != nil {
			return "", fmt.Errorf("%s: %w", path, input.Cause(err))
		}
		return fresh, nil
	}
	token, err := readCredentials(path)
	if err == nil && (token == "" || strings.Contains(token, ":")) {
		err = fmt.Errorf("%s: want a token, in one line", path)
	}
	return token, err
}

// connecting are the options of every connection. One that is silent for ten seconds is given up: another server may be there.
func connecting(name string) []nats.Option {
	return []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.Timeout(5 * time.Second), nats.PingInterval(3 * time.Second), nats.MaxPingsOutstanding(2),
		nats.PermissionErrOnSubscribe(true)}
}

// Shown is a URL without what opens doors.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the server"
	}
	return u.Scheme + "://" + u.Host
}
