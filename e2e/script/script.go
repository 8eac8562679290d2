// Package script is one tour through a DynamoDB client: table lifecycle, items
// of every attribute type, conditions, pages, batches, tags. The end-to-end
// tests run it with several clients and through several faults; the import of
// the client is the only line that differs.
package script

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/generated/dynamodb"
	"github.com/retrygen/retrygen/runtime/awssign"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// NewClient returns a client at endpoint that signs with made-up credentials
// and takes nothing from the developer's own AWS settings.
func NewClient(t *testing.T, endpoint string, opts ...httpapi.Option) *dynamodb.Client {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	signer := awssign.New(awssign.Static("AKIDEXAMPLE", "secret", ""), "us-east-1", "dynamodb")
	client, err := dynamodb.New(endpoint, append([]httpapi.Option{httpapi.WithSigner(signer)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Run takes the tour with client. Every call must succeed or fail as the
// service documents, whatever happens on the way.
func Run(t *testing.T, client *dynamodb.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := &tour{T: t, ctx: ctx, client: client, table: fmt.Sprintf("tour-%d", time.Now().UnixNano())}
	s.createTable()
	s.describe()
	s.everyAttributeType()
	s.condition()
	s.update()
	s.pages()
	s.unprocessedKeys()
	s.tags()
	s.transaction()
	s.missingTable()
	s.deleteTable()
}

// pollDelay suits a server whose tables change within a tenth of a second.
var pollDelay = httpapi.WithPollDelay(50*time.Millisecond, 500*time.Millisecond)

type tour struct {
	*testing.T
	ctx    context.Context
	client *dynamodb.Client
	table  string
	arn    string
}

// must ends the tour at an error.
func (s *tour) must(step string, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", step, err)
	}
}

// set points member at n. Definitions differ in the size of their integers.
func set[T int32 | int64](member **T, n T) { *member = &n }

func (s *tour) createTable() {
	_, err := s.client.CreateTable(s.ctx, &dynamodb.CreateTableInput{
		TableName: s.table,
		AttributeDefinitions: []dynamodb.AttributeDefinition{
			{AttributeName: "pk", AttributeType: dynamodb.ScalarAttributeTypeS},
			{AttributeName: "sk", AttributeType: dynamodb.ScalarAttributeTypeN},
		},
		KeySchema: []dynamodb.KeySchemaElement{
			{AttributeName: "pk", KeyType: dynamodb.KeyTypeHash},
			{AttributeName: "sk", KeyType: dynamodb.KeyTypeRange},
		},
		ProvisionedThroughput: &dynamodb.ProvisionedThroughput{ReadCapacityUnits: 100, WriteCapacityUnits: 100},
	})
	var exists *dynamodb.ResourceInUseException // the answer to a repeat whose first answer was lost
	if !errors.As(err, &exists) {
		s.must("create table", err)
	}
	out, err := s.client.WaitTableExists(s.ctx, &dynamodb.DescribeTableInput{TableName: s.table}, pollDelay)
	s.must("wait for the table", err)
	s.arn = *out.Table.TableArn
}

func (s *tour) describe() {
	out, err := s.client.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: s.table})
	s.must("describe", err)
	if age := time.Since(out.Table.CreationDateTime.Time); age < -time.Minute || age > 5*time.Minute {
		s.Errorf("table created %s ago", age)
	}
	if *out.Table.TableStatus != dynamodb.TableStatusActive {
		s.Errorf("table status %q", *out.Table.TableStatus)
	}
	if out.RequestID == "" {
		s.Error("no request id")
	}
	list := &dynamodb.ListTablesInput{}
	set(&list.Limit, 1)
	for page, err := range s.client.ListTablesPages(s.ctx, list) {
		s.must("list tables", err)
		if len(page.TableNames) > 1 {
			s.Errorf("page of %d tables, asked for 1", len(page.TableNames))
		}
	}
}

func (s *tour) key(pk string, sk int) map[string]dynamodb.AttributeValue {
	return map[string]dynamodb.AttributeValue{"pk": {S: &pk}, "sk": {N: new(fmt.Sprint(sk))}}
}

func (s *tour) everyAttributeType() {
	item := s.key("types", 1)
	item["s"] = dynamodb.AttributeValue{S: new("text with \"quotes\", ünïcode and </html>")}
	item["n"] = dynamodb.AttributeValue{N: new("-12345678901234567890.123456789")}
	item["b"] = dynamodb.AttributeValue{B: []byte{0, 1, 2, 255}}
	item["ss"] = dynamodb.AttributeValue{SS: []string{"a", "b"}}
	item["ns"] = dynamodb.AttributeValue{NS: []string{"1", "2.5"}}
	item["bs"] = dynamodb.AttributeValue{BS: [][]byte{{1}, {2, 3}}}
	item["null"] = dynamodb.AttributeValue{NULL: new(true)}
	item["bool"] = dynamodb.AttributeValue{BOOL: new(false)}
	item["l"] = dynamodb.AttributeValue{L: []dynamodb.AttributeValue{{S: new("x")}, {L: []dynamodb.AttributeValue{}}}}
	item["m"] = dynamodb.AttributeValue{M: map[string]dynamodb.AttributeValue{
		"deep": {M: map[string]dynamodb.AttributeValue{"deeper": {N: new("7")}}}, "none": {M: map[string]dynamodb.AttributeValue{}},
	}}
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: s.table, Item: item})
	s.must("put", err)
	out, err := s.client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: s.table, Key: s.key("types", 1), ConsistentRead: new(true)})
	s.must("get", err)
	got := map[string]dynamodb.AttributeValue(out.Item)
	if !reflect.DeepEqual(got, item) {
		s.Errorf("item came back as\n%v\nwant\n%v", got, item)
	}
}

