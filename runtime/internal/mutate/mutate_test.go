package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const fixture = "testdata/fixture.go.txt"

func fixtureMutants(t *testing.T) ([]byte, []mutant) {
	t.Helper()
	src, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutantsOf(fixture, src)
	if err != nil {
		t.Fatal(err)
	}
	return src, mutants
}

func TestMutants(t *testing.T) {
	src, mutants := fixtureMutants(t)
	want := []string{
		"5 : const wait = 21 * time.Second",
		"5 : const wait = 19 * time.Second",
		"5 : const wait = 0 * time.Second",
		"5 : const wait = 20 / time.Second",
		"5 : const wait = 20 * (time.Second+1)",
		"5 : const wait = 20 * (time.Second-1)",
		"5 : const wait = 20 * (0*time.Second)",
		"10 box.fill: if !(open && b.n < 1) {",
		"10 box.fill: if !(open) && b.n < 1 {",
		"10 box.fill: if open || b.n < 1 {",
		"10 box.fill: if open && b.n <= 1 {",
		"10 box.fill: if open && b.n >= 1 {",
		"10 box.fill: if open && b.n < 2 {",
		"10 box.fill: if open && b.n < 0 {",
		"11 box.fill: b.n -= 2",
		"11 box.fill: b.n += 3",
		"11 box.fill: b.n += 1",
		"11 box.fill: b.n += 0",
		"14 box.fill: case !(full):",
		"15 box.fill: return open",
		"17 box.fill: return max(b.n, 0) == 0",
		"17 box.fill: return min(b.n, 1) == 0",
		"17 box.fill: return min(b.n, -1) == 0",
		"17 box.fill: return min(b.n, 0) != 0",
		"17 box.fill: return min(b.n, 0) == 1",
		"17 box.fill: return min(b.n, 0) == -1",
		"20 half: func half(x float64) float64 { return (1.1*0.5) * x }",
		"20 half: func half(x float64) float64 { return (0.9*0.5) * x }",
		"20 half: func half(x float64) float64 { return 0.0 * x }",
		"20 half: func half(x float64) float64 { return 0.5 / x }",
	}
	var got []string
	lines := strings.Split(string(src), "\n")
	for _, m := range mutants {
		got = append(got, fmt.Sprintf("%d %s: %s", m.line, m.function, m.after))
		changed := strings.Split(string(m.apply(src)), "\n")
		if oneLine(changed[m.line-1]) != m.after || oneLine(lines[m.line-1]) != m.before {
			t.Errorf("%v: the changed line is %q", m, changed[m.line-1])
		}
		changed[m.line-1] = lines[m.line-1]
		if !slices.Equal(changed, lines) {
			t.Errorf("%v changes other lines too", m)
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("mutants from number %d:\n%s\nwant\n%s", i, strings.Join(got[min(i, len(got)):], "\n"), strings.Join(want[min(i, len(want)):], "\n"))
		}
	}
}

// TestSum counts four mutants of one line, of which one survives and one is
// listed as equivalent.
func TestSum(t *testing.T) {
	_, mutants := fixtureMutants(t)
	known, err := parseEquivalents(`# a comment

fixture.go.txt
- const wait = 20 * time.Second
+ const wait = 19 * time.Second
+ const wait = 20 / time.Second
no one waits
`)
	if err != nil {
		t.Fatal(err)
	}
	got := sum(mutants[:6], []result{survived, survived, broken, killed, late, killed}, known)
	if got.killed != 3 || got.survived != 1 || got.equivalent != 1 || got.broken != 1 || got.late != 1 || got.percent() != 75 {
		t.Errorf("tally %+v", got)
	}
	if want := []string{"survived: " + fixture + ":5: const wait = 20 * time.Second  →  const wait = 21 * time.Second"}; !slices.Equal(got.lines, want) {
		t.Errorf("survivors %q, want %q", got.lines, want)
	}
	if err := known.unused(); err == nil || !strings.Contains(err.Error(), "20 / time.Second") || strings.Contains(err.Error(), "→  const wait = 19") {
		t.Errorf("a listed mutant that is killed: error %v", err)
	}
	if _, err := parseEquivalents("fixture.go.txt\n- a\n+ b\n"); err == nil {
		t.Error("an entry without a reason is taken")
	}
}

func TestShard(t *testing.T) {
	_, mutants := fixtureMutants(t)
	seen := 0
	for _, text := range []string{"1/3", "2/3", "3/3"} {
		var s shard
		if err := s.Set(text); err != nil {
			t.Fatal(err)
		}
		seen += len(s.of(mutants))
	}
	if seen != len(mutants) {
		t.Errorf("the parts have %d mutants of %d", seen, len(mutants))
	}
	for _, text := range []string{"", "0/3", "4/3", "1/0"} {
		if err := new(shard).Set(text); err == nil {
			t.Errorf("part %q is taken", text)
		}
	}
}
