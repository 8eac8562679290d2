package conformance

import (
	"fmt"
	"net/http"
	"time"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// protocol is how a service puts errors into answers.
type protocol struct {
	codes       []httpapi.CodeSource
	contentType string
	success     string
	// place puts code where the protocol has it; it returns the body.
	place func(code string, h http.Header) string
}

var protocols = map[string]protocol{
	"awsjson": {awsprofile.JSONCodes, "application/x-amz-json-1.0", "{}", func(code string, _ http.Header) string {
		return fmt.Sprintf(`{"__type":%q}`, "com.example#"+code)
	}},
	"awsjson-query-code": {awsprofile.QueryCompatibleCodes, "application/x-amz-json-1.0", "{}", func(code string, h http.Header) string {
		h.Set("X-Amzn-Query-Error", code+";Sender")
		return "{}"
	}},
	"restjson": {awsprofile.JSONCodes, "application/json", "{}", func(code string, h http.Header) string {
		h.Set("X-Amzn-Errortype", code)
		return "{}"
	}},
	"restxml": {awsprofile.RESTXMLCodes, "application/xml", "<Result/>", func(code string, _ http.Header) string {
		return "<Error><Code>" + code + "</Code></Error>"
	}},
	"awsquery": {awsprofile.QueryCodes, "text/xml", "<Result/>", func(code string, _ http.Header) string {
		return "<ErrorResponse><Error><Code>" + code + "</Code></Error></ErrorResponse>"
	}},
}

// defaultProtocol is that of answers which do not name one.
const defaultProtocol = "awsjson"

func protocolOf(name string) (protocol, error) {
	if name == "" {
		name = defaultProtocol
	}
	p, ok := protocols[name]
	if !ok {
		return protocol{}, fmt.Errorf("protocol %q is not known", name)
	}
	return p, nil
}

// parts returns header and body of the answer. now is the client's time.
func (r response) parts(now time.Time) (http.Header, string, error) {
	p, err := protocolOf(r.Protocol)
	if err != nil {
		return nil, "", err
	}
	h := http.Header{"Content-Type": {p.contentType}}
	body := ""
	switch {
	case r.Code != "":
		body = p.place(r.Code, h)
	case r.Status/100 == 2:
		body = p.success
	}
	if r.Body != nil {
		body = *r.Body
	}
	for name, value := range r.Headers {
		h.Set(name, value)
	}
	if r.DateOffsetS != nil {
		h.Set("Date", now.Add(seconds(*r.DateOffsetS)).UTC().Format(http.TimeFormat))
	}
	return h, body, nil
}

// play turns the response into a step of a scripted transport.
func (r response) play(now time.Time) (retrytest.Step, error) {
	failure, err := fault(r.IO)
	if err != nil {
		return retrytest.Step{}, err
	}
	if failure != nil {
		return retrytest.Fail(failure), nil
	}
	h, body, err := r.parts(now)
	if err != nil {
		return retrytest.Step{}, err
	}
	step := retrytest.Respond(r.Status, h, body)
	broken, err := fault(r.BodyIO)
	if broken != nil {
		step = step.CutBody(len(body)/2, broken)
	}
	return step, err
}

// input and output are those of the operation that vectors call: the answer's
// body must be read, and need not say anything.
type (
	input  struct{}
	output struct {
		httpapi.Metadata
		Body any `body:"2XX,*/*"`
	}
)

// modeledError is an error that the definition declares.
type modeledError struct {
	httpapi.ResponseError `json:"-"`
}

// operation returns the operation whose definition declares the modeled ones
// of responses.
func operation(longPolling bool, responses []response) *httpapi.Operation[input, output] {
	op := &httpapi.Operation[input, output]{Name: "Vector", Method: http.MethodPost, Path: "/"}
	if longPolling {
		op.LongPolling = &httpapi.LongPolling{}
	}
	for _, r := range responses {
		if r.Modeled {
			op.Errors = append(op.Errors, httpapi.ErrorCase{Code: r.Code, New: httpapi.NewError[modeledError]})
		}
	}
	return op
}

// serviceProfile returns the profile of a vector's service, which speaks the
// protocol of its responses. The environment does not change it.
func serviceProfile(service string, responses []response) (httpapi.Profile, error) {
	profile := awsprofile.AWS2026
	if p, ok := awsprofile.ByName(service); ok {
		profile = p
	}
	name := ""
	for _, r := range responses {
		if r.Protocol != "" {
			name = r.Protocol
		}
	}
	p, err := protocolOf(name)
	profile.ErrorCode, profile.EnvPrefix = p.codes, ""
	if name == "restxml" {
		profile.ErrorInSuccess = awsprofile.S3.ErrorInSuccess
	}
	return profile, err
}
