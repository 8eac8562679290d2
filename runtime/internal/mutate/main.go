// Command mutate asks whether the tests of a package would notice a mistake
// in it. It changes one comparison, operator or constant of the source at a
// time and runs the tests: a mutant that they pass has survived. The source
// tree is not touched; go test sees each mutant through an overlay.
//
// Mutants that mean the same as the source are listed in equivalent.txt, each
// with a reason, and are counted apart. An entry that no longer names a
// surviving mutant is an error.
//
// It exits with 1 when less than -least percent of the mutants are killed.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

type config struct {
	dir        string   // of the package to mutate
	tests      []string // packages whose tests are run, in this order
	equivalent string   // file of the mutants that mean the same
	shard      shard
	list       bool
	workers    int
	timeout    time.Duration
	least      float64 // percent
}

// shard is the part number of all mutants, of parts.
type shard struct{ number, parts int }

func (s *shard) String() string { return fmt.Sprintf("%d/%d", s.number, s.parts) }

// Set reads "2/4", the second quarter.
func (s *shard) Set(text string) error {
	if _, err := fmt.Sscanf(text, "%d/%d", &s.number, &s.parts); err != nil {
		return err
	}
	if s.number < 1 || s.number > s.parts {
		return fmt.Errorf("want 1/%d to %[1]d/%[1]d", s.parts)
	}
	return nil
}

// of returns the shard's part of all: every parts-th one.
func (s *shard) of(all []mutant) []mutant {
	var part []mutant
	for i, m := range all {
		if i%s.parts == s.number-1 {
			part = append(part, m)
		}
	}
	return part
}

func main() {
	c := config{shard: shard{1, 1}}
	flag.StringVar(&c.dir, "package", "runtime/retry", "directory of the package to mutate")
	tests := flag.String("tests", "./runtime/retry,./runtime/internal/conformance", "packages whose tests must notice, in this order")
	flag.StringVar(&c.equivalent, "equivalent", "runtime/internal/mutate/equivalent.txt", "file of the mutants that mean the same as the source")
	flag.Var(&c.shard, "run", "run one part of the mutants only: 2/4 is the second quarter")
	flag.BoolVar(&c.list, "list", false, "list the mutants and run none")
	flag.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "mutants that are tested at a time")
	flag.DurationVar(&c.timeout, "timeout", 20*time.Second, "limit of each package's tests; a mutant beyond it is killed")
	flag.Float64Var(&c.least, "least", 95, "least percentage of mutants to be killed")
	flag.Parse()
	c.tests = strings.Split(*tests, ",")
	ok, err := mutate(c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// mutate does what c asks for and reports whether enough mutants are killed.
func mutate(c config) (bool, error) {
	mutants, err := packageMutants(c.dir)
	if err != nil {
		return false, err
	}
	mutants = c.shard.of(mutants)
	if c.list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return true, nil
	}
	text, err := os.ReadFile(c.equivalent)
	if err != nil {
		return false, err
	}
	known, err := parseEquivalents(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", c.equivalent, err)
	}
	results, err := runAll(c, mutants)
	if err != nil {
		return false, err
	}
	t := sum(mutants, results, known)
	for _, line := range t.lines {
		fmt.Println(line)
	}
	fmt.Printf("apart: %d equivalent, %d that do not compile; of the killed, %d by time\n", t.equivalent, t.broken, t.late)
	fmt.Printf("mutants: %d killed, %d survived, %.1f%% killed\n", t.killed, t.survived, t.percent())
	if c.shard.parts == 1 {
		err = known.unused()
	}
	return t.percent() >= c.least, err
}

// packageMutants returns the mutants of the non-test files in dir, in the
// order of the source.
func packageMutants(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := mutantsOf(file, src)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: nothing to mutate", dir)
	}
	return all, nil
}
