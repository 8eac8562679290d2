package diag

// Nearest returns the candidate that is nearest to name, "" if none is near.
// Near is a Damerau-Levenshtein distance of at most a third of the longer
// name, and at least 1; among equals the first candidate wins.
func Nearest(name string, candidates []string) string {
	best, least := "", -1
	for _, c := range candidates {
		limit := max(max(len(name), len(c))/3, 1)
		if d := Distance(name, c); d > 0 && d <= limit && (least < 0 || d < least) {
			best, least = c, d
		}
	}
	return best
}

// DidYouMean returns "; did you mean x?" for the nearest candidate, "" if none
// is near.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Distance is the Damerau-Levenshtein distance of a and b in the restricted
// form: insertions, deletions, substitutions and transpositions of
// neighbours.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+unequal(x[i-1], y[j-1]))
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

func unequal(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