func (s *tour) condition() {
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{
		TableName: s.table, Item: s.key("types", 1), ConditionExpression: new("attribute_not_exists(pk)"),
	})
	var failed *dynamodb.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		s.Fatalf("conditional put: got %v, want a ConditionalCheckFailedException", err)
	}
	if failed.Status != 400 || failed.RequestID == "" || failed.ResponseError.Code != "ConditionalCheckFailedException" {
		s.Errorf("status %d, request id %q, code %q", failed.Status, failed.RequestID, failed.ResponseError.Code)
	}
	if !errors.Is(err, retry.ErrTerminal) {
		s.Errorf("a failed condition is terminal, got %v", err)
	}
}

func (s *tour) update() {
	out, err := s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
		TableName: s.table, Key: s.key("types", 1),
		UpdateExpression:          new("SET #v = :v"),
		ExpressionAttributeNames:  map[string]string{"#v": "v"},
		ExpressionAttributeValues: map[string]dynamodb.AttributeValue{":v": {S: new("new")}},
		ReturnValues:              new(dynamodb.ReturnValueAllNew),
	})
	s.must("update", err)
	if v := out.Attributes["v"]; v.S == nil || *v.S != "new" {
		s.Errorf("after the update v is %v", v)
	}
	_, err = s.client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: s.table, Key: s.key("types", 1)})
	s.must("delete", err)
}

func (s *tour) pages() {
	const items = 25 // the most that one BatchWriteItem takes
	requests := make([]dynamodb.WriteRequest, items)
	for i := range requests {
		requests[i].PutRequest = &dynamodb.PutRequest{Item: s.key("pages", i)}
	}
	_, err := s.client.BatchWriteItem(s.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]dynamodb.WriteRequest{s.table: requests},
	})
	s.must("batch write", err)

	query := &dynamodb.QueryInput{
		TableName:                 s.table,
		KeyConditionExpression:    new("pk = :pk"),
		ExpressionAttributeValues: map[string]dynamodb.AttributeValue{":pk": {S: new("pages")}},
	}
	set(&query.Limit, 10)
	var seen []string
	pages := 0
	for page, err := range s.client.QueryPages(s.ctx, query) {
		s.must("query", err)
		pages++
		for _, item := range page.Items {
			seen = append(seen, *item["sk"].N)
		}
	}
	if pages != 3 || len(seen) != items {
		s.Errorf("query: %d items on %d pages, want %d on 3", len(seen), pages, items)
	}
	for i, sk := range seen {
		if sk != fmt.Sprint(i) {
			s.Errorf("item %d has sort key %s", i, sk)
		}
	}
	if query.ExclusiveStartKey != nil {
		s.Error("the caller's input was changed")
	}
	scanned := 0
	scan := &dynamodb.ScanInput{TableName: s.table}
	set(&scan.Limit, 7)
	for page, err := range s.client.ScanPages(s.ctx, scan) {
		s.must("scan", err)
		scanned += len(page.Items)
	}
	if scanned != items {
		s.Errorf("scan: %d items, want %d", scanned, items)
	}
}

