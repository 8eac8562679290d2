package httpapi

// SupportsGenerated1 is referred to by generated code, so that code from a
// newer generator does not compile against an older runtime.
const SupportsGenerated1 = true
