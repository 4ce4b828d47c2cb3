// Package docs holds the documentation as files, for railyard docs. Package manual makes pages of it.
package docs

import "embed"

// Files has the pages as Markdown, those in format too, and pictures.
//
//go:embed *.md format/*.md pictures
var Files embed.FS
