package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// A bom is a bill of materials (CycloneDX 1.5, cyclonedx.org/docs/1.5/json).
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []checksum `json:"hashes,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	Properties []named    `json:"properties,omitempty"`
}

type checksum struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type named struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// sbom lists the modules of a Go program, as `go version -m` does, with Go's own library.
func sbom(program string) ([]byte, error) {
	info, sum, err := read(program)
	if err != nil {
		return nil, err
	}
	main := module("application", info.Main.Path, info.Main.Version)
	main.Hashes = []checksum{{"SHA-256", sum}}
	main.Licenses = make([]licensed, 1)
	main.Licenses[0].License.ID = "Apache-2.0"
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") || strings.HasPrefix(s.Key, "GO") || s.Key == "CGO_ENABLED" {
			main.Properties = append(main.Properties, named{"go:build:" + s.Key, s.Value})
		}
	}
	all := []component{module("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range used(info) {
		c := module("library", m.Path, m.Version)
		c.Properties = []named{{"go:sum", m.Sum}}
		all = append(all, c)
	}
	on := make([]string, len(all))
	for i, c := range all {
		on[i] = c.Ref
	}
	b, err := json.MarshalIndent(bom{"CycloneDX", "1.5", 1, metadata{main}, all, []dependency{{main.Ref, on}}}, "", "  ")
	return append(b, '\n'), err
}

// module is one as a component: its name is a package URL of type golang (github.com/package-url/purl-spec).
func module(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}

// read returns what a program says of itself, and its SHA-256 in hexadecimal.
func read(program string) (*debug.BuildInfo, string, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, "", err
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", program, err)
	}
	sum := sha256.Sum256(data)
	return info, hex.EncodeToString(sum[:]), nil
}

// used lists the modules of others in a program. One that a folder of this repository replaces (tools/absent) is ours.
func used(info *debug.BuildInfo) (all []*debug.Module) {
	for _, m := range info.Deps {
		if m.Replace == nil {
			all = append(all, m)
		}
	}
	return all
}

// licences joins the licences and notices of what is in a program: those of its modules, from the module cache of this
// machine, and Go's.
func licences(program string) ([]byte, error) {
	info, _, err := read(program)
	if err != nil {
		return nil, err
	}
	cache, err := goEnv("GOMODCACHE")
	if err != nil {
		return nil, err
	}
	goRoot, err := goEnv("GOROOT")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("Licences of what is in this program beside Railyard, which is under the Apache License 2.0 (LICENSE).\n")
	if err := licence(&b, "Go "+strings.TrimPrefix(info.GoVersion, "go"), goRoot); err != nil {
		return nil, err
	}
	for _, m := range used(info) {
		if err := licence(&b, m.Path+" "+m.Version, filepath.Join(cache, folder(m))); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func goEnv(name string) (string, error) {
	out, err := exec.Command("go", "env", name).Output()
	return strings.TrimSpace(string(out)), err
}

// folder is where a module lies in the module cache: a capital letter is ! and the small one (go.dev/ref/mod#module-cache).
func folder(m *debug.Module) string {
	var b strings.Builder
	for _, r := range m.Path + "@" + m.Version {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return filepath.FromSlash(b.String())
}

// licence appends the licences and notices in a folder. A module without any is an error: it could not be handed on.
func licence(b *bytes.Buffer, of, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	seen := false
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		base, _, _ := strings.Cut(name, ".")
		if !f.Type().IsRegular() || base != "LICENSE" && base != "LICENCE" && base != "COPYING" && base != "NOTICE" && base != "PATENTS" {
			continue
		}
		seen = seen || base != "NOTICE" && base != "PATENTS"
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), of, f.Name(), bytes.TrimSpace(text))
	}
	if !seen {
		return fmt.Errorf("%s: no licence in %s", of, dir)
	}
	return nil
}
