# make = generate, build, test, lint
.PHONY: all generate build test lint race vectors fuzz mutate bench peers e2e stale clean

all: generate build test lint

generate:
	go generate ./...

build:
	go build ./...

test:
	go test ./...

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go tool staticcheck ./...

race:
	go test -race ./runtime/...

# The retry vectors; RETRYGEN_VECTORS=DIR runs another directory of them.
vectors:
	go test -count=1 -v -run TestVectors ./runtime/... | grep -E '^\s*--- FAIL|vectors:'

# Each fuzz target for a short while.
fuzz:
	@for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-10s} $$pkg || exit 1; \
	  done; \
	done

# Mistakes made on purpose in the retry core, one at a time; the tests must
# notice 95 % of them. Takes some twenty-five minutes.
mutate:
	go run ./runtime/internal/mutate $(MUTATEFLAGS)

bench:
	go test -run '^$$' -bench . -benchmem ./runtime/...

# The same work done by peers: a module of its own, with what it measures
# against.
peers:
	cd bench && go vet ./... && go test -count=1 ./... && go test -run '^$$' -bench . -benchtime 100x -benchmem ./...

# Needs Node and npm: the DynamoDB-compatible server is an npm package.
e2e:
	cd e2e && npm ci --no-audit --no-fund --loglevel=error && go vet ./... && go test -count=1 ./...

# Fails if a committed client is not what its definition gives.
stale:
	go run ./cmd/retrygen check -o generated/dynamodb specs/dynamodb.yaml
	go run ./cmd/retrygen check -o generated/orders -package orders specs/orders.yaml
	go run ./cmd/retrygen check -o generated/ticketdesk specs/demo.yaml

clean:
	rm -rf bin e2e/node_modules
