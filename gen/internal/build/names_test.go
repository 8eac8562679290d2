package build

import (
	"go/token"
	"testing"
)

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"orderId":          "OrderID",
		"SSEDescription":   "SSEDescription",
		"KMSMasterKeyId":   "KMSMasterKeyID",
		"X-Rate-Remaining": "XRateRemaining",
		"ETag":             "ETag",
		"api_key":          "APIKey",
		"orderIds":         "OrderIDs",
		"IDs":              "IDs",
		"imageURLs":        "ImageURLs",
		"httpServer2":      "HTTPServer2",
		"HTTPServer":       "HTTPServer",
		"FIRST_NAME":       "FirstName",
		"NULL":             "NULL",
		"1.10":             "N1_10",
		"11.0":             "N11_0",
		"$ref":             "Ref",
		"+1":               "Plus1",
		"-1":               "Minus1",
		"<=":               "LessEqual",
		"größe":            "Größe",
		"名前":               "X名前",
		"\xff":             "",
		"":                 "",
	} {
		if got := exported(name); got != want {
			t.Errorf("exported(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{
		"GetItem": "getItem", "HTTPGet": "httpGet", "ID": "id", "IDs": "ids", "N1_10": "n1_10",
	} {
		if got := unexported(name); got != want {
			t.Errorf("unexported(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestConstantPart(t *testing.T) {
	for value, want := range map[string]string{
		"PAY_PER_REQUEST": "PayPerRequest", "ACTIVE": "Active", "in-progress": "InProgress", "": "Empty",
		"-created": "MinusCreated", "created": "Created", "10": "10",
	} {
		if got := constantPart(value); got != want {
			t.Errorf("constantPart(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestScopeKeepsTakenNames(t *testing.T) {
	s := make(scope)
	for _, c := range []struct{ wishes, want []string }{
		{[]string{"Order"}, []string{"Order"}},
		{[]string{"Order", "OrderSchema"}, []string{"OrderSchema"}},
		{[]string{"Order", "OrderSchema"}, []string{"OrderSchema2"}},
		{[]string{"Client"}, []string{"Client2"}},
		{[]string{"http", "httpOperation"}, []string{"httpOperation"}},
		{[]string{""}, []string{"X2"}},
	} {
		if got := s.claim(c.wishes...); got != c.want[0] {
			t.Errorf("claim(%q) = %q, want %q", c.wishes, got, c.want[0])
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"orderId", "+1", "名前", "_", "ß", "1.10", "type", "\xff", "a\u0301", "ǅ", "IDs", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := make(scope)
		id := s.claim(exported(name), "Fallback")
		if !token.IsIdentifier(id) || !token.IsExported(id) {
			t.Errorf("exported(%q) is %q, which is no exported identifier", name, id)
		}
		if low := s.claim(unexported(id), "fallback"); !token.IsIdentifier(low) || reserved[low] {
			t.Errorf("unexported(%q) is %q, which is no free identifier", id, low)
		}
		if c := "T" + constantPart(name); !token.IsIdentifier(c) {
			t.Errorf("a constant of %q is %q, which is no identifier", name, c)
		}
	})
}
