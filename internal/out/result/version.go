package result

// Version is the version of Railyard, written to every run.json.
const Version = "0.3.0"

// FormatVersion is the version of the run directory: it is raised when a column
// or a key of run.json changes its meaning or goes away.
const FormatVersion = 3
