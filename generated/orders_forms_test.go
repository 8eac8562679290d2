package generated_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

func createToken(t *testing.T, in orders.TokenRequest) (visit, *orders.CreateTokenOutput) {
	t.Helper()
	d := openDesk(t, answers(document(200, `{"accessToken":"t","expiresIn":3600}`)), credentials()...)
	out, err := d.CreateToken(t.Context(), &orders.CreateTokenInput{Body: &in})
	if err != nil {
		t.Fatal(err)
	}
	return d.only(), out
}

// formOf cuts a form. A "+" is a space, and what separates items is told from
// what was escaped.
func formOf(t *testing.T, body string) query {
	t.Helper()
	var q query
	for part := range strings.SplitSeq(body, "&") {
		name, value, _ := strings.Cut(strings.ReplaceAll(part, "+", "%20"), "=")
		q = append(q, pair{unescape(t, name), value})
	}
	return q
}

func TestOrdersForm(t *testing.T) {
	got, out := createToken(t, orders.TokenRequest{
		GrantType: orders.TokenRequestGrantTypeRefreshToken, Scope: awkward, RefreshToken: new("a+b c&d=é%"),
	})
	wantSame(t, "Content-Type", got.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
	q := formOf(t, got.body)
	wantSame(t, "grantType", q.value(t, "grantType"), "refresh_token")
	wantSame(t, "scope", q.items(t, "scope", ","), awkward)
	wantSame(t, "refreshToken", q.value(t, "refreshToken"), "a+b c&d=é%")
	wantSame(t, "token", out.Body, &orders.Token{AccessToken: "t", ExpiresIn: 3600})
}

func TestOrdersFormLeast(t *testing.T) {
	got, _ := createToken(t, orders.TokenRequest{GrantType: orders.TokenRequestGrantTypeClientCredentials})
	wantSame(t, "form", got.body, "grantType=client_credentials")
}

// part is a part of a multipart body.
type part struct {
	name, file, mediaType, body string
}

// partsOf reads a multipart body, RFC 7578. Parts without a media type are
// text/plain (4.4).
func partsOf(t *testing.T, r *http.Request, body string) []part {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/form-data" {
		t.Fatalf("Content-Type: got %q and %v", mediaType, err)
	}
	var parts []part
	for reader := multipart.NewReader(strings.NewReader(body), params["boundary"]); ; {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		media, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		parts = append(parts, part{p.FormName(), p.FileName(), media, string(content)})
	}
}

func importProducts(t *testing.T, in *orders.ProductImport) []part {
	t.Helper()
	d := openDesk(t, answers(document(202, `{"jobId":"j","rows":9007199254740993}`)))
	out, err := d.ImportProducts(t.Context(), &orders.ImportProductsInput{Body: in})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "job", out.Body, &orders.ImportJob{JobID: "j", Rows: new(int64(9007199254740993))})
	got := d.only()
	return partsOf(t, got.Request, got.body)
}

func TestOrdersMultipart(t *testing.T) {
	parts := importProducts(t, &orders.ProductImport{
		File: httpapi.File{Name: `a "b".csv`, Content: strings.NewReader("sku;name\r\n--x\r\n")},
		Name: new("é\r\n"), DryRun: new(true),
		Options: &orders.ImportOptions{Separator: new(";"), Columns: []string{"sku", "name"}},
	})
	if len(parts) != 4 {
		t.Fatalf("got %d parts: %q", len(parts), parts)
	}
	wantSame(t, "file", parts[0], part{"file", `a "b".csv`, "text/csv", "sku;name\r\n--x\r\n"})
	for i, want := range []part{{name: "name", body: "é\r\n"}, {name: "dryRun", body: "true"}} {
		got := parts[i+1]
		if got.mediaType == "text/plain" {
			got.mediaType = ""
		}
		wantSame(t, want.name, got, want)
	}
	wantSame(t, "media type of options", parts[3].mediaType, "application/json")
	wantSame(t, "name of options", parts[3].name, "options")
	wantJSON(t, parts[3].body, `{"separator":";","columns":["sku","name"]}`)
}

// TestOrdersMultipartLeast sends the one required part, of the caller's own
// media type.
func TestOrdersMultipartLeast(t *testing.T) {
	parts := importProducts(t, &orders.ProductImport{
		File: httpapi.File{Name: "p.tsv", ContentType: "text/tab-separated-values", Content: strings.NewReader("")},
	})
	wantSame(t, "parts", parts, []part{{"file", "p.tsv", "text/tab-separated-values", ""}})
}

// TestOrdersMultipartStreams wants the server to read the beginning of a file
// whose end is not there yet. Importing is not retried, so that the file may
// be read once only.
func TestOrdersMultipartStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content, rest := io.Pipe()
		client := serveDesk(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reader, err := r.MultipartReader()
			if err != nil {
				t.Error(err)
				return
			}
			file, err := reader.NextPart()
			if err != nil {
				t.Error(err)
				return
			}
			beginning := make([]byte, 9)
			io.ReadFull(file, beginning)
			go func() {
				io.WriteString(rest, " and end")
				rest.Close()
			}()
			end, err := io.ReadAll(file)
			wantSame(t, "file", string(beginning)+string(end), "beginning and end")
			wantSame(t, "error", err, error(nil))
			io.Copy(io.Discard, r.Body)
			document(202, `{"jobId":"j"}`).ServeHTTP(w, r)
		}))
		go io.WriteString(rest, "beginning")
		in := &orders.ProductImport{File: httpapi.File{Name: "p.csv", Content: content}}
		if _, err := client.ImportProducts(t.Context(), &orders.ImportProductsInput{Body: in}); err != nil {
			t.Error(err)
		}
	})
}

// TestOrdersMultipartIsNotRetried: the definition says mode off.
func TestOrdersMultipartIsNotRetried(t *testing.T) {
	d := openDesk(t, answers(failure(429, "busy")))
	_, err := d.ImportProducts(t.Context(), &orders.ImportProductsInput{Body: aFile()},
		httpapi.WithRetry(retry.WithMaxAttempts(5)))
	if !errors.Is(err, retry.ErrMaxAttempts) {
		t.Errorf("got %v, want %v", err, retry.ErrMaxAttempts)
	}
}
