package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// client is the client type, its constructor, and what belongs to the service
// as a whole.
func client(s *model.Service) []declaration {
	code := []*jen.Statement{
		supportsGenerated(),
		clientType(s),
		newClient(s),
		retrySettings(),
		serviceVar(s),
	}
	if s.SigningName != "" {
		code = append(code, signingName(s))
	}
	for _, scheme := range s.Schemes {
		code = append(code, credentialOption(scheme))
	}
	decls := make([]declaration, len(code))
	for i, c := range code {
		decls[i] = declaration{code: c}
	}
	return decls
}

// supportsGenerated fails to compile with a runtime that is too old.
func supportsGenerated() *jen.Statement {
	return doc("This code needs a runtime that is at least as new as the generator. If the name below is not declared, "+
		"update the runtime:\n\n\tgo get github.com/retrygen/retrygen@latest", "").
		Const().Id("_").Op("=").Add(runtime("SupportsGenerated1"))
}

func clientType(s *model.Service) *jen.Statement {
	return doc(fmt.Sprintf("Client calls %s. It is safe for concurrent use.", title(s)), "").
		Type().Id("Client").Struct(jen.Id("core").Op("*").Add(runtime("Client")))
}

func newClient(s *model.Service) *jen.Statement {
	return doc("New returns a client. "+endpointDoc(s)+"\n\nThe error names every option that cannot be used.", "").
		Func().Id("New").
		Params(jen.Id("endpoint").String(), jen.Id("opts").Op("...").Add(runtime("Option"))).
		Params(jen.Op("*").Id("Client"), jen.Error()).
		Block(
			jen.List(jen.Id("core"), jen.Err()).Op(":=").
				Add(runtime("NewClient")).Call(jen.Id("service"), jen.Id("endpoint"), jen.Id("opts").Op("...")),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
			jen.Return(inline(jen.Op("&").Id("Client"), field("core", jen.Id("core"))), jen.Nil()),
		)
}

// retrySettings is the method that tells how the client retries.
func retrySettings() *jen.Statement {
	return doc("RetrySettings returns how calls are retried and where each setting came from, always in the same order.", "").
		Func().Params(clientReceiver()).Id("RetrySettings").Params().Index().Add(runtime("Setting")).
		Block(jen.Return(jen.Id("c").Dot("core").Dot("RetrySettings").Call()))
}

// endpointDoc says what the endpoint may be.
func endpointDoc(s *model.Service) string {
	if !hasServer(s) {
		return "The endpoint is the base URL of the API; the definition names no server that could stand in for it."
	}
	first := s.Servers[0]
	text := fmt.Sprintf("The endpoint is the base URL of the API; \"\" means %s, the first server of the definition.", oneLine(first.URL))
	if len(first.Variables) == 0 {
		return text
	}
	text += " The places of that URL are filled by [httpapi.WithServerVariable]:\n"
	for _, v := range first.Variables {
		text += "\n- " + variableDoc(v)
	}
	return text
}

// hasServer reports whether the first server is an absolute URL, which can be
// called without another endpoint.
func hasServer(s *model.Service) bool {
	return len(s.Servers) > 0 && strings.Contains(s.Servers[0].URL, "://")
}

// variableDoc describes a place of a server's URL.
func variableDoc(v model.ServerVariable) string {
	text := fmt.Sprintf("%s, by default %q", v.Name, v.Default)
	if len(v.Enum) > 0 {
		text += ", one of " + strings.Join(v.Enum, ", ")
	}
	if v.Doc == "" {
		return text
	}
	return text + ": " + oneLine(v.Doc)
}

// serviceVar is the description that the runtime makes a client from.
func serviceVar(s *model.Service) *jen.Statement {
	return jen.Var().Id("service").Op("=").Add(literal(runtimePointer("Service"),
		text("Name", s.Name),
		text("Version", s.Version),
		servers(s.Servers),
		field("Profile", serviceProfile(s.Retry)),
		serviceSecurity(s.Security),
		schemes(s.Schemes),
	))
}

func servers(all []model.Server) jen.Code {
	return list("Servers", runtime("Server"), all, func(s model.Server) *jen.Statement {
		if len(s.Variables) == 0 {
			return fieldDoc(s.Doc, "").Add(inline(elided(), text("URL", s.URL)))
		}
		return fieldDoc(s.Doc, "").Add(literal(elided(),
			text("URL", s.URL),
			list("Variables", runtime("ServerVariable"), s.Variables, serverVariable),
		))
	})
}

func serverVariable(v model.ServerVariable) *jen.Statement {
	return inline(elided(), text("Name", v.Name), text("Default", v.Default), texts("Enum", v.Enum))
}

// serviceSecurity leaves out an empty list, which says no more than none.
func serviceSecurity(alternatives [][]string) jen.Code {
	if len(alternatives) == 0 {
		return nil
	}
	return security(alternatives)
}

// security is a field with alternatives of schemes; nil follows the service.
func security(alternatives [][]string) jen.Code {
	if alternatives == nil {
		return nil
	}
	return field("Security", inline(jen.Index().Index().String(), each(alternatives, func(names []string) *jen.Statement {
		return inline(elided(), each(names, func(name string) *jen.Statement { return jen.Lit(name) })...)
	})...))
}

func schemes(all []model.Scheme) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return field("Schemes", literal(jen.Map(jen.String()).Add(runtime("Scheme")), each(all, func(s model.Scheme) *jen.Statement {
		return jen.Lit(s.Name).Op(":").Add(inline(elided(), constant("Kind", httpapi, s.Kind), text("Name", s.Key)))
	})...))
}

func signingName(s *model.Service) *jen.Statement {
	return doc("SigningName is the name of the service in AWS Signature Version 4: calls are signed by "+
		"[httpapi.WithSigner] with awssign.New(credentials, region, SigningName).", "").
		Const().Id("SigningName").Op("=").Lit(s.SigningName)
}

// credentialOption is the option that gives a client the credential of a
// scheme.
func credentialOption(s model.Scheme) *jen.Statement {
	return doc(fmt.Sprintf("%s authenticates with the scheme %s: c %s.\n\n%s", s.GoName, s.Name, carrier(s), s.Doc), "").
		Func().Id(s.GoName).Params(jen.Id("c").Add(runtime("Credential"))).Add(runtime("Option")).
		Block(jen.Return(runtime("WithCredential").Call(jen.Lit(s.Name), jen.Id("c"))))
}

// carrier says how the credential of a scheme travels.
func carrier(s model.Scheme) string {
	switch s.Kind {
	case "Bearer":
		return "is sent as a bearer token"
	case "Basic":
		return "is a user and a password, sent as RFC 7617 says"
	case "APIKeyHeader":
		return "is sent in the header " + s.Key
	case "APIKeyQuery":
		return "is sent in the query parameter " + s.Key
	case "APIKeyCookie":
		return "is sent in the cookie " + s.Key
	}
	bugf("security scheme %q is of kind %q", s.Name, s.Kind)
	return ""
}

// title is what prose calls the service.
func title(s *model.Service) string {
	if t := oneLine(s.Title); t != "" {
		return strings.TrimSuffix(t, ".")
	}
	return s.Name
}
