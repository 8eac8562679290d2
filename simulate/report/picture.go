package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/retrygen/retrygen/simulate"
)

// Sizes of a picture.
const (
	pictureWidth = 9 * vg.Inch
	panelHeight  = 1.9 * vg.Inch
	legendHeight = 0.3 * vg.Inch
	pictureBins  = 300 // most windows; more are added up
	pictureDPI   = 110
)

var (
	requestColor = color.RGBA{R: 0xd9, G: 0x7b, B: 0x4f, A: 0xff}
	successColor = color.RGBA{R: 0x2a, G: 0x6f, B: 0x97, A: 0xff}
	outageColor  = color.RGBA{R: 0xe8, G: 0xe8, B: 0xe8, A: 0xff}
)

// SVG writes a picture of the requests per window: one panel for each
// strategy, on the same scales, with those that succeeded before those that
// were sent, and the outages in grey.
func SVG(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	c := vgsvg.New(pictureWidth, height(results))
	if err := paint(draw.New(c), s, results); err != nil {
		return err
	}
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(out.Bytes(), []byte(measuredFont), []byte(measuredFont+shownFonts)))
	return err
}

// The letters are measured in one font; a reader who does not have it is
// shown one that is as wide.
const (
	measuredFont = "font-family:Liberation Sans"
	shownFonts   = ",Arial,Helvetica,sans-serif"
)

// PNG writes the picture of [SVG] as pixels.
func PNG(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pictureWidth, height(results)), vgimg.UseDPI(pictureDPI))}
	if err := paint(draw.New(c), s, results); err != nil {
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

func height(results []simulate.Result) vg.Length {
	return legendHeight + panelHeight*vg.Length(len(results))
}

// paint draws the panels below each other.
func paint(c draw.Canvas, s simulate.Scenario, results []simulate.Result) error {
	b := newBins(s, results, pictureBins)
	panels := make([][]*plot.Plot, len(results))
	for i, r := range results {
		p, err := panel(s, b, r, b.of[i])
		if err != nil {
			return err
		}
		panels[i] = []*plot.Plot{p}
	}
	last := panels[len(panels)-1][0]
	last.X.Label.Text = "seconds"
	legend(c)
	c = draw.Crop(c, 0, 0, 0, -legendHeight)
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 12, PadY: 8}
	for i, canvas := range plot.Align(panels, tiles, c) {
		panels[i][0].Draw(canvas[0])
	}
	return nil
}

// legend explains the colours in a line at the top.
func legend(c draw.Canvas) {
	style := text.Style{
		Font: font.From(plot.DefaultFont, 10), Color: color.Black,
		YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
	style.Font.Variant = "Sans"
	x, y := c.Min.X+0.7*vg.Inch, c.Max.Y-legendHeight/2
	const box = 9
	for _, entry := range []struct {
		color color.Color
		text  string
	}{{requestColor, "attempts sent in the window"}, {successColor, "attempts that succeeded in it"}, {outageColor, "outage"}} {
		c.FillPolygon(entry.color, []vg.Point{{X: x, Y: y - box/2}, {X: x, Y: y + box/2}, {X: x + box, Y: y + box/2}, {X: x + box, Y: y - box/2}})
		c.FillText(style, vg.Point{X: x + box + 5, Y: y}, entry.text)
		x += box + 5 + style.Width(entry.text) + 24
	}
}

// panel is the histogram of one strategy.
func panel(s simulate.Scenario, b bins, r simulate.Result, h histogram) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = caption(r)
	for style, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle: 11, &p.X.Label.TextStyle: 10, &p.Y.Label.TextStyle: 10, &p.X.Tick.Label: 9, &p.Y.Tick.Label: 9,
	} {
		style.Font.Variant, style.Font.Size = "Sans", size
	}
	p.Title.Padding = 3
	p.Y.Label.Text = fmt.Sprintf("per %s", b.width)
	p.X.Min, p.X.Max = 0, float64(b.count)*b.width.Seconds()
	p.Y.Min, p.Y.Max = 0, 1.05*float64(max(b.most(), 1))
	p.Y.Tick.Marker = plot.TickerFunc(countTicks)
	for _, o := range s.Service.Outages {
		if err := rectangle(p, o.From.Seconds(), min(o.To.Seconds(), p.X.Max), p.Y.Max); err != nil {
			return nil, err
		}
	}
	if err := area(p, requestColor, b, h, func(w simulate.Window) int64 { return w.Requests }); err != nil {
		return nil, err
	}
	return p, area(p, successColor, b, h, func(w simulate.Window) int64 { return w.Succeeded })
}

// countTicks are ticks of numbers of requests, written short.
func countTicks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i := range ticks {
		if ticks[i].IsMinor() {
			continue
		}
		switch v := ticks[i].Value; {
		case v >= 1e6:
			ticks[i].Label = fmt.Sprintf("%gM", v/1e6)
		case v >= 1e4:
			ticks[i].Label = fmt.Sprintf("%gk", v/1e3)
		default:
			ticks[i].Label = fmt.Sprintf("%g", v)
		}
	}
	return ticks
}

// caption names the strategy and its main figures.
func caption(r simulate.Result) string {
	text := fmt.Sprintf("%s: %d requests, %.1f %% of %d calls succeeded", r.Strategy, r.Requests, 100*r.SuccessRate(), r.Calls)
	if r.Recovery.Outage {
		text += ", recovery: " + recovery(r)
	}
	return text
}

// rectangle shades an outage.
func rectangle(p *plot.Plot, from, to, top float64) error {
	if from >= to {
		return nil
	}
	shape, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: 0}, {X: from, Y: top}, {X: to, Y: top}, {X: to, Y: 0}})
	if err != nil {
		return err
	}
	shape.Color, shape.LineStyle.Width = outageColor, 0
	p.Add(shape)
	return nil
}

// area fills the steps of a histogram.
func area(p *plot.Plot, c color.Color, b bins, h histogram, of func(simulate.Window) int64) error {
	width := b.width.Seconds()
	points := plotter.XYs{{X: 0, Y: 0}}
	for i, w := range h {
		y := float64(of(w))
		points = append(points, plotter.XY{X: float64(i) * width, Y: y}, plotter.XY{X: float64(i+1) * width, Y: y})
	}
	points = append(points, plotter.XY{X: float64(len(h)) * width, Y: 0})
	shape, err := plotter.NewPolygon(points)
	if err != nil {
		return err
	}
	shape.Color, shape.LineStyle.Width = c, 0
	p.Add(shape)
	return nil
}
