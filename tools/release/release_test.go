package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// built is a small static program for linux, built once.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "railyard")
	build := exec.Command("go", "build", "-o", file, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// tree is a folder with a program, a text and a folder, with dates and permissions as they happen to be.
func tree(t *testing.T, program []byte, when time.Time) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "railyard-1")
	write := func(name string, data []byte, mode os.FileMode) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, when, when); err != nil {
			t.Fatal(err)
		}
	}
	write("railyard", program, 0o700)
	write("sim/examples/a.yaml", []byte("name: a\n"), 0o600)
	write("LICENSE", []byte("as it is\n"), 0o664)
	return dir
}

// An archive has what the folder has, under its name, for everybody, and no date or user of this machine: made of two
// folders that differ in these alone it is the same bytes.
func TestArchivesAreTheSameBytes(t *testing.T) {
	for _, suffix := range []string{".tar.gz", ".zip"} {
		var packed [2][]byte
		for i := range packed {
			dir := tree(t, []byte("program"), time.Unix(int64(1e9+i*1e6), 0))
			file := filepath.Join(t.TempDir(), "x"+suffix)
			if err := release([]string{"pack", dir, file}); err != nil {
				t.Fatal(err)
			}
			packed[i], _ = os.ReadFile(file)
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: other dates make other bytes", suffix)
		}
		const want = "railyard-1/ 0755, railyard-1/LICENSE 0644, railyard-1/railyard 0755, railyard-1/sim/ 0755, " +
			"railyard-1/sim/examples/ 0755, railyard-1/sim/examples/a.yaml 0644"
		if got := names(t, suffix, packed[0]); got != want {
			t.Errorf("%s holds\n%s, want\n%s", suffix, got, want)
		}
	}
}

func TestLinksAreNotPacked(t *testing.T) {
	dir := tree(t, nil, time.Unix(1e9, 0))
	if err := os.Symlink("railyard", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := release([]string{"pack", dir, filepath.Join(t.TempDir(), "x.zip")}); err == nil {
		t.Error("a link was packed")
	}
}

func names(t *testing.T, suffix string, data []byte) string {
	t.Helper()
	var all []string
	add := func(name string, mode os.FileMode) {
		all = append(all, fmt.Sprintf("%s %04o", name, mode.Perm()))
	}
	if suffix == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			add(f.Name, f.Mode())
		}
		return strings.Join(all, ", ")
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for h := range untarred(t, z) {
		if h.Uid != 0 || h.Uname != "" || h.ModTime.Unix() != 0 {
			t.Errorf("%s: user %d %q, %v", h.Name, h.Uid, h.Uname, h.ModTime)
		}
		add(h.Name, h.FileInfo().Mode())
	}
	return strings.Join(all, ", ")
}

// untarred yields what a tar has.
func untarred(t *testing.T, r io.Reader) func(yield func(*tar.Header, []byte) bool) {
	return func(yield func(*tar.Header, []byte) bool) {
		for from := tar.NewReader(r); ; {
			h, err := from.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(from)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(h, data) {
				return
			}
		}
	}
}

