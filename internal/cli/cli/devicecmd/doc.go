// Package devicecmd has the commands about switches and hosts as they are configured: config (render, parse, diff), lint, hosts
// (collect, show, expect, board, lint), show rib and show host. What a configuration means, and what is wrong with it, is said by
// netconf, lint, hostlint and view.
package devicecmd
