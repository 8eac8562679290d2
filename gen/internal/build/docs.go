package build

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

var (
	htmlTag      = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--[\s\S]*?-->`)
	htmlBlock    = regexp.MustCompile(`(?i)</?(?:p|ul|ol|dl|dd|dt|note|important|div|h[1-6]|br|table|tr|pre|section|title)(?:\s[^<>]*)?/?>`)
	htmlItem     = regexp.MustCompile(`(?i)\s*<li(?:\s[^<>]*)?>(?:\s|<p>)*`)
	htmlTitle    = regexp.MustCompile(`(?i)<fullname>[\s\S]*?</fullname>`)
	markdownLink = regexp.MustCompile(`!?\[([^\[\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)`)
	markdownBold = regexp.MustCompile(`\*\*([^*\n]+)\*\*|__([^_\n]+)__`)
	markdownHead = regexp.MustCompile(`(?m)^#{1,6}\s+(.*?)\s*#*$`)
	markdownRule = regexp.MustCompile(`(?m)^\s*(?:-{3,}|\*{3,}|_{3,}|` + "```" + `\S*)\s*$`)
	blankLines   = regexp.MustCompile(`\n[ \t]*\n\s*`)
	listItem     = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
)

// plain returns a description as paragraphs of plain text, separated by blank
// lines; items of lists are lines that begin with "  - ", as in Go doc
// comments.
func plain(description string) string {
	text := strings.ReplaceAll(description, "\r\n", "\n")
	if htmlTag.MatchString(text) {
		text = htmlTitle.ReplaceAllString(text, "\n\n")
		text = htmlItem.ReplaceAllString(text, "\n\n- ")
		text = htmlBlock.ReplaceAllString(text, "\n\n")
		text = htmlTag.ReplaceAllString(text, "")
	}
	text = html.UnescapeString(text)
	text = markdownHead.ReplaceAllString(text, "\n\n$1\n\n")
	text = markdownRule.ReplaceAllString(text, "\n\n")
	text = markdownLink.ReplaceAllString(text, "$1")
	text = markdownBold.ReplaceAllString(text, "$1$2")
	text = strings.ReplaceAll(text, "`", "")
	text = strings.Map(printable, text)
	var paragraphs []string
	for _, block := range blankLines.Split(strings.TrimSpace(text), -1) {
		paragraphs = append(paragraphs, lines(block)...)
	}
	return joinParagraphs(paragraphs)
}

// printable drops what a comment cannot hold.
func printable(r rune) rune {
	switch {
	case r == '\n':
		return r
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}

// lines joins the lines of one block; each item of a list stays apart.
func lines(block string) []string {
	var out []string
	for line := range strings.SplitSeq(block, "\n") {
		line = strings.TrimSpace(line)
		mark := listItem.FindString(line)
		text := strings.Join(strings.Fields(line[len(mark):]), " ")
		switch {
		case text == "":
		case mark != "":
			out = append(out, "  - "+text)
		case len(out) == 0:
			out = append(out, text)
		default:
			out[len(out)-1] += " " + text
		}
	}
	return out
}

// joinParagraphs puts blank lines between paragraphs, and none between the
// items of a list.
func joinParagraphs(paragraphs []string) string {
	var b strings.Builder
	item := false
	for i, p := range paragraphs {
		previous := item
		item = strings.HasPrefix(p, "  - ")
		switch {
		case i == 0:
		case item && previous:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}

// paragraphs joins the parts that are not empty.
func paragraphs(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}

// article are the words by which a description of a thing begins.
var article = wordSet(`a an the one what where when how why whether any some all information details
	data each every another`)

// verbs are those by which descriptions of operations begin.
var verbs = wordSet(`abort accept acknowledge activate add allow allocate answer append apply approve archive
	assign associate attach authorize backup batch begin block build buy call cancel change charge check claim clear clone
	close collect compare complete compute configure confirm connect convert copy count create deactivate
	decline decrypt define delete deliver deny deploy deprecate deregister describe destroy detach detect
	determine disable disassociate discard disconnect discover dismiss display download drop duplicate edit embed
	empty enable encrypt end enqueue ensure estimate evaluate exchange execute exist expand expire export
	extend extract fetch fill filter find finish flush follow forget generate get give grant handle hide
	identify import increase index initialize initiate insert inspect install invalidate invite invoke issue
	join leave let link list load lock log look make manage map mark merge migrate modify move mute name notify
	obtain open order overwrite park patch pause pay perform ping place play poll post prepare preview process
	produce promote provide provision publish pull purge push put query queue quote raise reach read rebuild
	receive record redeem refresh refund register reject release reload remove rename render renew reopen
	reorder repeat replace reply report request require reserve reset resolve restart restore resume retrieve
	return revert review revoke rotate run save scan schedule search see select send set share show sign skip
	sort split star start stop store stream submit subscribe summarize suspend switch sync synchronize tag take tell
	terminate test toggle track trade transfer transform translate trigger turn unarchive unassign undo uninstall unlink
	unlock unmute unpublish unregister unset unstar unsubscribe untag update upgrade upload upsert use validate verify
	view void wait watch withdraw write contain hold represent specify indicate define be`)

// third returns a verb in the third person: list is lists, copy is copies.
func third(verb string) string {
	switch {
	case verb == "be":
		return "is"
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsAny(verb[len(verb)-2:len(verb)-1], "aeiou"):
		return verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"),
		strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "z"), strings.HasSuffix(verb, "o"):
		return verb + "es"
	}
	return verb + "s"
}

// thirds are the verbs in the third person.
var thirds = func() map[string]bool {
	set := make(map[string]bool)
	for v := range verbs {
		set[third(v)] = true
	}
	return set
}()

var selfReference = regexp.MustCompile(`^(?:The |This )?(\w+) (?:operation|API|action|request|method|endpoint)s? ([a-z]+s) `)

// comment returns a Go doc comment from a description: its first sentence
// begins with goName. specName is how the description may say the name.
func comment(goName, specName, description string) string {
	text := plain(description)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, " "): // it begins with a list
		return goName + ":\n\n" + text
	}
	if m := selfReference.FindStringSubmatch(text); m != nil && (m[1] == specName || m[1] == goName) {
		return goName + " " + m[2] + text[len(m[0])-1:]
	}
	word, rest, _ := strings.Cut(text, " ")
	lower := strings.ToLower(word)
	switch {
	case word == goName || word == specName && specName != "":
		return goName + " " + rest
	case word != strings.ToUpper(word[:1])+lower[1:] || rest == "":
	case article[lower]:
		return goName + " is " + lower + " " + rest
	case thirds[lower]:
		return goName + " " + lower + " " + rest
	case verbs[lower]:
		return goName + " " + third(lower) + " " + agree(rest)
	}
	return goName + ": " + text
}

var furtherVerb = regexp.MustCompile(`^((?:,? )?(?:and then|or then|and/or|and|or|then) )([a-z]+)\b`)

// agree puts a second verb, which directly follows the first, in the third
// person too: put or delete is puts or deletes.
func agree(rest string) string {
	m := furtherVerb.FindStringSubmatchIndex(rest)
	if m == nil || !verbs[rest[m[4]:m[5]]] {
		return rest
	}
	return rest[:m[4]] + third(rest[m[4]:m[5]]) + agree(rest[m[5]:])
}

// deprecation is what a deprecated thing says, "" for others.
func deprecation(deprecated bool) string {
	if deprecated {
		return "the definition marks it as deprecated."
	}
	return ""
}
