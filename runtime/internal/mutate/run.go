package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// result is what the tests made of a mutant.
type result int

const (
	survived result = iota
	killed
	late   // killed by the timeout
	broken // does not compile
)

// buildLimit is how long compiling and linking may take, besides the tests.
const buildLimit = 5 * time.Minute

// runAll tests every mutant, after the source itself.
func runAll(c config, mutants []mutant) ([]result, error) {
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for _, pkg := range c.tests { // also compiles what all mutants share
		if r, out := test(c, pkg, os.DevNull); r != survived {
			return nil, fmt.Errorf("the tests of the source itself fail:\n%s", out)
		}
	}
	results := make([]result, len(mutants))
	errs := make([]error, c.workers)
	next := make(chan int)
	var workers sync.WaitGroup
	for w := range c.workers {
		workers.Go(func() {
			dir := filepath.Join(temp, fmt.Sprint(w))
			for i := range next {
				if errs[w] == nil {
					results[i], errs[w] = run(c, mutants[i], dir)
				}
			}
		})
	}
	for i := range mutants {
		next <- i
		if (i+1)%50 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i+1, len(mutants))
		}
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// run tests one mutant, with files in dir.
func run(c config, m mutant, dir string) (result, error) {
	file, err := filepath.Abs(m.file)
	if err != nil {
		return broken, err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return broken, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return broken, err
	}
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return broken, err
	}
	if err := os.WriteFile(changed, m.apply(src), 0o644); err != nil {
		return broken, err
	}
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		return broken, err
	}
	for _, pkg := range c.tests {
		if r, _ := test(c, pkg, overlay); r != survived {
			return r, nil
		}
	}
	return survived, nil
}

// test runs the tests of one package until the first of them fails.
func test(c config, pkg, overlay string) (result, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout+buildLimit)
	defer cancel()
	args := []string{"test", "-vet=off", "-ldflags=-s -w", "-failfast", "-timeout", c.timeout.String()}
	if overlay != os.DevNull {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, pkg)...).CombinedOutput()
	switch {
	case err == nil:
		return survived, out
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return broken, out
	case bytes.Contains(out, []byte("panic: test timed out")):
		return late, out
	}
	return killed, out
}

// tally counts results.
type tally struct {
	killed, survived, equivalent, broken int
	late                                 int // of the killed
	lines                                []string
}

func (t tally) percent() float64 {
	return 100 * float64(t.killed) / float64(max(t.killed+t.survived, 1))
}

// sum counts the results and says which mutants survived.
func sum(mutants []mutant, results []result, known equivalents) tally {
	var t tally
	for i, m := range mutants {
		_, listed := known[m.change()]
		switch r := results[i]; {
		case r == broken:
			t.broken++
		case r != survived:
			t.killed++
			if r == late {
				t.late++
			}
		case listed:
			known[m.change()] = true
			t.equivalent++
		default:
			t.survived++
			t.lines = append(t.lines, "survived: "+m.String())
		}
	}
	return t
}
