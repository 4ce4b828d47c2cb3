// Package reportcmd has the commands that say what limited runs: report, compare, explain and diagnose. What is said is said by
// packages report and judge.
package reportcmd
