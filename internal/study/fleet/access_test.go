package fleet

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"railyard/internal/study/sweep"
)

// certified is a certificate of 127.0.0.1, signed by itself, and a file of it.
func certified(t *testing.T) (*tls.Config, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		holding(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

func holding(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// user is a user of an account of an operator, whom a server trusts: its credentials, and what in them is secret.
func user(t *testing.T, o *server.Options) (creds string, secrets []string) {
	t.Helper()
	made := func(k nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		if err != nil {
			t.Fatal(err)
		}
		public, err := k.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return k, public
	}
	operator, ofOperator := made(nkeys.CreateOperator())
	account, ofAccount := made(nkeys.CreateAccount())
	_, ofSystem := made(nkeys.CreateAccount())
	one, ofUser := made(nkeys.CreateUser())
	claims := jwt.NewAccountClaims(ofAccount)
	claims.Limits.MemoryStorage, claims.Limits.DiskStorage = -1, -1
	trusted := jwt.NewOperatorClaims(ofOperator)
	trusted.SystemAccount = ofSystem
	resolver := &server.MemAccResolver{}
	for name, c := range map[string]jwt.Claims{ofAccount: claims, ofSystem: jwt.NewAccountClaims(ofSystem), ofOperator: trusted} {
		text, err := c.Encode(operator)
		if err == nil && name != ofOperator {
			err = resolver.Store(name, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	token, err := jwt.NewUserClaims(ofUser).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := one.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{trusted}, resolver, ofSystem
	return string(text), []string{string(seed), token}
}

// Sweeps and workers reach servers over TLS as a user of NATS, by a token, or by a password; what opens the server stands in no
// row, no file of the server, nothing that is told, and no error of those who are refused.
func TestAccess(t *testing.T) {
	all := variants(t, small, 3)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config, ca := certified(t)
	for _, way := range []struct {
		name string
		let  func(o *server.Options) (creds string, secrets []string)
		not  string // of another: it is refused
	}{
		{"token", func(o *server.Options) (string, []string) {
			o.Authorization = "sesame17"
			return "sesame17\n", []string{"sesame17"}
		}, "sesame18"},
		{"password", func(o *server.Options) (string, []string) {
			o.Username, o.Password = "ali", "baba:40"
			return "ali:baba:40", []string{"baba:40"}
		}, "ali:baba:41"},
		{"user", func(o *server.Options) (string, []string) { return user(t, o) }, ""},
	} {
		o := &server.Options{ServerName: "s", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
			NoSigs: true, NoLog: true, TLS: true, TLSConfig: config}
		text, secrets := way.let(o)
		if way.not == "" {
			way.not, _ = user(t, &server.Options{})
		}
		ns, err := server.NewServer(o)
		if err != nil {
			t.Fatal(way.name, err)
		}
		ns.Start()
		if !ns.ReadyForConnections(10 * time.Second) {
			t.Fatal(way.name, "the server does not start")
		}
		b := &bench{T: t, server: &Server{ns: ns}}
		access := Access{URL: "tls://" + ns.Addr().String(), Credentials: holding(t, "creds", text), CA: ca}
		ctx, cancel := context.WithCancel(t.Context())
		var conns [2]*Conn
		for i, name := range []string{"sweep", "worker"} {
			if conns[i], err = Dial(access, name); err != nil {
				t.Fatal(way.name, err)
			}
		}
		done := b.worker(ctx, "worker", conns[1])
		rows, err := b.away(&Engine{Conn: conns[0], Name: "small", ID: Identity([]byte(way.name))}, all)
		if err != nil || rowsText(t, rows) != rowsText(t, want) {
			t.Errorf("%s: %v, or other rows than in this process", way.name, err)
		}
		cancel()
		<-done
		said := rowsText(t, rows)
		b.told.Range(func(line, _ any) bool { said += fmt.Sprintln(line); return true })
		for wrong, a := range map[string]Access{"another": {access.URL, holding(t, "not", way.not), ca}, "none": {access.URL, "", ca},
			"no authority": {access.URL, access.Credentials, ""}} {
			nc, err := Dial(a, "stranger")
			if err == nil {
				nc.Close()
				t.Errorf("%s: with %s a stranger is let in", way.name, wrong)
				continue
			}
			said += err.Error()
		}
		for _, nc := range conns {
			nc.Close()
		}
		ns.Shutdown()
		ns.WaitForShutdown()
		for _, s := range append(secrets, way.not) {
			if strings.Contains(said, s) || below(t, o.StoreDir, s) {
				t.Errorf("%s: %q stands in what is told, or kept", way.name, s)
			}
		}
	}
}

// below reports whether a file in a folder holds a text.
func below(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all, err := os.ReadFile(path)
		found = found || bytes.Contains(all, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A file of credentials is one of a user of NATS, or one line; the token of a server in this process is made once, for its owner
// alone. No error shows what a file holds.
func TestCredentialFiles(t *testing.T) {
	for _, text := range []string{"", "\n", "two secrets", "secret\nsecret", "se\x00cret", "\xffsecret"} {
		if got, err := readCredentials(holding(t, "creds", text)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is taken as %q, %v", text, got, err)
		}
	}
	path := filepath.Join(t.TempDir(), "token")
	first, err := Token(path, "fresh-and-long-enough")
	second, again := Token(path, "another")
	if err != nil || again != nil || first != second || first != "fresh-and-long-enough" {
		t.Errorf("%q, %v; then %q, %v", first, err, second, again)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others may read it", info.Mode(), err)
	}
	for _, text := range []string{"me:secret", "-----BEGIN NATS USER JWT-----\nsecret"} {
		if _, err := Token(holding(t, "creds", text), "fresh"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
