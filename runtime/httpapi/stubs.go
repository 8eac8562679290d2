package httpapi

type Option interface{}
type CallOption interface{ Option }
