#!/usr/bin/env bash
# Boots Linux's software RoCE in a VM, runs internal/endpoint's tests against it, and the script of `hosts collect` in it.
# Needs root, on Debian 12.
#
#   interop.sh [FLAGS OF go test...]   RXE_OUT: where the image is kept between calls (see build.sh)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export RXE_OUT=${RXE_OUT:-${TMPDIR:-/tmp}/rxe-$(id -u)} RXE_NS=${RXE_NS:-rxe$$}
[ -s "$RXE_OUT/vmlinux" ] && [ -s "$RXE_OUT/initrd.gz" ] || "$here/build.sh"
bin=$(mktemp -d)
trap '"$here/run.sh" stop; rm -rf "$bin"' EXIT
(cd "$here/../.." && go test -c -o "$bin/endpoint.test" ./internal/endpoint && go test -c -o "$bin/rdma.test" ./internal/rdma && go build -o "$bin/railyard" ./cmd/railyard)
"$here/run.sh" start 1
"$here/hosts.sh" "$bin/railyard"
for at in "10.99.0.2:18600 10.99.0.1" "[fd99::2]:18600 fd99::1"; do
	for p in endpoint rdma; do
		cd "$here/../../internal/$p"
		RAILYARD_RXE=$at ip netns exec "$RXE_NS" "$bin/$p.test" -test.run Kernel -test.v "$@"
	done
done
