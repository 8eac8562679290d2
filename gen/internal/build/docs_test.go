package build

import "testing"

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"<p>The <code>A</code> &lt; B.</p> <p>More <a href=\"x\">here</a>.</p>": "The A < B.\n\nMore here.",
		"<fullname>Service</fullname> <p>Does it.</p>":                          "Does it.",
		"Do:<ul> <li> <p>one</p> </li><li>two</li></ul>End.":                    "Do:\n\n  - one\n  - two\n\nEnd.",
		"# Title\nSome **bold** `code` and a [link](https://x.example).":        "Title\n\nSome bold code and a link.",
		"one\ntwo\n\n* a\n* b": "one two\n\n  - a\n  - b",
		"a < b and c > d":      "a < b and c > d",
		" \n":                  "",
	} {
		same(t, text, plain(text), want)
	}
}

func TestComment(t *testing.T) {
	for _, c := range [][3]string{
		{"ListOrders", "List orders.", "ListOrders lists orders."},
		{"GetItem", "The <code>GetItem</code> operation returns an item.", "GetItem returns an item."},
		{"Order", "An order as the shop sees it.", "Order is an order as the shop sees it."},
		{"Copy", "Returns a copy.", "Copy returns a copy."},
		{"CopyAll", "Copy all.", "CopyAll copies all."},
		{"Order", "Order of a customer.", "Order of a customer."},
		{"Batch", "Put or delete up to 25 items.", "Batch puts or deletes up to 25 items."},
		{"Sync", "Create, or update, a copy.", "Sync: Create, or update, a copy."},
		{"Sync", "Copy and then publish or discard it.", "Sync copies and then publishes or discards it."},
		{"Tag", "Find or create and return a tag.", "Tag finds or creates and returns a tag."},
		{"Lists", "Read and black lists.", "Lists reads and black lists."},
		{"Card", "Payment by card.", "Card: Payment by card."},
		{"Empty", "", ""},
		{"Points", "- one\n- two", "Points:\n\n  - one\n  - two"},
	} {
		same(t, c[1], comment(c[0], c[0], c[1]), c[2])
	}
}
