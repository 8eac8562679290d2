package httpapi

import "io"

// File is a file in a multipart/form-data body.
type File struct {
	// Name is the file name that the server is told.
	Name string
	// ContentType is the media type. "": the one that the specification
	// declares, else application/octet-stream.
	ContentType string
	// Content is sent as it is read. It is never closed. The request can be
	// sent again if Content can be sought or made anew (see [Reopen]).
	Content io.Reader
}
