// Package httpapi performs typed HTTP operations under a retry policy. It is
// the runtime of generated clients: an operation is a descriptor
// ([Operation]), its input and output are structs whose tags say how each
// field travels, and [Call] does the rest.
//
// # Tags of an input
//
//	path:"orderId"                     path parameter, style simple
//	path:"id,style=label,explode"      style label or matrix
//	query:"limit"                      query parameter, style form, exploded
//	query:"tags,explode=false"         style form, one comma-separated value
//	query:"tags,style=pipeDelimited"   also spaceDelimited, deepObject
//	query:"q,allowReserved"            reserved characters are sent as they are,
//	                                   where they do not end the parameter
//	query:"where,content=application/json"  the value is sent as JSON
//	header:"If-Match"                  header parameter, style simple
//	cookie:"session"                   cookie parameter, style form
//	cookie:"session,style=cookie"      nothing is escaped; what a cookie cannot
//	                                   carry is an error
//	body:"application/json"            the request body and its media type
//	body:"application/json,required"   nil is an error, a nil slice or map empty
//	body:"application/json,nullable,required"  nil is sent as null
//
// Optional parameters are pointers, slices or maps; nil is not sent. A name
// with commas, quotes or backslashes stands in single quotes, as in json tags:
// query:"'a,b',explode=false". A path parameter must not be empty, "." or "..",
// which would make it another path. A body
// is a Go value for JSON, form (application/x-www-form-urlencoded) and
// multipart (multipart/form-data) media types, a string for text/*, and an
// [io.Reader] otherwise. Members of form and multipart bodies are named by
// their json tags; a tag form:"style=…,explode=…" or part:"text/csv" says
// more about one member: the styles and options of a query parameter, and the
// media type of a part. Of several body fields, one may be set.
//
// # Tags of an output
//
//	body:"200,application/json"        the body of that status
//	body:"2XX,application/octet-stream"  a range; an io.ReadCloser is streamed
//	body:"default,application/json"    any status; exact statuses come first
//	header:"Location"                  a response header
//	header:"X-Info,explode"            an object, R=100,G=200; without, R,100,G,200
//	header:"X-Info,content=application/json"  a header that is JSON
//
// Text becomes UTF-8 from the charsets iso-8859-1 and us-ascii; another is an
// error. A field whose answer did not come is left as it was: nil. So is the
// field of a header that cannot be read, as a word where the definition has a
// number: it does not undo what succeeded, and stands in [Metadata].Header as it
// came. Answers in gzip are read as what was compressed; in another
// Content-Encoding only an [io.ReadCloser] takes them, as they are. An answer of a
// status or media type that is not declared is an error, unless there are no
// body tags or it has no body.
//
// An output embeds [Metadata]. Where [Operation.Document] is set, input and
// output have no such tags: they are the JSON documents themselves. The body
// of an error of the specification is decoded into the error struct, or into
// its field tagged body:"error".
//
// # Errors
//
// The error of a call unwraps step by step: a [*CallError] says which
// operation failed and with which idempotency key; a [*retry.StopError] how
// the retrying ended, with a [retry.Decision] for each attempt; and below is
// the last failure:
//
//   - an error of the specification, a struct that embeds [ResponseError];
//   - a [*ResponseError], an answer that the specification does not declare;
//   - a [*DecodeError], a successful answer that could not be read;
//   - what the HTTP client returned, when there was no answer.
//
// [errors.As] with a *ResponseError finds it in the first two.
//
// # Settings
//
// How a call is retried is decided setting by setting. The first that says
// something wins:
//
//  1. options of the call: [WithRetry];
//  2. options of the client: [WithRetry];
//  3. environment variables: [Profile].EnvPrefix;
//  4. a shared config file: [Profile].ConfigFile;
//  5. the definition: [Operation].Retry, then what [Service].Profile lays over
//     the named profile;
//  6. the named profile.
//
// [Client.RetrySettings] lists what is in effect and where it came from.
// Environment and config file are read by [NewClient]; a bad value there is an
// error, even where something above it wins.
//
// # Request bodies
//
// A body must be sent again when its attempt is retried. Values and readers
// that can be sought are; for others there is [Reopen]. A reader that can be
// read once only is refused before the first attempt, unless the policy
// allows one attempt, an outer retry owns the call, or [WithSpool] keeps the
// body.
//
// When a call has returned, nobody reads its body any more, although the
// server may have answered before it had all: a read that is under way is
// waited for, one that blocks for up to a second. If the answer is streamed,
// that is so when the answer is closed.
//
// # Answers that do not end
//
// What an answer holds beyond what is wanted is read for up to half a second
// and 256 KiB, so that its connection can be used again; the body of an error
// for up to five seconds and 64 KiB, as far as no timeout ends it before. Then
// the connection is closed.
//
// # Beside calls
//
// [Pages] and [Wait] follow pages and poll for a condition, [Poll] receives
// from a queue. [NewTransport] gives the same retrying to any [http.Client],
// and [InheritAttempts] keeps a server's own clients from multiplying the
// retries of its callers.
package httpapi