// unprocessedKeys reads more than the 16 MiB that one BatchGetItem returns.
func (s *tour) unprocessedKeys() {
	const items = 45
	big := strings.Repeat("x", 390<<10)
	var keys []map[string]dynamodb.AttributeValue
	for i := range items {
		item := s.key("big", i)
		item["big"] = dynamodb.AttributeValue{S: &big}
		_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: s.table, Item: item})
		s.must("put a big item", err)
		keys = append(keys, s.key("big", i))
	}
	in := &dynamodb.BatchGetItemInput{RequestItems: map[string]dynamodb.KeysAndAttributes{s.table: {Keys: keys}}}
	got, calls := 0, 0
	for ; len(in.RequestItems) > 0; calls++ {
		out, err := s.client.BatchGetItem(s.ctx, in)
		s.must("batch get", err)
		got += len(out.Responses[s.table])
		in = &dynamodb.BatchGetItemInput{RequestItems: out.UnprocessedKeys}
	}
	if got != items || calls < 2 {
		s.Errorf("batch get: %d items in %d calls, want %d in several", got, calls, items)
	}
}

func (s *tour) tags() {
	_, err := s.client.TagResource(s.ctx, &dynamodb.TagResourceInput{
		ResourceArn: s.arn, Tags: []dynamodb.Tag{{Key: "team", Value: "shop"}},
	})
	s.must("tag", err)
	out, err := s.client.ListTagsOfResource(s.ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: s.arn})
	s.must("list tags", err)
	if len(out.Tags) != 1 || out.Tags[0].Key != "team" || out.Tags[0].Value != "shop" {
		s.Errorf("tags %v", out.Tags)
	}
	ttl, err := s.client.DescribeTimeToLive(s.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: s.table})
	s.must("describe time to live", err)
	if ttl.TimeToLiveDescription == nil || *ttl.TimeToLiveDescription.TimeToLiveStatus != dynamodb.TimeToLiveStatusDisabled {
		s.Errorf("time to live %v", ttl.TimeToLiveDescription)
	}
}

// transaction writes one where the server knows transactions; dynalite does
// not, and says so with a code that must come through as it is.
func (s *tour) transaction() {
	_, err := s.client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []dynamodb.TransactWriteItem{{Put: &dynamodb.Put{TableName: s.table, Item: s.key("transaction", 1)}}},
	})
	if err == nil {
		return
	}
	var refused *httpapi.ResponseError
	if !errors.As(err, &refused) || refused.Code != "UnknownOperationException" || !errors.Is(err, retry.ErrTerminal) {
		s.Errorf("transaction: %v", err)
	}
}

func (s *tour) missingTable() {
	_, err := s.client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: "no-such-table", Key: s.key("x", 1)})
	var missing *dynamodb.ResourceNotFoundException
	if !errors.As(err, &missing) {
		s.Errorf("get from a missing table: got %v, want a ResourceNotFoundException", err)
	}
}

func (s *tour) deleteTable() {
	_, err := s.client.DeleteTable(s.ctx, &dynamodb.DeleteTableInput{TableName: s.table})
	var gone *dynamodb.ResourceNotFoundException // the answer to a repeat whose first answer was lost
	var busy *dynamodb.ResourceInUseException
	if !errors.As(err, &gone) && !errors.As(err, &busy) {
		s.must("delete table", err)
	}
	_, err = s.client.WaitTableNotExists(s.ctx, &dynamodb.DescribeTableInput{TableName: s.table}, pollDelay)
	s.must("wait for the table to go", err)
}
