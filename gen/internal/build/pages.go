package build

// pageStyles are the styles of x-pagination, as the runtime names them.
var pageStyles = map[string]string{
	"cursor": "CursorPages", "offset": "OffsetPages", "page": "NumberPages", "link": "LinkPages", "nextURL": "NextURLPages",
}

// pages names the pagination of an operation.
func (b *builder) pages(c *call) {
	if c.note.Pages == nil || pageStyles[c.note.Pages.Style] == "" {
		return
	}
	p := *c.note.Pages
	p.Style = pageStyles[p.Style]
	p.GoName = b.methods.claim(c.op.GoName+"Pages", c.op.GoName+"AllPages")
	p.Descriptor = b.scope.claim(unexported(c.op.GoName)+"Pages", c.op.Descriptor+"Pagination")
	c.op.Pages = &p
}