// An image is read as a registry would: from the index to the manifest, the settings and the layer, each under the
// digest of its bytes. Its user is not root, nothing in it is a shell, and the working folder is the user's.
func TestAnImageHoldsTogether(t *testing.T) {
	program, err := os.ReadFile(built(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := release([]string{"image", tree(t, program, time.Unix(1e9, 0)), file}); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(file)
	files := map[string][]byte{}
	for h, data := range untarred(t, bytes.NewReader(data)) {
		files[h.Name] = data
	}
	if got := string(files["oci-layout"]); got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout: %s", got)
	}
	var top index
	decode(t, files["index.json"], &top)
	if p := top.Manifests[0].Platform; *p != (platform{"arm64", "linux"}) {
		t.Errorf("platform %+v, want what the program was built for", p)
	}
	var m manifest
	decode(t, blob(t, files, top.Manifests[0]), &m)
	var c config
	decode(t, blob(t, files, m.Config), &c)
	if c.Config.User != "65532:65532" || c.Architecture != "arm64" ||
		c.Config.Entrypoint[0] != "/railyard" || c.Config.WorkingDir != "/sim" {
		t.Errorf("settings %+v", c)
	}
	z, err := gzip.NewReader(bytes.NewReader(blob(t, files, m.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if got := "sha256:" + sum(layer); got != c.RootFS.DiffIDs[0] {
		t.Errorf("diff_ids has %s, the layer is %s", c.RootFS.DiffIDs[0], got)
	}
	var in []string
	for h, data := range untarred(t, bytes.NewReader(layer)) {
		in = append(in, h.Name)
		if mine := strings.HasPrefix(h.Name, "sim/"); mine != (h.Uid == 65532) {
			t.Errorf("%s belongs to %d", h.Name, h.Uid)
		}
		if h.Name == "railyard" && !bytes.Equal(data, program) {
			t.Error("the program is another")
		}
	}
	if got := strings.Join(in, " "); got != "LICENSE railyard sim/ sim/examples/ sim/examples/a.yaml" {
		t.Errorf("the layer holds %s", got)
	}
	var d []loaded
	decode(t, files["manifest.json"], &d)
	if files[d[0].Config] == nil || files[d[0].Layers[0]] == nil {
		t.Errorf("manifest.json leads nowhere: %+v", d)
	}
}

func blob(t *testing.T, files map[string][]byte, d descriptor) []byte {
	t.Helper()
	data, ok := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
	if !ok || len(data) != d.Size || "sha256:"+sum(data) != d.Digest {
		t.Fatalf("%+v: %d bytes with %s", d, len(data), sum(data))
	}
	return data
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// What is no static program for Linux makes no image.
func TestImagesWantAProgramForLinux(t *testing.T) {
	for _, program := range [][]byte{nil, []byte("#!/bin/sh\n")} {
		if err := release([]string{"image", tree(t, program, time.Unix(1e9, 0)), filepath.Join(t.TempDir(), "x.tar")}); err == nil {
			t.Errorf("%q became an image", program)
		}
	}
}

// The bill of materials of a program of this repository names each module that is in it, once, with its version and
// checksum, and Go's library; each has a licence that can be handed on.
func TestABillOfMaterialsNamesAllModules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gen")
	build := exec.Command("go", "build", "-o", file, "railyard/internal/learn/nn/kernel/gen")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := sbom(file)
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	decode(t, made, &b)
	version, err := exec.Command("go", "version", "-m", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"stdlib": true}
	for line := range strings.Lines(string(version)) {
		if f := strings.Fields(line); f[0] == "dep" {
			want[f[1]] = true
		}
	}
	if len(want) < 3 {
		t.Fatalf("the program has the modules %v: is this the right one?", want)
	}
	for _, c := range b.Components {
		if !want[c.Name] {
			t.Errorf("%s is not in the program, or twice in the list", c.Name)
		}
		delete(want, c.Name)
		if c.Version == "" || c.Name != "stdlib" && !strings.HasPrefix(c.Properties[0].Value, "h1:") {
			t.Errorf("%+v has no version, or no checksum", c)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	text, err := licences(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Components[1:] {
		if !strings.Contains(string(text), "\n"+c.Name+" "+c.Version+": ") {
			t.Errorf("no licence of %s %s", c.Name, c.Version)
		}
	}
}

// What stands in for a module (tools/absent) is part of Railyard, and not of the list.
func TestStandInsAreOurs(t *testing.T) {
	info := &debug.BuildInfo{Deps: []*debug.Module{
		{Path: "a.example/Used", Version: "v1.0.0"},
		{Path: "a.example/absent", Version: "v1.0.0", Replace: &debug.Module{Path: "./tools/absent/x"}},
	}}
	if got := used(info); len(got) != 1 || folder(got[0]) != filepath.FromSlash("a.example/!used@v1.0.0") {
		t.Errorf("used: %+v", got)
	}
}

// A module without a licence cannot be handed on.
func TestALicenceIsWanted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "NOTICE"), []byte("made by us"), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := licence(&b, "a.example v1.0.0", dir); err == nil {
		t.Error("a notice alone is taken for a licence")
	}
}
