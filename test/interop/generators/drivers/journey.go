// With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

var (
	client     *openapi.APIClient
	background = context.Background()
)

func main() {
	verb, url, name := os.Args[1], os.Args[2], os.Args[3]
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: url}}
	client = openapi.NewAPIClient(configuration)
	if verb == "send" {
		send(name)
		return
	}
	health, _, err := client.ServerAPI.GetHealth(background).Execute()
	check(err)
	for _, item := range health.Items {
		if item.Type == "RealtimeHealthCheck" {
			fmt.Println("health", item.Type, item.Code)
		}
	}
	read("/events/" + name)
	handleFiles("/up-" + name)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func event(name string, n int) openapi.Event {
	return *openapi.NewEvent(name, map[string]interface{}{"n": n, "big": int64(9007199254740993)})
}

func send(name string) {
	one, _, err := client.EventsAPI.PostEvent(background).Event([]openapi.Event{event(name, 1)}).IdempotencyKey("one-" + name).Execute()
	check(err)
	fmt.Println("event", one.Accepted, one.Rejected)
	several := []openapi.Event{event(name, 2), event("a/b", 3), event(name, 4)}
	batch, _, err := client.EventsAPI.PostEvent(background).Event(several).Execute()
	check(err)
	fmt.Println("batch", batch.Accepted, batch.Rejected, batch.Errors[0].Index, batch.Errors[0].Code)
}

func read(path string) {
	listing, _, err := client.FilesAPI.ReadJson(background).Path(path).Content(false).Execute()
	check(err)
	for _, entry := range listing.Entries {
		fmt.Println("listing", strings.HasPrefix(entry.Path, listing.Path+"/"), entry.IsDir)
	}
	typed, response, err := client.FilesAPI.ReadJson(background).Path(path).Recursive(true).Execute()
	check(err)
	// The typed rows have float64; the body, decoded once more, has the digits.
	var exact struct {
		Entries []struct{ Content []map[string]interface{} }
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	check(decoder.Decode(&exact))
	for index, entry := range typed.Entries {
		for at, row := range entry.Content {
			fmt.Println("row", row["n"], exact.Entries[index].Content[at]["big"])
		}
	}
}

func upload(path string, content []byte, overwrite bool) *http.Response {
	file, err := os.CreateTemp("", "journey")
	check(err)
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	check(err)
	_, err = file.Seek(0, io.SeekStart)
	check(err)
	uploaded, response, err := client.FilesAPI.UploadFile(background).Path(path).Body(file).Overwrite(overwrite).Permission("640").Execute()
	if err == nil {
		fmt.Println("uploaded", uploaded.Path, uploaded.Size, uploaded.Permission)
	}
	return response
}

func handleFiles(directory string) {
	path := directory + "/ü 1.bin"
	upload(path, []byte{1}, false)
	upload(path, []byte{0, 0xff, 0x0d, 0x0a, 0x41}, true)
	fmt.Println("refused", upload(path, []byte{2}, false).StatusCode)
	file, _, err := client.FilesAPI.ReadBinary(background).Path(path).Execute()
	check(err)
	content, err := io.ReadAll(file)
	check(err)
	fmt.Println("download", hex.EncodeToString(content))
	deleted, _, err := client.FilesAPI.DeletePath(background).Path(path).Execute()
	check(err)
	fmt.Println("deleted", deleted.Deleted)
	_, response, _ := client.FilesAPI.ReadBinary(background).Path(path).Execute()
	fmt.Println("gone", response.StatusCode)
}
