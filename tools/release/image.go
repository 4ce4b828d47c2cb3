package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// An image holds the program, the examples and nothing else: no shell, no libraries, no package manager. Its user
// is no user of the machine, and owns the folder in which it works.
const (
	user    owner = 65532 // "nonroot" in images without a distribution
	program       = "railyard"
	workdir       = "sim"
)

// A descriptor says what a blob is (OCI Image Format Specification 1.1, descriptor.md).
type descriptor struct {
	MediaType string    `json:"mediaType"`
	Digest    string    `json:"digest"`
	Size      int       `json:"size"`
	Platform  *platform `json:"platform,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

const oci = "application/vnd.oci.image."

// index is index.json (image-index.md).
type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

// manifest is a blob (manifest.md).
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

// config is a blob (config.md).
type config struct {
	platform
	Config process `json:"config"`
	RootFS rootfs  `json:"rootfs"`
}

type process struct {
	User       string
	Entrypoint []string
	Cmd        []string
	WorkingDir string
}

type rootfs struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

// A loaded is an entry of manifest.json, which `docker load` reads where it does not know the layout of OCI.
type loaded struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// image makes an OCI image as a tar of its layout (image-layout.md): one layer with all entries, of which one is the
// program. For which processor it is, the program says.
func image(all []entry) ([]byte, error) {
	at := slices.IndexFunc(all, func(e entry) bool { return e.name == program })
	if at < 0 {
		return nil, fmt.Errorf("there is no %s in it", program)
	}
	machine, err := builtFor(all[at].data)
	if err != nil {
		return nil, err
	}
	owns := func(name string) owner {
		if strings.HasPrefix(name, workdir+"/") || name == "tmp/" {
			return user
		}
		return 0
	}
	var plain, layer bytes.Buffer
	if err := tarred(&plain, all, owns); err != nil {
		return nil, err
	}
	z, err := gzip.NewWriterLevel(&layer, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(plain.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return layout(machine, digest(plain.Bytes()), layer.Bytes())
}

// layout puts the blobs of an image and what leads to them into a tar.
func layout(machine platform, diff string, layer []byte) ([]byte, error) {
	var blobs []entry
	blob := func(kind string, data []byte) descriptor {
		d := digest(data)
		blobs = append(blobs, entry{"blobs/sha256/" + strings.TrimPrefix(d, "sha256:"), 0o644, data})
		return descriptor{MediaType: oci + kind, Digest: d, Size: len(data)}
	}
	packed := blob("layer.v1.tar+gzip", layer)
	settings := blob("config.v1+json", text(config{machine,
		process{fmt.Sprintf("%d:%d", user, user), []string{"/" + program}, []string{"--help"}, "/" + workdir},
		rootfs{"layers", []string{diff}}}))
	whole := blob("manifest.v1+json", text(manifest{2, oci + "manifest.v1+json", settings, []descriptor{packed}}))
	whole.Platform = &machine
	slices.SortFunc(blobs, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	named := func(d descriptor) string { return "blobs/sha256/" + strings.TrimPrefix(d.Digest, "sha256:") }
	all := append([]entry{{"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}, blobs...)
	all = append(all,
		entry{"index.json", 0o644, text(index{2, oci + "index.v1+json", []descriptor{whole}})},
		entry{"manifest.json", 0o644, text([]loaded{{named(settings), []string{"railyard:latest"}, []string{named(packed)}}})},
		entry{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	var b bytes.Buffer
	err := tarred(&b, all, root)
	return b.Bytes(), err
}

// builtFor reads from a Go program for what it was built. An image holds programs for Linux that need nothing beside
// them.
func builtFor(program []byte) (platform, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return platform{}, err
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["GOOS"] != "linux" || set["CGO_ENABLED"] != "0" {
		return platform{}, fmt.Errorf("the program is for %s with CGO_ENABLED=%s, want linux and 0", set["GOOS"], set["CGO_ENABLED"])
	}
	return platform{set["GOARCH"], "linux"}, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// text is a value of ours as JSON.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("release: " + err.Error())
	}
	return b
}
