// Command failures does to `railyard launch` what goes wrong in a cluster, many times each, and prints how long it took until
// everything had ended, with the worst, and every try that did not end as docs/launch.md says: the wrong exit code, another
// line, a process that is left.
//
//	go run ./tools/failures -railyard BIN [-tries 100] [-only REGEXP] [-restarts 30m] [-hosts 1] [-seed 1]
//
// It is run by hand: stopped processes take five seconds each. The case of a dropped interface wants root and ip, for it has
// two network namespaces. With -restarts it kills random ranks of one job that starts again each time, for so long, and holds
// the weights at the end against those of a run that nobody disturbed. With -hosts the job is of several, a namespace each;
// launchers are killed too, and spares take their places.
package main
