// Package rdmacmd has railyard rdma: server, client, ping and show, with the flags of queue pairs on real networks and perftest's
// table. What goes over the network is package rdma's.
package rdmacmd
