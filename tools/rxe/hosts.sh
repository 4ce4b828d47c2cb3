#!/usr/bin/env bash
# Runs the script of `railyard hosts collect` in VM 1, under busybox: links, routes and settings of the network are the same
# after it, and what it gathered is read without a line that is not understood. run.sh has started the VM.
#
#   hosts.sh RAILYARD        the program
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vm() { timeout 120 "$here/run.sh" exec 1 "$1"; }

text=$("$1" hosts collect | gzip -9c | base64 -w0)
vm 'rm -rf /tmp/collect /tmp/vm1; mkdir -p /tmp' >/dev/null
for ((i = 0; i < ${#text}; i += 900)); do # a command of the VM's shell has a line
	vm "printf %s '${text:i:900}' >>/tmp/collect" >/dev/null
done
# Counters change by themselves.
state='(ip link; ip addr; ip route show table all; ip rule; find /proc/sys/net -type f | sort | while read -r f; do
	case $f in *count | *entries | *flush*) ;; *) echo "$f $(cat "$f" 2>/dev/null)" ;; esac
done) | grep -v "[RT]X:\|^ *[0-9 ]*$" | tee /tmp/state | md5sum; wc -l </tmp/state'
before='' # a guest that has just started still gives itself addresses: it is waited for until it has none to add
for ((i = 0; i < 20; i++)); do
	now=$(vm "$(tr '\n' ' ' <<<"$state")")
	[ "$now" != "$before" ] || break
	before=$now
	sleep 2
done
vm 'cd /tmp; base64 -d collect | gunzip >collect.sh; sh collect.sh vm1; echo "ended $?"' >"$work/ran" # a pipe would end with grep's first line
grep -qx 'ended 0' "$work/ran"
after=$(vm "$(tr '\n' ' ' <<<"$state")")
[ "$(tail -1 <<<"$before")" -gt 100 ] && [ "$before" = "$after" ] || { echo "the script changed the VM's network: $before, $after"; exit 1; }
vm 'cd /tmp; tar cf - vm1 | gzip -9 | base64 -w0; echo' | tr -d '\n' | base64 -d | tar xzf - -C "$work"
"$1" hosts show "$work/vm1" | tee "$work/show"
grep -qE '^[1-9][0-9]+ lines understood, [0-9]+ of no matter, 0 not$' "$work/show"
grep -qE '^ +rxe0 +eth0 .* 1: 10\.99\.0\.2 ' "$work/show"
