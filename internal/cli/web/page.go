package web

import (
	"bytes"
	"embed"
	"mime"
	"net/http"
	"path"
	"time"
)

//go:embed ui/dist
var dist embed.FS

//go:embed openapi.json
var openAPI []byte

// servePage answers with a file of the page.
func servePage(w http.ResponseWriter, r *http.Request, name string) error {
	if name == "" {
		name = "index.html"
	}
	b, err := dist.ReadFile(path.Join("ui/dist", path.Clean("/"+name)))
	if err != nil {
		return refuse(http.StatusNotFound, "there is no such page")
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	return nil
}
