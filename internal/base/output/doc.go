// Package output writes what the program leaves on a disk. Every file, folder and lock of ours is made here, so that
// one place knows how a file gets its name, and what a stranger's folder may do to it.
//
//	a file the user names      Write, Create ---> temporary in its folder, write, sync, rename
//	a folder the user names    Open, Make, Hold -> *Folder, and through it all that lies below
//	a folder of our own        Temporary; ClearTemporary removes those of dead processes
//
// Invariants
//
//   - A file is there whole under its name, or not at all: it is written under a name that nobody can foresee, made
//     exclusively in the same folder, and renamed.
//   - Nothing below a Folder is reached through a path: a Folder is an open directory, and stays the one that it was
//     if somebody moves or replaces it meanwhile.
//   - A link inside a Folder is never followed on the way to a file that is written. In place of a file it is replaced
//     and what it leads to stays as it is; in place of a folder it is refused. A link that the user names, or that is
//     part of the path to a folder that the user names, is the user's and is followed; in place of a file that the
//     user names it is replaced like any file.
//   - What is there and is no file (a folder, a FIFO, a device, a socket) is not replaced and not written to. Of
//     devices a user may name the streams of Streams, which are written directly.
//   - Of two that want to Hold one folder, the second gets a *Busy with the first one's process. A lock whose owner is
//     dead is free.
//   - A folder of our own is removed by who made it, or when its maker is dead; that of a living process by nobody else.
package output
