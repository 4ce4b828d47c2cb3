// Package junos is the words of Junos (QFX) for quality of service, as set commands.
//
//	classifiers           DSCP in bits --> forwarding class; a port's unit has one
//	forwarding-classes    forwarding class --> queue, and the priority that it pauses
//	congestion-notification-profile   DSCPs that pause; a port has one
//	scheduler-maps        forwarding class --> scheduler: share, ECN by a drop profile; a port has one
//
// A drop profile counts in percent of the queue: Fit takes lengths in bytes as parts of the lossless
// share of the buffer, and says so. Commands and their sources are in docs/config.md.
//
// Invariants: a forwarding class is TC and the number of its class; port N of a device is et-0/0/(N-1), part
// M of it et-0/0/(N-1):(M-1).
package junos
