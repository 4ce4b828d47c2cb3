#!/usr/bin/env bash
# Boots Linux's software RoCE in a VM, runs internal/engine/endpoint's tests against it, and the script of `hosts collect` in it.
# As root, on Debian 12, over a tap in a namespace and then over unix sockets; as another user, with an image that is there, over
# unix sockets alone.
#
#   interop.sh [FLAGS OF go test...]   RXE_OUT: where the image is kept between calls (see build.sh)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export RXE_OUT=${RXE_OUT:-${TMPDIR:-/tmp}/rxe-$(id -u)} RXE_NS=${RXE_NS:-rxe$$}
[ -s "$RXE_OUT/vmlinux" ] && [ -s "$RXE_OUT/initrd.gz" ] || "$here/build.sh"
bin=$(mktemp -d)
trap '[ "$(id -u)" != 0 ] || "$here/run.sh" stop; rm -rf "$bin"' EXIT
(cd "$here/../.." && go test -c -o "$bin/endpoint.test" ./internal/engine/endpoint && go test -c -o "$bin/rdma.test" ./internal/engine/rdma && go build -o "$bin/railyard" ./cmd/railyard)
# once PACKAGE AT FLAG...: runs the tests whose names begin with TestKernel.
once() {
	local p=$1 at=$2
	shift 2
	(cd "$here/../../internal/engine/$p" && RAILYARD_RXE=$at $inside "$bin/$p.test" -test.run Kernel -test.v "$@")
}
# tests PACKAGE AT FLAG...: runs them. Where the guest's kernel has ended meanwhile, it says its last words, another guest is started,
# and they run once more: how often Linux's own software RoCE panics is not what is tested. What fails otherwise has failed.
tests() {
	once "$@" && return
	! grep -q qemu "/proc/$(cat "$vm/vm1.pid")/cmdline" 2>/dev/null || return 1 # of one that has ended nothing stands there
	echo "the guest has ended; the last of its console:"
	tail -n 80 "$vm/vm1.console"
	again
	once "$@"
}
if [ "$(id -u)" = 0 ]; then
	inside="ip netns exec $RXE_NS" vm=${RXE_RUN:-$RXE_OUT/run-$RXE_NS}
	again() { "$here/run.sh" stop && "$here/run.sh" start 1; }
	"$here/run.sh" start 1
	"$here/hosts.sh" "$bin/railyard"
	for at in "10.99.0.2:18600 10.99.0.1" "[fd99::2]:18600 fd99::1"; do
		tests endpoint "$at" "$@"
		tests rdma "$at" "$@"
	done
fi
inside= # what follows leaves out the tests that losses make slow: they do not depend on the way
vm=$bin/vm
again() { "$here/run.sh" dgram "$vm"; }
again
trap 'kill "$(cat "$bin/vm/vm1.pid")"; [ "$(id -u)" != 0 ] || "$here/run.sh" stop; rm -rf "$bin"' EXIT
for at in "10.99.0.1 10.99.0.2" "fd99::1 fd99::2"; do
	tests endpoint "$bin/vm $at" -test.run 'Kernel(Atomics|IsSilent|Requests|Refuses|IsRefused|IsRead)' "$@"
done
