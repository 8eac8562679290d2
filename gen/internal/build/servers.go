package build

import (
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// servers lists servers in the order of the definition, and the variables of
// each in the order of the places in its URL.
func servers(list openapi3.Servers) []model.Server {
	var out []model.Server
	for _, s := range list {
		if s == nil {
			continue
		}
		server := model.Server{URL: s.URL, Doc: plain(s.Description)}
		seen := make(map[string]bool)
		for _, m := range template.FindAllStringSubmatch(s.URL, -1) {
			v := s.Variables[m[1]]
			if v == nil || seen[m[1]] {
				continue
			}
			seen[m[1]] = true
			server.Variables = append(server.Variables, model.ServerVariable{
				Name: m[1], Default: v.Default, Doc: plain(v.Description), Enum: v.Enum,
			})
		}
		out = append(out, server)
	}
	return out
}
