// Goroutines, signals, children and a panic.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	var group sync.WaitGroup
	sums := make([]int, 200)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for n := 0; n < 100000; n++ {
				sums[i] += n
			}
		}(i)
	}
	group.Wait()
	fmt.Println(sums[0], sums[199])
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-arrived, signal.Ignored(syscall.SIGHUP), signal.Ignored(syscall.SIGPIPE))
	child := exec.Command("sh", os.Args[1])
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	fmt.Println(child.Run())
	defer os.Exit(11)
	var none []int
	defer func() { fmt.Fprintln(os.Stderr, "recovered:", recover()) }()
	fmt.Println(none[len(os.Args)])
}
