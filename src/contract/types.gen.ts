// Written by `npm run generate` from openapi.yaml (sha256 22bffe73dd50f0eefda0956713b0fd255abcec3fb8d05c2e483735f6b30f27d2). Do not edit.

export interface paths {
    readonly "/1": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Record one event by GET, numbers in decimal
         * @description Made for beacons in web pages: everything is in the URL, and the answer has no body.
         *
         *     `v` is a comma-separated list, URL-encoded as a whole. Its first element is the event name; each further
         *     element is one type character and a value. Fields are numbered by position, from 1.
         *
         *     | Type | Meaning |
         *     |---|---|
         *     | `b` | boolean, `0` or `1` |
         *     | `1` `2` `4` `8` | signed integer of so many bytes |
         *     | `d` | double |
         *     | `s` | text, kept as sent |
         *     | `x` | computed on receipt: `xdate` (ms since the epoch), `xhost` and `xpath` (of the `Referer`), `xua` (`User-Agent`), `xip` (IPv4 address as a 32-bit integer) |
         *
         *     An empty value is the zero of its type (not for `x`). An empty element is refused. Each value is URL-encoded
         *     once more before the whole is, so a comma within a value is sent as `%252C` and a plus sign as `%252B`.
         *
         *     Keep the whole URL below 256 characters where old browsers matter; the limits here are far higher.
         */
        readonly get: operations["getEventV1"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/2": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Record one event by GET, numbers in base 64
         * @description Like `/1`, but integers (types `1` `2` `4` `8`) are written with the digits `-` (0), `0`–`9` (1–10), `A`–`Z`
         *     (11–36), `_` (37), `a`–`z` (38–63), most significant digit first: `1-` is 0, `20` is 1, `4z` is 63, `810` is
         *     129. A first `-` with digits after it is a minus sign: `8-0` is −1. `!` counts as 0 too. Doubles and booleans
         *     are written as in `/1`.
         */
        readonly get: operations["getEventV2"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record one or many events by POST
         * @description The body's content type decides how it is read; parameters of the type, such as `charset`, make no difference.
         *
         *     **JSON and Smile**: one event, several one after another (JSON lines too), or an array. As soon as one complete
         *     value can be read the answer is 202: valid events are stored, and the `Warning` header and the body report the
         *     invalid ones. `text/plain` is read as JSON, for beacons.
         *
         *     **Senders of other makes** (setting `collector.doors`; a type whose door is not open is a 415 that says so):
         *     CloudEvents 1.0 (`cloudevents`) as one JSON object, as a batch, and in binary mode, with headers `ce-…` and data of
         *     any type, unless a value of the body has an `eventName`; plain objects as JSON lines or an array (`ndjson`), unless
         *     any of them has an `eventName`, and CSV with a header (`csv`), both with the parameter `name`. The payload is what was sent, whole. When a part of such a body is refused
         *     the answer is 400, with `accepted`, `rejected` and `errors`, and all else is kept.
         *
         *     **Validation** (`collector.validation`, with schemas of a registry or of files): an event whose type has a schema is
         *     compared with it; a JSON Schema may say for its type what follows. With `warn` it is stored, and the `Warning` counts the events that do not fit and names the first;
         *     with `set-aside` it is reported the same way, and stored in full below `_refused`;
         *     with `reject` it is refused with the code `schema-mismatch`, and a request of one Thrift struct with 400. Types
         *     without a schema always fit.
         *
         *     **Thrift**: with `name`, the body is the field list of one event (binary protocol, one struct without a header).
         *     `application/thrift` without `name` is a stream of envelopes. `ning/*`, `application/octet-stream` and a request
         *     without a content type are field lists, and need `name`.
         *
         *     **Limits** (settings): 64 MiB as sent, 128 MiB decompressed, 100 000 events in a request, of 10 000 buckets
         *     (event type and period). Beyond: 413, and nothing is kept. An event of more than 16 MiB or 100 000 values (objects
         *     and arrays among them) is refused alone.
         *
         *     **Retries**: send an `Idempotency-Key`, and repeat the request with the same key and body after a 503 or a lost
         *     answer. It counts once, and the answer is the first one, as long as the key is among the latest 2 million
         *     (`collector.idempotency.max-keys`), whatever the clock says: at 40 000 requests a second with a key each these cover
         *     50 s, while `Retry-After` is never more than 10 s. The metric `collector_idempotency_seconds` tells what they cover now.
         */
        readonly post: operations["postEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/logs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record logs of OpenTelemetry (OTLP/HTTP)
         * @description `ExportLogsServiceRequest` as JSON or Protocol Buffers. The event's name is `eventName`, else `log`; its date `timeUnixNano`,
         *     else `observedTimeUnixNano`. The payload is the log record in OTLP's JSON, with `resource` and `scope`. When some records
         *     are refused, the answer tells it as partial success; when all are, it is 400.
         */
        readonly post: operations["postOtlpLogs"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/projects/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tell the SDK of Segment for browsers where its calls go
         * @description The request of the SDK to its `cdnURL` before it sends. The answer has one destination, the host of the request.
         */
        readonly get: operations["getSegmentSettings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/{call}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record calls of the SDKs of Segment and RudderStack
         * @description `/v1/batch` takes `{"batch": […]}`, and `/v1/track`, `identify`, `page`, `screen`, `group` and `alias` (and their
         *     first letters, which browsers send) one call. The event's name is the `event` of a `track` call, else its type; its
         *     date `timestamp` or `originalTimestamp`. The payload is the whole call, with the members beside the batch.
         *     When a call of a batch is refused, all others are kept, and the answer is 400. Bodies are JSON whatever type they have.
         */
        readonly post: operations["postSegment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sourceConfig": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tell the SDK of RudderStack for browsers that it has no other destinations
         * @description The request of the SDK to its `configUrl` before it sends; the answer is always the same.
         */
        readonly get: operations["getRudderStackSettings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/beacon/v1/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record calls that the SDK of RudderStack sends by beacon, at /beacon/v1/batch
         * @description The same as `/v1/batch`.
         */
        readonly post: operations["postRudderStackBeacon"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/com.snowplowanalytics.snowplow/tp2": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record events of Snowplow trackers
         * @description The event's name is that of the schema of a self-describing event, else a word for `e`: `page_view`, `page_ping`,
         *     `struct`, `transaction`, `transaction_item`; its date `ttm` or `dtm`. The payload is the event, whole, with `nuid` from
         *     the cookie `sp`, which is set if it is missing. When an event is refused, all others are kept, and the answer
         *     is 400. Bodies are JSON whatever type they have.
         */
        readonly post: operations["postSnowplow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/i": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Record one event of a Snowplow tracker by GET
         * @description All parameters of the query are fields of the event, as in the body of a POST. The answer is a transparent pixel.
         */
        readonly get: operations["getSnowplow"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record events of the SDKs of PostHog
         * @description One event, an array, or `{"batch": […]}`, plain, by gzip or as base64 in a form. The event's name is `event`, its date
         *     `timestamp`. The payload is the whole event except keys, with the members beside the batch. When an event of
         *     several is refused, all others are kept, and the answer is 400.
         */
        readonly post: operations["postPostHogBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/capture": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record events of the SDKs of PostHog, at /capture
         * @description The same as `/batch`.
         */
        readonly post: operations["postPostHogCapture"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/e": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record events of the SDKs of PostHog, at /e
         * @description The same as `/batch`.
         */
        readonly post: operations["postPostHogE"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/i/v0/e": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record events of the SDKs of PostHog, at /i/v0/e
         * @description The same as `/batch`.
         */
        readonly post: operations["postPostHogEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/firehose": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record a delivery of Amazon Data Firehose
         * @description Records of a stream whose destination is an HTTP endpoint with the URL `/firehose?name=…`. The payload is the record where that
         *     is a JSON object, else `{"data": …}` with its text, or `{"data_base64": …}`. Without `eventDate` the date is that of the receipt.
         *     The access key of the stream is the token, where one is needed. When a record is refused, all others are kept, and the answer is 400.
         */
        readonly post: operations["postFirehose"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/array/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tell the SDK of PostHog for browsers that it has nothing to do but to send events
         * @description The request of the SDK before it sends, for JSON at `config` or a script at `config.js`.
         */
        readonly get: operations["getPostHogSettings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/flags": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Tell SDKs of PostHog that there are no feature flags, at /flags
         * @description The request of these SDKs before they send; the answer is always the same, and the request is ignored.
         */
        readonly post: operations["postPostHogFlags"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/decide": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Tell SDKs of PostHog that there are no feature flags, at /decide
         * @description The request of these SDKs before they send; the answer is always the same, and the request is ignored.
         */
        readonly post: operations["postPostHogDecide"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/hdfs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Browse directories and files as web pages
         * @description A directory is shown as a listing, a file as a table of rows; with `recursive=true`, a directory is shown as one
         *     table of the rows of all files below it, the newest file first. With `raw=false`, or `Accept: text/plain`, the
         *     answer is the CSV of `/rest/1.0/text` instead.
         */
        readonly get: operations["browse"];
        readonly put?: never;
        /**
         * Change files by a form, without script
         * @description Takes the forms of the browsing pages and leads back to the directory. Programs use `POST` and `DELETE` of
         *     `/rest/1.0`, whose parameters these are, and `MKDIRS` and `RENAME` of WebHDFS.
         */
        readonly post: operations["submitForm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a directory or file as JSON
         * @description Streams the entries with their rows. A directory gives its entries and the rows of its immediate files; with
         *     `recursive=true` all descendants. Hidden entries (names that begin with `_` or `.`, and all below them, counted
         *     below the requested path) are listed without rows. A file that cannot be read, or vanishes meanwhile,
         *     carries `error` in its entry and does not fail the answer. A stream that breaks midway ends as an aborted
         *     response, never as well-formed JSON.
         *
         *     An Iceberg table gives the rows of its current snapshot, the oldest files first, and no other files of its
         *     directory; its manifests decide which files `where` and `range` open. Files of deletions are a 422.
         *
         *     Each file is opened for its rows, however many there are, the next few while one is read: of a large directory ask
         *     for `content=false`, or for a part (`range`, `limit` with `startAfter`). That default never depends on what is in the
         *     directory.
         */
        readonly get: operations["readJson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/text": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the rows of a file or directory as CSV
         * @description RFC 4180, UTF-8, streamed. A directory gives the rows of its immediate files one after another; with
         *     `recursive=true` those of all descendants. Hidden entries (names that begin with `_` or `.`, and all below them,
         *     counted below the requested path) are left out, and so are files that vanish before any of their rows were sent.
         *     An Iceberg table gives the rows of its current snapshot, the oldest files first.
         */
        readonly get: operations["readText"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/binary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download bytes as stored
         * @description A file as it is, with length, `ETag` and `Last-Modified`. A directory needs `recursive=true` and gives its files
         *     one after another, or as an archive with `archive` or `Accept: application/x-tar`. Hidden entries (names that begin with `_`
         *     or `.`, and all below them, counted below the path of the request) are left out. Entries that an archive leaves out
         *     because it cannot be read (a named pipe, a file of others, one that vanished meanwhile) is named in a file
         *     `_LEFT_OUT.txt` at its end.
         *
         *     On a file the headers `Range` (one range of bytes, RFC 9110 section 14.2) and `If-Range` work as HTTP has them;
         *     other units, and several ranges, are ignored. They are not among the parameters, where many clients
         *     could not tell the header from the parameter `range`, which counts lines of the stored bytes. Both together are
         *     a 400.
         */
        readonly get: operations["readBinary"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/files/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download one file by a link
         * @description The bytes of one file as stored, by a plain path that other programs take as it is: DuckDB, pandas, `curl -C -`.
         *     Otherwise the same as `/rest/1.0/binary` of a file, with `Range`, `If-Range`, `ETag` and `Last-Modified`.
         *
         *     It is always a download, with `nosniff` and a Content-Security-Policy that gives it no power: a page or script
         *     among the files runs in no browser. A directory is a 409 that says what to use instead.
         */
        readonly get: operations["readFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0/viewer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show a JSON object that the browsing page links to
         * @description Decodes `object` and gives it back indented. Reads nothing from the file system.
         */
        readonly get: operations["viewObject"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rest/1.0": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Upload a file
         * @description The body is the file. Every content type is accepted; `multipart/form-data` is read as a
         *     form with one file; there a `path` that ends in `/` takes the file's own name. An empty body is an empty file; a
         *     request without a body and without a content type is a 400, and changes nothing. The file appears only when it is complete: it is written under a
         *     temporary name, checked, and renamed. An upload that is cut short leaves nothing behind.
         */
        readonly post: operations["uploadFile"];
        /**
         * Delete a file or directory
         * @description There is no trash. A directory that is not empty needs `recursive=true`; the root and the mount points of
         *     clusters are never deleted.
         */
        readonly delete: operations["deletePath"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhdfs/v1/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read by the WebHDFS API
         * @description Answers here, on every file system: `OPEN`, `GETFILESTATUS`, `LISTSTATUS`, `LISTSTATUS_BATCH`,
         *     `GETCONTENTSUMMARY`, `GETFILEBLOCKLOCATIONS`, `GETHOMEDIRECTORY`, `GETTRASHROOT`, `GETTRASHROOTS`,
         *     `GETSTATUS`, `GETSERVERDEFAULTS`, `CHECKACCESS`, and on HDFS `GETFILECHECKSUM`. Everything else
         *     is passed on to the cluster of the path, and its answer is returned.
         *
         *     `GETDELEGATIONTOKEN` gives a token of this server, and none of a cluster, to callers who came by a Kerberos ticket or
         *     by a proxy with single sign-on. It is good as `delegation` for whatever they may do here, for a day, and for a week
         *     with renewals.
         *
         *     `LISTSTATUS` is sent as it is made, however many entries there are; `LISTSTATUS_BATCH` in pages of some 1 000. Its
         *     `remainingEntries` tells whether there are more, and not how many.
         */
        readonly get: operations["webHdfsGet"];
        /**
         * Create, move and change by the WebHDFS API
         * @description Answers here, on every file system: `CREATE`, `MKDIRS`, `RENAME`, `SETPERMISSION`, `SETOWNER`, `SETREPLICATION` and
         *     `SETTIMES`. Everything else is passed on to the cluster of the path. On local storage `SETREPLICATION` of a file is `true` and
         *     changes nothing, and `SETOWNER` takes names and numbers of the server's machine.
         *
         *     `CREATE` stores a whole file or nothing: it appears under its name when all of it is there. Without a body the
         *     answer is a 307 whose `Location` takes the bytes, or, with `noredirect`, a 200 that names it. `permission` is
         *     kept as it is; the client's umask has been applied by the client.
         *
         *     `RENEWDELEGATIONTOKEN` and `CANCELDELEGATIONTOKEN` need no more than the role `read`.
         */
        readonly put: operations["webHdfsPut"];
        /**
         * Append by the WebHDFS API
         * @description `APPEND` adds bytes to a file, each request whole or not at all; readers see them at once. Without a body the
         *     answer is a 307 whose `Location` takes the bytes, or, with `noredirect`, a 200 that names it. Everything else
         *     is passed on to the cluster of the path, except `TRUNCATE` on local storage, which cuts the file in place.
         */
        readonly post: operations["webHdfsPost"];
        /**
         * Delete by the WebHDFS API
         * @description `DELETE` removes a file, an empty directory or, with `recursive`, a directory with all below it. Everything else
         *     is passed on to the cluster of the path.
         */
        readonly delete: operations["webHdfsDelete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/iceberg/v1/config": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tell a client of the catalog what it needs
         * @description The first call of every client. The warehouse `gateway` has a prefix: below it, all locations of a table lead through this
         *     server. Below no prefix, which is any other warehouse, they are those of the cluster.
         */
        readonly get: operations["icebergConfig"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/iceberg/v1/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List and load namespaces and tables
         * @description `namespaces`, `namespaces/{namespace}`, `namespaces/{namespace}/tables` and `namespaces/{namespace}/tables/{table}` of Iceberg's
         *     REST specification, each also below the prefix `gateway/`. `HEAD` of a namespace or a table is a 204 where it exists.
         *
         *     A table is a directory with `metadata/version-hint.text` or `metadata/v<N>.metadata.json`, or one of events in
         *     `collector.output.catalog`, which is asked for it. A namespace is every other directory; those are listed that have a table within
         *     three levels. Names that begin with `_` or `.`, and directories of partitions (`hour=08`, `2026`), are left out. One answer looks into 2 000 directories, and takes the rest for namespaces.
         */
        readonly get: operations["icebergGet"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/iceberg/files/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download metadata or manifests whose locations lead here
         * @description A metadata file (`….metadata.json`), a list of manifests or a manifest (`….avro`) of a table, whose locations lead through this
         *     server: to `/files/…` for data. Answered as `/files/…` is, with `Range`, `If-Range`, `ETag` and `Last-Modified`; up to 32 MiB. A table
         *     with rows deleted by position is a 406.
         */
        readonly get: operations["icebergFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lead to the browsing page
         * @description Where a person who knows only the address begins.
         */
        readonly get: operations["openRoot"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The page to log in
         * @description Asks for a token. It leads to the page that was asked for where the server needs none, and where the browser has a
         *     Kerberos ticket, or a proxy names its user; the ticket opens a session.
         */
        readonly get: operations["getLogin"];
        readonly put?: never;
        /**
         * Log in with a token
         * @description Opens a session; a cookie that scripts and other sites cannot use keeps its id. It ends by a logout, after
         *     12 hours without use, with its token, and with the process. Programs send the token in an `Authorization` header
         *     instead. After some logins that failed, an address waits for the answer to the next that fails.
         */
        readonly post: operations["postLogin"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log out
         * @description Ends the session, and removes its cookie.
         */
        readonly post: operations["postLogout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/static/pages.css": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The style of the pages
         * @description Pages name it with a hash of its content, so that browsers keep it for good.
         */
        readonly get: operations["getPageStyle"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/static/pages.js": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The script of the pages
         * @description An ES module for uploads with progress; the pages work without it.
         */
        readonly get: operations["getPageScript"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/1.0/healthcheck": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Health report
         * @description How writer, broker and file system are. The answer is 503 only when the collector refuses events; a file system
         *     or broker that is unavailable is a `WARN`, because events wait on disk meanwhile.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/livez": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Is the process alive?
         * @description For a supervisor, which restarts a process that does not answer.
         */
        readonly get: operations["getLiveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Should requests be sent here?
         * @description For a load balancer. Says no as soon as the server begins to shut down or refuses events.
         */
        readonly get: operations["getReadiness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * This contract as JSON
         * @description The OpenAPI 3.1 document that the server itself runs on.
         */
        readonly get: operations["getContract"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * This contract as a page
         * @description Loads nothing from elsewhere and needs no script.
         */
        readonly get: operations["getDocs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An error as the clients of Iceberg's REST catalog know it. */
        readonly IcebergError: {
            readonly error: components["schemas"]["IcebergErrorModel"];
        };
        /** @description What is wrong. */
        readonly IcebergErrorModel: {
            /** @description What is wrong. */
            readonly message: string;
            /** @description The class that a client in Java throws. */
            readonly type: string;
            /** @description The status of the answer. */
            readonly code: number;
        };
        /** @description What a client has to know before all else. */
        readonly IcebergConfig: {
            /** @description Nothing. */
            readonly defaults: {
                readonly [key: string]: string;
            };
            /** @description `prefix` of the paths of the warehouse. */
            readonly overrides: {
                readonly [key: string]: string;
            };
            /** @description What of the specification is there. */
            readonly endpoints: readonly string[];
        };
        /** @description `ListNamespacesResponse`, `GetNamespaceResponse`, `ListTablesResponse` or `LoadTableResult` of Iceberg's specification. */
        readonly IcebergAnswer: {
            readonly [key: string]: unknown;
        };
        /** @description An error as Hadoop's clients know it. */
        readonly RemoteException: {
            readonly RemoteException: components["schemas"]["RemoteExceptionBody"];
        };
        /** @description What is thrown again where the client is written in Java. */
        readonly RemoteExceptionBody: {
            /**
             * @description The class without its package.
             * @example FileNotFoundException
             */
            readonly exception: string;
            /**
             * @description The class.
             * @example java.io.FileNotFoundException
             */
            readonly javaClassName: string;
            /**
             * @description What is wrong.
             * @example File /data/words.txt not found.
             */
            readonly message: string;
        };
        /**
         * @description What went wrong, for programs. Codes are never renamed.
         * @enum {string}
         */
        readonly ErrorCode: "bad-request" | "bad-parameter" | "bad-event" | "bad-event-name" | "bad-path" | "unauthenticated" | "denied" | "forbidden-host" | "not-found" | "method-not-allowed" | "not-acceptable" | "request-timeout" | "exists" | "not-empty" | "is-directory" | "not-directory" | "precondition-failed" | "too-large" | "uri-too-long" | "unsupported-media-type" | "range-not-satisfiable" | "unreadable" | "nothing-accepted" | "key-reused" | "rate-limited" | "headers-too-large" | "internal" | "unsupported" | "overloaded" | "draining" | "unavailable" | "quota-exceeded";
        /** @description An error, as RFC 9457 has it. */
        readonly Problem: {
            /**
             * @description Always `about:blank`; the code tells the kind.
             * @constant
             */
            readonly type: "about:blank";
            /** @description The code in words. */
            readonly title: string;
            /** @description The HTTP status. */
            readonly status: number;
            readonly code: components["schemas"]["ErrorCode"];
            /** @description What is wrong with this request, for people. */
            readonly detail?: string;
            /** @description Where events were refused, how many were stored all the same. */
            readonly accepted?: number;
            /** @description Where events were refused, how many. */
            readonly rejected?: number;
            /** @description Where events were refused, the first 100 of them. */
            readonly errors?: readonly components["schemas"]["EventError"][];
        };
        /** @description The fields of the form. */
        readonly LoginForm: {
            /** @description As `Authorization` has it after `Bearer`. */
            readonly token: string;
        };
        /** @description The fields of the form. */
        readonly FileForm: {
            /**
             * Format: binary
             * @description The one file of `upload`; only for `upload`.
             */
            readonly file?: Blob | Uint8Array<ArrayBuffer>;
            /**
             * @description The new name, of `mkdir` and `rename`, at most 255 bytes; the others ignore it.
             * @example words.txt
             */
            readonly name?: string;
            /**
             * @description Names of what `delete-selected` deletes; the others ignore it.
             * @example [
             *       "words.txt"
             *     ]
             */
            readonly select?: readonly string[];
            /**
             * @description Where `rename` puts it, a path of at most 4096 characters; where it is already, if empty. The others ignore it.
             * @example /events
             */
            readonly directory?: string;
            /**
             * @description Which deletion `undo` undoes; the others ignore it.
             * @example 6f1c0c9e-2f4e-4b7a-9d6e-0a4c54c5d9f1
             */
            readonly undo?: string;
        };
        /** @description One event. Fields beside these two are ignored. */
        readonly Event: {
            /**
             * @description Names the type of the event, and the directory its files land in. Characters other than letters, digits,
             *     `.`, `-` and `_` are percent-encoded there, and count so towards the 255. No slashes or control characters.
             * @example PageView
             */
            readonly eventName: string;
            readonly payload: components["schemas"]["Payload"];
        };
        /**
         * @description The fields of the event, of any type. Two names have a meaning; null in them counts as absent. `eventDate` is when it happened, as ms since the
         *     epoch or as ISO 8601 text of at most 64 characters, in the years 1970 to 9999; else the `date` parameter, else
         *     the time of receipt. `eventGranularity` is MINUTE, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY, in any case; else
         *     the `gr` parameter.
         */
        readonly Payload: {
            readonly [key: string]: unknown;
        };
        /** @description Events of a sender of another make, in its own form. */
        readonly ForeignEvents: {
            readonly [key: string]: unknown;
        };
        /** @description Settings of an SDK of another make. */
        readonly SdkSettings: {
            readonly [key: string]: unknown;
        };
        /** @description Everything was taken. */
        readonly PostHogSuccess: {
            /** @description Always `Ok`. */
            readonly status: string;
        };
        /** @description Everything was taken. */
        readonly DoorSuccess: {
            /** @description Always true. */
            readonly success: boolean;
        };
        /** @description What became of the events of a request. */
        readonly IntakeReport: {
            /** @description How many were stored. */
            readonly accepted: number;
            /** @description How many were not. */
            readonly rejected: number;
            /** @description The first 100 of them. */
            readonly errors: readonly components["schemas"]["EventError"][];
            /**
             * @description The first of the stored events that do not fit their schemas, at most 100 together with the errors; absent
             *     when all fit.
             */
            readonly mismatches?: readonly components["schemas"]["EventMismatch"][];
            /**
             * @description `local`: the events are on the disk of one machine alone, because the file system does not accept the log; absent when they are
             *     as safe as `collector.ack` says.
             * @enum {string}
             */
            readonly durability?: "local";
        };
        /** @description Why one event was refused. */
        readonly EventError: {
            /** @description Position in the request, from 0. */
            readonly index: number;
            /**
             * @description What is wrong, for programs. Codes are never renamed.
             * @enum {string}
             */
            readonly code: "bad-event" | "bad-event-name" | "schema-mismatch";
            /** @description What is wrong, for people. */
            readonly detail: string;
        };
        /** @description Where a stored event does not fit the schema of its type. */
        readonly EventMismatch: {
            /** @description Position in the request, from 0. */
            readonly index: number;
            /** @description The first field that does not fit, for people. */
            readonly detail: string;
        };
        /** @description How the parts of the server are. */
        readonly HealthReport: {
            /** @description URL of the report. */
            readonly location: string;
            /** @description Number of items. */
            readonly size: number;
            /** @description Format of the report. */
            readonly formatVersion: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly generated: string;
            /** @description One for each part. */
            readonly items: readonly components["schemas"]["HealthItem"][];
        };
        /** @description How one part is. */
        readonly HealthItem: {
            /** @description `WriterHealthCheck`, `RealtimeHealthCheck`, `HadoopHealthCheck`; `TokenFileHealthCheck` while something is wrong with the file of tokens. */
            readonly type: string;
            /**
             * @description `ERROR` means that events are refused.
             * @enum {string}
             */
            readonly code: "OK" | "WARN" | "ERROR";
            /** @description Counters and settings as text. */
            readonly message: string;
        };
        /** @description A directory or file with its rows. */
        readonly Listing: {
            /** @description The path asked for. */
            readonly path: string;
            /** @description Its directory, URL-encoded; empty at the root. */
            readonly parentPath: string;
            /** @description The file itself, or what is in the directory. */
            readonly entries: readonly components["schemas"]["Entry"][];
        };
        /** @description A file or directory. */
        readonly Entry: {
            /** @description Absolute path. */
            readonly path: string;
            /**
             * Format: int64
             * @description Last change, ms since the epoch.
             */
            readonly mtime: number;
            /**
             * Format: int64
             * @description Bytes; 0 for a directory.
             */
            readonly size: number;
            /** @description Copies of each block; 0 for a directory. */
            readonly replication: number;
            /** @description Whether it is a directory. */
            readonly isDir: boolean;
            /** @description The rows. */
            readonly content: readonly components["schemas"]["Row"][];
            /** @description How the rows were read. */
            readonly serializer?: string;
            /** @description Who owns it. */
            readonly owner?: string;
            /** @description Its group. */
            readonly group?: string;
            /** @description Octal digits. */
            readonly permission?: string;
            /**
             * Format: int64
             * @description Bytes of a block.
             */
            readonly blockSize?: number;
            /**
             * Format: int64
             * @description With `where`, how many of its rows were looked at.
             */
            readonly searched?: number;
            /**
             * Format: int64
             * @description With `where`, how many of these match.
             */
            readonly matched?: number;
            /** @description Columns in `where` that no examined row has; absent if every column was found. */
            readonly unknownColumns?: readonly string[];
            /** @description Why the rows could not be read (to the end). */
            readonly error?: string;
        };
        /** @description One row, by column. Text splits at tabs into `col-0`, `col-1` and so on. */
        readonly Row: {
            readonly [key: string]: unknown;
        };
        /** @description The new file. */
        readonly Uploaded: {
            /** @description Absolute path. */
            readonly path: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            readonly size: number;
            /** @description Copies of each block. */
            readonly replication: number;
            /**
             * Format: int64
             * @description Bytes of a block.
             */
            readonly blockSize: number;
            /** @description Octal digits. */
            readonly permission: string;
        };
        /** @description What was deleted. */
        readonly Deleted: {
            /** @description Absolute path. */
            readonly path: string;
            /** @description Always true. */
            readonly deleted: boolean;
        };
    };
    responses: {
        /**
         * @description The event is on disk, and with `collector.ack: replicated` in HDFS as well. The body is empty; a `Warning` header says
         *     where the event does not fit its schema.
         */
        readonly EventRecorded: {
            headers: {
                readonly Warning: components["headers"]["Warning"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The door is not open, or there is nothing at this path. */
        readonly NoDoor: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "code": "not-found",
                 *       "detail": "Not found: the door is closed; add it to collector.doors: segment"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The good events are on disk, and with `collector.ack: replicated` in HDFS as well. Where some were refused, or do not
         *     fit their schemas, a `Warning` header counts them and the body tells what was wrong.
         */
        readonly EventsRecorded: {
            headers: {
                readonly Warning: components["headers"]["Warning"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["IntakeReport"];
            };
        };
        /** @description No event could be read, or a parameter is malformed. Nothing was stored. */
        readonly BadEvent: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is missing or malformed, or a path cannot be used. */
        readonly BadParameter: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The server wants to know who calls: a token is missing or unknown, a Kerberos ticket is not good here, or no rule
         *     is for the caller; `detail` says which.
         */
        readonly Unauthenticated: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "A valid token is needed",
                 *       "status": 401,
                 *       "code": "unauthenticated"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The token lacks the role, the file system refuses, or (code `forbidden-host`) the request came under a host name
         *     or from a web page that is not allowed.
         */
        readonly Denied: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is nothing at the path. */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "code": "not-found",
                 *       "detail": "Cannot look at \"/data/none.txt\": there is no such file or directory"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is missing or malformed, or a path cannot be used. */
        readonly BadQuestion: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": string;
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "A parameter is missing or malformed",
                 *       "status": 400,
                 *       "code": "bad-parameter",
                 *       "detail": "Parameter \"pretty\": expected true or false, got \"yes\""
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is nothing at the path. Where events wait that will be there, it is a page that says so. */
        readonly NothingThereYet: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": string;
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "code": "not-found",
                 *       "detail": "Cannot look at \"/data/none.txt\": there is no such file or directory"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The path does not have the method; `Allow` names those it has. */
        readonly MethodNotAllowed: {
            headers: {
                readonly Allow: components["headers"]["Allow"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The method is not allowed here",
                 *       "status": 405,
                 *       "code": "method-not-allowed",
                 *       "detail": "/1 does not allow PUT; allowed: GET, HEAD, OPTIONS"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Accept` header excludes everything that the operation can answer. Nothing was stored. */
        readonly NotAcceptable: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "No acceptable representation",
                 *       "status": 406,
                 *       "code": "not-acceptable",
                 *       "detail": "The Accept header excludes text/csv, text/plain, application/problem+json"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body came too slowly. The connection is closed. */
        readonly RequestTimeout: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The request took too long to arrive",
                 *       "status": 408,
                 *       "code": "request-timeout"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The path exists already (`exists`), a directory is not empty (`not-empty`), or a directory is where a file
         *     was expected or the other way round (`is-directory`, `not-directory`).
         */
        readonly Conflict: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The path exists already",
                 *       "status": 409,
                 *       "code": "exists",
                 *       "detail": "Cannot create \"/data/words.txt\": it exists already"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file is not the one that `If-Match` or `If-Unmodified-Since` expects. */
        readonly PreconditionFailed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The file is not the one that was expected",
                 *       "status": 412,
                 *       "code": "precondition-failed"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Range` begins beyond the end of the file. */
        readonly RangeNotSatisfiable: {
            headers: {
                /** @description The length of the file. */
                readonly "Content-Range"?: string;
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The range lies beyond the end",
                 *       "status": 416,
                 *       "code": "range-not-satisfiable",
                 *       "detail": "\"/data/words.txt\" has 17 bytes"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The first file is damaged before its first row, or of a kind that no row serializer reads. Damage further on
         *     breaks the stream off after the rows before it.
         */
        readonly Unreadable: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The file cannot be read as rows",
                 *       "status": 422,
                 *       "code": "unreadable",
                 *       "detail": "smile: a reference to string 959, but the header says that none are shared, at byte 6"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The body, decompressed or not, is larger than allowed, or holds too many events. Nothing was stored. Unfolding
         *     stops at the limit.
         */
        readonly TooLarge: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The request is too large",
                 *       "status": 413,
                 *       "code": "too-large",
                 *       "detail": "The body has 67108865 bytes; at most 67108864 are accepted (collector.max-body-bytes)"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The URL has more than 8 KiB. */
        readonly UriTooLong: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The URL is too long",
                 *       "status": 414,
                 *       "code": "uri-too-long",
                 *       "detail": "The URL has 9000 characters; 8192 are allowed"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The content type or the content encoding is not one of those listed. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The content type or encoding is not supported",
                 *       "status": 415,
                 *       "code": "unsupported-media-type",
                 *       "detail": "Content-Type: expected one of application/json, text/plain, application/x-ndjson, application/json+smile, application/smile, application/thrift, ning/*, application/octet-stream, application/cloudevents+json, application/cloudevents-batch+json"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The idempotency key was used before, with another body; or `Prefer: handling=strict` was sent, and every event
         *     was refused: then it has `accepted`, `rejected` and `errors` as a 202. Nothing was stored.
         */
        readonly NotRecorded: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The sender is over its quota (`collector.quota.*`), over all threads of the server: a token, or an address. Nothing of the request was stored: retry
         *     after `Retry-After`. A request counts as a whole, so the wait after a large one is longer.
         */
        readonly RateLimited: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The sender is over its quota; retry later",
                 *       "status": 429,
                 *       "code": "rate-limited",
                 *       "detail": "More than 1000 events a second (collector.quota.events-per-second) came from this sender; nothing of the request was stored. Send it again in 12 s"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The headers, the URL included, have more than 64 KiB. The connection is closed. */
        readonly HeadersTooLarge: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The request headers are too large",
                 *       "status": 431,
                 *       "code": "headers-too-large"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A fault of the server; its log has the cause. */
        readonly Internal: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "code": "internal"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description A queue or the disk is full, more requests have arrived than can be answered in time, or the client has
         *     made more than its share of the 10 000 buckets (event type and period) of one segment of the log, which clients
         *     share until the next one begins (`overloaded`). Or the server is shutting down or drained (`draining`), or its disk failed (`unavailable`). Nothing of the request was stored: send it again after `Retry-After`.
         */
        readonly Overloaded: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file system does not answer; retry after `Retry-After`. */
        readonly Unavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The file system is unavailable",
                 *       "status": 503,
                 *       "code": "unavailable"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The file system does not answer (`unavailable`), or the server has its maximum of reads in progress
         *     (`overloaded`; `gateway.max-reads`, 256 by default): a read counts until its last byte is sent or its client disconnects.
         *     Retry after `Retry-After`.
         */
        readonly ReadsUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file system has no room left for you. */
        readonly QuotaExceeded: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "about:blank",
                 *       "title": "The quota of the file system is used up",
                 *       "status": 507,
                 *       "code": "quota-exceeded"
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is missing or malformed, a path cannot be used, or the file system cannot do this. */
        readonly RemoteBadRequest: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "IllegalArgumentException",
                 *         "javaClassName": "java.lang.IllegalArgumentException",
                 *         "message": "Parameter \"fsaction\": expected three of rwx or dashes such as r-x, got \"all\""
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The server requires a token; it is missing or unknown. */
        readonly RemoteUnauthenticated: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "AuthenticationException",
                 *         "javaClassName": "org.apache.hadoop.security.authentication.client.AuthenticationException",
                 *         "message": "A valid token is needed"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The token lacks the role, the file system refuses, or the request came under a host name or from a web page that is not allowed. */
        readonly RemoteRefused: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "AccessControlException",
                 *         "javaClassName": "org.apache.hadoop.security.AccessControlException",
                 *         "message": "Permission denied: user=ann, access=WRITE, inode=\"/data\""
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description There is nothing at the path. */
        readonly RemoteNotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "FileNotFoundException",
                 *         "javaClassName": "java.io.FileNotFoundException",
                 *         "message": "File /data/words.txt not found."
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The path does not have the method; `Allow` names those it has. */
        readonly RemoteMethodNotAllowed: {
            headers: {
                readonly Allow: components["headers"]["Allow"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "UnsupportedOperationException",
                 *         "javaClassName": "java.lang.UnsupportedOperationException",
                 *         "message": "/webhdfs/v1 does not allow PATCH"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The URL has more than 8 KiB. */
        readonly RemoteUriTooLong: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "IllegalArgumentException",
                 *         "javaClassName": "java.lang.IllegalArgumentException",
                 *         "message": "The URL has 9000 characters; 8192 are allowed"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description An unexpected error; the log has its cause. */
        readonly RemoteInternal: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "RuntimeException",
                 *         "javaClassName": "java.lang.RuntimeException",
                 *         "message": "Internal error"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The file system does not answer, or there is too much to do; `Retry-After` names when to come back. */
        readonly RemoteUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "RetriableException",
                 *         "javaClassName": "org.apache.hadoop.ipc.RetriableException",
                 *         "message": "Cannot look at \"/data\": name node nn:9870 failed with ECONNREFUSED"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description The quota of the file system is used up. */
        readonly RemoteQuotaExceeded: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "RemoteException": {
                 *         "exception": "QuotaExceededException",
                 *         "javaClassName": "org.apache.hadoop.hdfs.protocol.QuotaExceededException",
                 *         "message": "Cannot create \"/data/x\": the disk quota is used up"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["RemoteException"];
            };
        };
        /** @description A parameter is malformed, or a path cannot be used. */
        readonly IcebergBadRequest: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "Parameter \"pageSize\": expected an integer from 1 to 1000, got \"0\"",
                 *         "type": "BadRequestException",
                 *         "code": 400
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The server requires a token; it is missing or unknown. */
        readonly IcebergUnauthenticated: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "A valid token is needed",
                 *         "type": "NotAuthorizedException",
                 *         "code": 401
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The token lacks the role, the file system refuses, or the request came under a host name or from a web page that is not allowed. */
        readonly IcebergRefused: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "The Host header does not name this server; add the name to allowed-hosts",
                 *         "type": "ForbiddenException",
                 *         "code": 403
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description There is no such namespace (`NoSuchNamespaceException`), table (`NoSuchTableException`), or file (`NotFoundException`). */
        readonly IcebergNotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "\"/events/Order\" is not a table",
                 *         "type": "NoSuchTableException",
                 *         "code": 404
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The catalog is read-only, or a table has what cannot be read through the gateway. */
        readonly IcebergReadOnly: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "This catalog is read-only: /iceberg/v1 does not allow POST; allowed: GET, HEAD, OPTIONS",
                 *         "type": "UnsupportedOperationException",
                 *         "code": 406
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The file is not the one that `If-Match` or `If-Unmodified-Since` expects. */
        readonly IcebergPreconditionFailed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "\"/events/Order/metadata/v2.metadata.json\" has changed",
                 *         "type": "BadRequestException",
                 *         "code": 412
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The URL is too long. */
        readonly IcebergUriTooLong: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "The URL has 9000 characters; 8192 are allowed",
                 *         "type": "BadRequestException",
                 *         "code": 414
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The `Range` begins beyond the end of the file. */
        readonly IcebergRangeNotSatisfiable: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "\"/events/Order/metadata/v2.metadata.json\" has 2000 bytes",
                 *         "type": "BadRequestException",
                 *         "code": 416
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description The metadata of the table violates the Iceberg specification, or has a version other than 2. */
        readonly IcebergUnreadable: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "/events/Order/metadata/v2.metadata.json: expected format version 2 of Iceberg, found 3",
                 *         "type": "UnprocessableEntityException",
                 *         "code": 422
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description A failure of the server. The log says more. */
        readonly IcebergInternal: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "Internal error",
                 *         "type": "InternalServerError",
                 *         "code": 500
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
        /** @description Too many reads are in progress, the server is shutting down, or the file system is unavailable; retry after `Retry-After`. */
        readonly IcebergUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "257 of at most 256 reads are in progress (gateway.max-reads); retry later",
                 *         "type": "ServiceUnavailableException",
                 *         "code": 503
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["IcebergError"];
            };
        };
    };
    parameters: {
        /**
         * @description The event, name first, then its fields; see above.
         * @example PageView,s/news,487,b1,xdate
         */
        readonly V1: string;
        /**
         * @description The event, name first, then its fields; integers in base 64.
         * @example PageView,s/news,40M,b1,xdate
         */
        readonly V2: string;
        /**
         * @description When the event happened, ISO 8601; the time of receipt where absent. In JSON and Smile an `eventDate` in the
         *     payload comes first. The plus sign of an offset is sent as `%2B`.
         * @example 2009-01-02T03:04:05Z
         */
        readonly Date: string;
        /**
         * @description The length of time that one bucket of files covers, in upper or lower case. In JSON and Smile an `eventGranularity`
         *     in the payload comes first.
         * @example DAILY
         */
        readonly Granularity: "MINUTE" | "HOURLY" | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
        /**
         * @description Name of the event, for Thrift field lists, and for plain objects and tables of senders of other makes. JSON and Smile name it in the body.
         * @example PageView
         */
        readonly EventName: string;
        /**
         * @description With `handling=strict` (RFC 7240) a request of which no event was accepted is answered with 422 instead of 202.
         *     Other preferences make no difference.
         * @example handling=strict
         */
        readonly Prefer: string;
        /**
         * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
         *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
         *     remembered (`collector.idempotency.max-keys`), through restarts as well.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        readonly IdempotencyKey: string;
        /**
         * @description With it, no cookie is read or set.
         * @example *
         */
        readonly SpAnonymous: string;
        /**
         * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
         * @example gzip
         */
        readonly ContentEncoding: string;
        /**
         * @description Absolute path in the file system.
         * @example /data/words.txt
         */
        readonly Path: string;
        /**
         * @description Rows to give, counted from 0 over all files of the answer, both ends included; a first of 1 starts at the top.
         *     So `1-50` are the first 51 rows, and `51-100` follow. Reading stops after the last, and with it the list of
         *     entries.
         * @example 1-50
         */
        readonly Range: string;
        /**
         * @description Only these columns, in this order: names at the top level of a row, with commas between them; the parameter may be
         *     repeated. A name with a comma, a quote at its beginning or spaces around it is written in double quotes, quotes in it
         *     doubled (`"a,b"`). Of a Parquet file only these columns are read.
         *
         *     A name that a file is known not to have (Parquet, Avro, a CSV header) is a 400 where that file was asked for; where
         *     columns come with the rows, and in directories, whose files may have different ones, what is absent is null in
         *     JSON and empty in CSV.
         * @example [
         *       "user",
         *       "time"
         *     ]
         */
        readonly Columns: readonly string[];
        /**
         * @description The separator of columns in a file of `.csv`, `.tsv` or `.tab`: a name, or the character itself. By default the one of comma,
         *     semicolon, tab and bar that fits the first records best.
         * @example semicolon
         */
        readonly Delimiter: string;
        /**
         * @description The quotes around fields of such a file. By default they are detected; most files have `double`.
         * @example double
         */
        readonly Quote: "double" | "single" | "none";
        /**
         * @description The decimal mark of numbers in such a file. By default a comma if columns are not separated by commas, and
         *     all values of a column among the first records are such numbers; in the answer they have a point.
         * @example comma
         */
        readonly DecimalMark: "point" | "comma";
        /**
         * @description Whether the first record of such a file has the names of the columns. Without it, where it has a name for each, each once,
         *     and none is a number or a date.
         * @example true
         */
        readonly HasHeader: "true" | "false";
        /**
         * @description How a file of text, CSV or JSON is encoded. Without it UTF-8, unless its first bytes show UTF-16, or its first bytes
         *     beyond ASCII, however late they come, Windows-1252 (which Latin-1 is a part of).
         * @example windows-1252
         */
        readonly Encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
        /**
         * @description Only these entries of the directory, with all below them, hidden ones too; may be repeated. For an archive, and for
         *     the page that asks before they are deleted.
         * @example [
         *       "words.txt"
         *     ]
         */
        readonly Select: readonly string[];
        /**
         * @description Only rows of which this is true: `status >= 500 and (path ~ "/api" or user.name = null)`.
         *
         *     - **Fields** are columns, and their members after a dot (`user.name`); a name with other characters than those
         *       of a word is written in double quotes (`"first name".x`), quotes in it doubled. Of an array one element is enough;
         *       what is absent is null.
         *     - **Operators**: `=` `!=` `<` `<=` `>` `>=`; `~` is "contains", whatever the case; `!=` and `!~` are the opposites
         *       of `=` and `~`, whatever there is. `and`, `or`, `not` and parentheses join them, `and` before `or`.
         *     - **As in SQL**: `status in (500, 503)`, `path like '/api/%'` (`%` matches any characters, `_` one, `\` before
         *       either itself; case-sensitive), `time between 2024-05-01 and 2024-05-02` (both included), `user is null`; with
         *       `not` before `in`, `like`, `between` and `null` the opposite.
         *     - **A word alone**, or text in quotes, is looked for in all columns, whatever the case: `timeout and not "/health"`.
         *     - **Values**: a number, `true`, `false`, `null`, a word, or text in quotes of either kind. Numbers compare exactly
         *       (64 bits, decimals), also with text that is a number, as in CSV; ISO 8601 times with text that is a time; all
         *       other text by code point. Text in quotes is never a number. Values that cannot be compared do not match.
         *
         *     `range` counts all rows, also those that do not match, so it bounds how many are looked at. With `columns`,
         *     other columns can be asked about. Of a Parquet file only these columns are read, and no row group whose
         *     statistics rule a match out. A name that the file asked for does not have is a 400, with the nearest that it has. Of
         *     formats that do not name their columns first, such as JSON lines, it is known once the rows were read: a 400 in CSV,
         *     an `error` of the file in JSON, where no row matches; `unknownColumns` in any case.
         *
         *     At most 4,096 characters, 100 comparisons and 50 levels of parentheses.
         * @example status >= 500
         */
        readonly Where: string;
        /**
         * @description Whether everything below a directory is meant.
         * @example true
         */
        readonly Recursive: boolean;
        /**
         * @description Accepted as on every read, without effect here.
         * @example false
         */
        readonly RawIgnored: boolean;
        /**
         * @description Whether the JSON is indented.
         * @example true
         */
        readonly Pretty: boolean;
        /**
         * @description How many entries of a directory to give at most.
         * @example 1000
         */
        readonly Limit: number;
        /**
         * @description Path and query of this server to go to after the login.
         * @example /rest/1.0/hdfs?path=/events
         */
        readonly ReturnTo: string;
        /**
         * @description Hash of the content; makes no difference to the answer but how long it may be kept.
         * @example 5d41402abc4b2a76
         */
        readonly AssetVersion: string;
        /**
         * @description Gives only entries whose name comes after this one, byte by byte. For the next page, the last name of this one. With rows of an
         *     Iceberg table, the path below it of a file that its current snapshot has.
         * @example part-00041
         */
        readonly StartAfter: string;
        /**
         * @description The path of the file without its first slash, each name escaped once (`%20` for a space, `%25` for a percent sign). An
         *     escaped slash counts as a slash.
         * @example data/words.txt
         */
        readonly FilePath: string;
        /**
         * @description Answers 304 when the file still has this `ETag`.
         * @example "1304459806000-17"
         */
        readonly IfNoneMatch: string;
        /**
         * @description Answers 304 when the file has not changed since; counts only without `If-None-Match`.
         * @example Tue, 03 May 2011 21:56:46 GMT
         */
        readonly IfModifiedSince: string;
        /**
         * @description Answers 412 when the file no longer has this `ETag`.
         * @example "1304459806000-17"
         */
        readonly IfMatch: string;
        /**
         * @description Answers 412 when the file has changed since; counts only without `If-Match`.
         * @example Tue, 03 May 2011 21:56:46 GMT
         */
        readonly IfUnmodifiedSince: string;
        /**
         * @description The name of the resource; levels of a namespace are separated by `%1F`.
         * @example namespaces/events/tables/Order
         */
        readonly IcebergPath: string;
        /**
         * @description The absolute path in the file system, without its first slash; the root where empty.
         * @example data/words.txt
         */
        readonly WebHdfsPath: string;
        /**
         * @description The name of the caller, if no tokens are required.
         * @example ann
         */
        readonly UserName: string;
        /**
         * @description For whom somebody calls, where no tokens are asked for; otherwise refused.
         * @example bob
         */
        readonly DoAs: string;
        /**
         * @description A token of this server, or a delegation token, for clients that cannot send a header.
         * @example 4f1c6a…
         */
        readonly Delegation: string;
        /**
         * @description The user who may renew a delegation token, by name or principal; by default the caller.
         * @example yarn
         */
        readonly Renewer: string;
        /**
         * @description The kind named in a delegation token; by default `WEBHDFS delegation`, or `SWEBHDFS delegation` by TLS.
         * @example WEBHDFS delegation
         */
        readonly TokenKind: string;
        /**
         * @description The service named in a delegation token. Hadoop's clients replace it with their own.
         * @example 127.0.0.1:8080
         */
        readonly TokenService: string;
        /**
         * @description The delegation token that is to be renewed or cancelled.
         * @example IgADYm9i…
         */
        readonly TokenArgument: string;
        /**
         * @description First byte to read; the first of all where absent.
         * @example 0
         */
        readonly Offset: number;
        /**
         * @description Bytes to read at most, all behind `offset` where absent; for locations of blocks, too.
         * @example 4096
         */
        readonly Length: string;
        /**
         * @description Makes no difference to the bytes. Hadoop's Java client sends it without `offset` to learn where a file is, and ignores
         *     the bytes: it gets a 307.
         * @example 4096
         */
        readonly BufferSize: number;
        /**
         * @description Whether the address to read from or write to is returned as `{"Location":…}` instead of a header.
         * @example true
         */
        readonly NoRedirect: boolean;
        /**
         * @description Whether the body is the data, as it is behind a `Location` of this server.
         * @example true
         */
        readonly Data: boolean;
        /**
         * @description The last name of the page before.
         * @example part-00041
         */
        readonly WebHdfsStartAfter: string;
        /**
         * @description The access to check, of `CHECKACCESS`.
         * @example r-x
         */
        readonly FsAction: string;
        /**
         * @description Whether the trash of all users is meant.
         * @example true
         */
        readonly AllUsers: boolean;
        /**
         * @description Whether a file that is there already is replaced.
         * @example true
         */
        readonly WebHdfsOverwrite: boolean;
        /**
         * @description Permission bits, in octal digits.
         * @example 644
         */
        readonly WebHdfsPermission: string;
        /**
         * @description How many copies of each block.
         * @example 3
         */
        readonly WebHdfsReplication: number;
        /**
         * @description Bytes of a block.
         * @example 134217728
         */
        readonly WebHdfsBlockSize: number;
        /**
         * @description Whether `CREATE` makes directories that are missing.
         * @example true
         */
        readonly CreateParent: boolean;
        /**
         * @description The path that `RENAME` moves to.
         * @example /data/old-words.txt
         */
        readonly Destination: string;
        /**
         * @description `NONE` or `OVERWRITE`, perhaps with `TO_TRASH`; without it a directory at the destination is moved into, and a refusal is a `false`.
         * @example OVERWRITE
         */
        readonly RenameOptions: string;
        /**
         * @description The new owner.
         * @example ann
         */
        readonly Owner: string;
        /**
         * @description The new group.
         * @example staff
         */
        readonly Group: string;
        /**
         * @description In ms since the epoch; -1, or absent: as it is.
         * @example 1304459806000
         */
        readonly ModificationTime: number;
        /**
         * @description In ms since the epoch; -1, or absent: as it is.
         * @example 1304459806000
         */
        readonly AccessTime: number;
        /**
         * @description Whether all below a directory goes with it.
         * @example true
         */
        readonly WebHdfsRecursive: boolean;
        /**
         * @description Entries of an ACL; passed on.
         * @example user:bob:r--
         */
        readonly AclSpec: string;
        /**
         * @description Name of an extended attribute; passed on, as often as it is given.
         * @example user.source
         */
        readonly XAttrName: string;
        /**
         * @description Its value; passed on.
         * @example "web"
         */
        readonly XAttrValue: string;
        /**
         * @description `CREATE` or `REPLACE`; passed on.
         * @example CREATE
         */
        readonly XAttrFlag: string;
        /**
         * @description How the value is to be written, `text`, `hex` or `base64`; passed on.
         * @example text
         */
        readonly XAttrEncoding: string;
        /**
         * @description A snapshot; passed on.
         * @example s1
         */
        readonly SnapshotName: string;
        /**
         * @description The older snapshot, or the old name; passed on.
         * @example s0
         */
        readonly OldSnapshotName: string;
        /**
         * @description Where a list of differences continues; passed on.
         * @example /data/a
         */
        readonly SnapshotDiffStartPath: string;
        /**
         * @description Where a list of differences continues; passed on.
         * @example 0
         */
        readonly SnapshotDiffIndex: string;
        /**
         * @description Passed on.
         * @example HOT
         */
        readonly StoragePolicy: string;
        /**
         * @description A policy of erasure coding; passed on.
         * @example RS-6-3-1024k
         */
        readonly EcPolicy: string;
        /**
         * @description Passed on.
         * @example 1000
         */
        readonly NamespaceQuota: string;
        /**
         * @description Passed on.
         * @example 1099511627776
         */
        readonly StorageSpaceQuota: string;
        /**
         * @description Passed on.
         * @example SSD
         */
        readonly StorageType: string;
        /**
         * @description Paths of `CONCAT`, between commas; passed on.
         * @example /data/a
         */
        readonly Sources: string;
        /**
         * @description Bytes that `TRUNCATE` leaves; passed on.
         * @example 17
         */
        readonly NewLength: string;
    };
    requestBodies: never;
    headers: {
        /** @description An address of this server. */
        readonly WebHdfsLocation: string;
        /** @description The page to GET next. */
        readonly Location: string;
        /** @description The session, or its end. */
        readonly SetCookie: string;
        /** @description How to send a token (RFC 6750); where Kerberos tickets count (RFC 4559), that they do. */
        readonly WwwAuthenticate: "Bearer realm=\"sluice\"" | "Negotiate";
        /**
         * @description Which limits are reached, and the seconds until something is left again (draft-ietf-httpapi-ratelimit-headers).
         * @example "events";r=0;t=12
         */
        readonly RateLimit: string;
        /**
         * @description The limits of one sender, each with the seconds that it is counted in (draft-ietf-httpapi-ratelimit-headers).
         * @example "events";q=10000;w=10;qu="events"
         */
        readonly RateLimitPolicy: string;
        /** @description Seconds to wait before the next attempt. */
        readonly RetryAfter: number;
        /**
         * @description What was left out, what was changed (a lone surrogate becomes U+FFFD), what does not fit its schema, and whether the
         *     events are kept on one machine alone (`collector.replicated.when-unavailable: local`), as code 199 of RFC 7234; absent
         *     when every event was kept as it was sent, as safely as `collector.ack` says, and fits. Characters other than printable
         *     ASCII are shown as `?`.
         */
        readonly Warning: string;
        /**
         * @description Which `replication` and `blocksize` were asked for and the file does not have, as code 199 of RFC 7234; absent when it
         *     has them. Local storage has one copy and one block size.
         */
        readonly NotKept: string;
        /** @description The methods that the path has. */
        readonly Allow: string;
        /** @description How the (first) file was read, for example `text` or `smile`; absent where none was. */
        readonly RowSerializer: string;
        /** @description Changes when the file does. */
        readonly ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getEventV1: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The event, name first, then its fields; see above.
                 * @example PageView,s/news,487,b1,xdate
                 */
                readonly v: components["parameters"]["V1"];
                /**
                 * @description When the event happened, ISO 8601; the time of receipt where absent. In JSON and Smile an `eventDate` in the
                 *     payload comes first. The plus sign of an offset is sent as `%2B`.
                 * @example 2009-01-02T03:04:05Z
                 */
                readonly date?: components["parameters"]["Date"];
                /**
                 * @description The length of time that one bucket of files covers, in upper or lower case. In JSON and Smile an `eventGranularity`
                 *     in the payload comes first.
                 * @example DAILY
                 */
                readonly gr?: components["parameters"]["Granularity"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: components["responses"]["EventRecorded"];
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getEventV2: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The event, name first, then its fields; integers in base 64.
                 * @example PageView,s/news,40M,b1,xdate
                 */
                readonly v: components["parameters"]["V2"];
                /**
                 * @description When the event happened, ISO 8601; the time of receipt where absent. In JSON and Smile an `eventDate` in the
                 *     payload comes first. The plus sign of an offset is sent as `%2B`.
                 * @example 2009-01-02T03:04:05Z
                 */
                readonly date?: components["parameters"]["Date"];
                /**
                 * @description The length of time that one bucket of files covers, in upper or lower case. In JSON and Smile an `eventGranularity`
                 *     in the payload comes first.
                 * @example DAILY
                 */
                readonly gr?: components["parameters"]["Granularity"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: components["responses"]["EventRecorded"];
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postEvent: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Name of the event, for Thrift field lists, and for plain objects and tables of senders of other makes. JSON and Smile name it in the body.
                 * @example PageView
                 */
                readonly name?: components["parameters"]["EventName"];
                /**
                 * @description When the event happened, ISO 8601; the time of receipt where absent. In JSON and Smile an `eventDate` in the
                 *     payload comes first. The plus sign of an offset is sent as `%2B`.
                 * @example 2009-01-02T03:04:05Z
                 */
                readonly date?: components["parameters"]["Date"];
                /**
                 * @description The length of time that one bucket of files covers, in upper or lower case. In JSON and Smile an `eventGranularity`
                 *     in the payload comes first.
                 * @example DAILY
                 */
                readonly gr?: components["parameters"]["Granularity"];
            };
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description With `handling=strict` (RFC 7240) a request of which no event was accepted is answered with 422 instead of 202.
                 *     Other preferences make no difference.
                 * @example handling=strict
                 */
                readonly Prefer?: components["parameters"]["Prefer"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event or events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly components["schemas"]["Event"][];
                readonly "application/json+smile": Blob | Uint8Array<ArrayBuffer>;
                readonly "application/smile": Blob | Uint8Array<ArrayBuffer>;
                readonly "application/x-ndjson": string;
                readonly "text/plain": string;
                readonly "application/thrift": Blob | Uint8Array<ArrayBuffer>;
                readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                readonly "ning/*": Blob | Uint8Array<ArrayBuffer>;
                readonly "application/cloudevents+json": string;
                readonly "application/cloudevents-batch+json": string;
                readonly "text/csv": string;
                readonly "*/*": Blob | Uint8Array<ArrayBuffer>;
            };
        };
        readonly responses: {
            readonly 202: components["responses"]["EventsRecorded"];
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postOtlpLogs: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description Log records. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
                readonly "application/x-protobuf": Blob | Uint8Array<ArrayBuffer>;
                readonly "application/protobuf": Blob | Uint8Array<ArrayBuffer>;
            };
        };
        readonly responses: {
            /** @description The records are on disk, except those that `partialSuccess` counts. A request in Protocol Buffers gets an `ExportLogsServiceResponse` in Protocol Buffers. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ForeignEvents"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getSegmentSettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The write key, and `/settings`.
                 * @example /KEY/settings
                 */
                readonly key: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The settings. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "integrations": {
                     *         "Segment.io": {
                     *           "apiKey": "KEY",
                     *           "apiHost": "sluice.example.org/v1",
                     *           "protocol": "https"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SdkSettings"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postSegment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path: {
                /**
                 * @description The type of the call, or `batch`.
                 * @example /batch
                 */
                readonly call: string;
            };
            readonly cookie?: never;
        };
        /** @description The call or calls. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
                readonly "text/plain": string;
            };
        };
        readonly responses: {
            /** @description All calls are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DoorSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getRudderStackSettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A source without destinations. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SdkSettings"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postRudderStackBeacon: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The call or calls. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
                readonly "text/plain": string;
            };
        };
        readonly responses: {
            /** @description All calls are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DoorSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postSnowplow: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description With it, no cookie is read or set.
                 * @example *
                 */
                readonly "SP-Anonymous"?: components["parameters"]["SpAnonymous"];
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All events are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getSnowplow: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description With it, no cookie is read or set.
                 * @example *
                 */
                readonly "SP-Anonymous"?: components["parameters"]["SpAnonymous"];
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The event is on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/gif": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postPostHogBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event or events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All events are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PostHogSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postPostHogCapture: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event or events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All events are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PostHogSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postPostHogE: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event or events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All events are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PostHogSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postPostHogEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event or events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All events are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PostHogSuccess"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly postFirehose: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Name of the event, for Thrift field lists, and for plain objects and tables of senders of other makes. JSON and Smile name it in the body.
                 * @example PageView
                 */
                readonly name?: components["parameters"]["EventName"];
                /**
                 * @description When the event happened, ISO 8601; the time of receipt where absent. In JSON and Smile an `eventDate` in the
                 *     payload comes first. The plus sign of an offset is sent as `%2B`.
                 * @example 2009-01-02T03:04:05Z
                 */
                readonly date?: components["parameters"]["Date"];
                /**
                 * @description The length of time that one bucket of files covers, in upper or lower case. In JSON and Smile an `eventGranularity`
                 *     in the payload comes first.
                 * @example DAILY
                 */
                readonly gr?: components["parameters"]["Granularity"];
            };
            readonly header: {
                /**
                 * @description The same at each try; the answer repeats it.
                 * @example 43b8e724-dbac-4510-adb7-ef211c6044b9
                 */
                readonly "X-Amz-Firehose-Request-Id": string;
                /**
                 * @description A token.
                 * @example abc
                 */
                readonly "X-Amz-Firehose-Access-Key"?: string;
                /**
                 * @description Parameters of the stream, as JSON; payloads have them as `commonAttributes`.
                 * @example {"commonAttributes":{"stage":"test"}}
                 */
                readonly "X-Amz-Firehose-Common-Attributes"?: string;
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description How the body is compressed, `gzip`, `deflate` or `zstd`. Anything else is a 415.
                 * @example gzip
                 */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The records, in base64. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForeignEvents"];
            };
        };
        readonly responses: {
            /** @description All records are on disk. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ForeignEvents"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NotRecorded"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getPostHogSettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The key of the project, and `/config` or `/config.js`.
                 * @example /KEY/config
                 */
                readonly key: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The settings. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postPostHogFlags: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description No flags. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ForeignEvents"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postPostHogDecide: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Any text that no other request of yours has. A repeated request with the same key counts once; while the first
                 *     is under way the second waits, and with another body it is refused (422). The latest 2 million keys are
                 *     remembered (`collector.idempotency.max-keys`), through restarts as well.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description No flags. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ForeignEvents"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 404: components["responses"]["NoDoor"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly browse: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The file or directory to open; the root where absent.
                 * @example /events/PageView
                 */
                readonly path?: string;
                /**
                 * @description Rows to give, counted from 0 over all files of the answer, both ends included; a first of 1 starts at the top.
                 *     So `1-50` are the first 51 rows, and `51-100` follow. Reading stops after the last, and with it the list of
                 *     entries.
                 * @example 1-50
                 */
                readonly range?: components["parameters"]["Range"];
                /**
                 * @description `true` gives the web page, `false` plain text. Absent, the `Accept` header decides.
                 * @example false
                 */
                readonly raw?: boolean;
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
                /**
                 * @description How many entries of a directory to give at most.
                 * @example 1000
                 */
                readonly limit?: components["parameters"]["Limit"];
                /**
                 * @description Gives only entries whose name comes after this one, byte by byte. For the next page, the last name of this one. With rows of an
                 *     Iceberg table, the path below it of a file that its current snapshot has.
                 * @example part-00041
                 */
                readonly startAfter?: components["parameters"]["StartAfter"];
                /**
                 * @description Order of the listing on the page: by name where absent (or `name`), or, in directories of at most 20 000
                 *     entries, by size or time.
                 * @example size
                 */
                readonly sort?: "size" | "modified";
                /**
                 * @description Smallest, oldest and first name at the top, or the other way round; of rows as `by` has it.
                 * @example desc
                 */
                readonly order?: "asc" | "desc";
                /**
                 * @description Shows only entries whose name contains this, ignoring case; `*` matches anything.
                 * @example part-*
                 */
                readonly filter?: string;
                /**
                 * @description Number of the page of a sorted listing.
                 * @example 2
                 */
                readonly page?: number;
                /**
                 * @description Where to start reading for `range` or `row`, as the page's links give it: the number of a row and the byte
                 *     from which it is found. With `show=bytes`, the second number is the first byte to show.
                 * @example 500-65536
                 */
                readonly at?: string;
                /**
                 * @description Shows one row as a whole, whatever `columns` says, by its number from 0.
                 * @example 17
                 */
                readonly row?: number;
                /**
                 * @description The subject of the page, other than the listing or the rows. `newest` leads to the last rows of a file; of a
                 *     directory, to those of the newest file below it.
                 * @example bytes
                 */
                readonly show?: "rows" | "bytes" | "delete" | "rename" | "newest" | "delete-selected" | "size";
                /**
                 * @description The result of a form, shown at the top of the page.
                 * @example uploaded
                 */
                readonly done?: "uploaded" | "deleted" | "created" | "renamed" | "moved" | "trashed" | "trashed-selected" | "restored";
                /**
                 * @description The file that `done` is about.
                 * @example words.txt
                 */
                readonly name?: string;
                /**
                 * @description Only these columns, in this order: names at the top level of a row, with commas between them; the parameter may be
                 *     repeated. A name with a comma, a quote at its beginning or spaces around it is written in double quotes, quotes in it
                 *     doubled (`"a,b"`). Of a Parquet file only these columns are read.
                 *
                 *     A name that a file is known not to have (Parquet, Avro, a CSV header) is a 400 where that file was asked for; where
                 *     columns come with the rows, and in directories, whose files may have different ones, what is absent is null in
                 *     JSON and empty in CSV.
                 * @example [
                 *       "user",
                 *       "time"
                 *     ]
                 */
                readonly columns?: components["parameters"]["Columns"];
                /**
                 * @description Only rows of which this is true: `status >= 500 and (path ~ "/api" or user.name = null)`.
                 *
                 *     - **Fields** are columns, and their members after a dot (`user.name`); a name with other characters than those
                 *       of a word is written in double quotes (`"first name".x`), quotes in it doubled. Of an array one element is enough;
                 *       what is absent is null.
                 *     - **Operators**: `=` `!=` `<` `<=` `>` `>=`; `~` is "contains", whatever the case; `!=` and `!~` are the opposites
                 *       of `=` and `~`, whatever there is. `and`, `or`, `not` and parentheses join them, `and` before `or`.
                 *     - **As in SQL**: `status in (500, 503)`, `path like '/api/%'` (`%` matches any characters, `_` one, `\` before
                 *       either itself; case-sensitive), `time between 2024-05-01 and 2024-05-02` (both included), `user is null`; with
                 *       `not` before `in`, `like`, `between` and `null` the opposite.
                 *     - **A word alone**, or text in quotes, is looked for in all columns, whatever the case: `timeout and not "/health"`.
                 *     - **Values**: a number, `true`, `false`, `null`, a word, or text in quotes of either kind. Numbers compare exactly
                 *       (64 bits, decimals), also with text that is a number, as in CSV; ISO 8601 times with text that is a time; all
                 *       other text by code point. Text in quotes is never a number. Values that cannot be compared do not match.
                 *
                 *     `range` counts all rows, also those that do not match, so it bounds how many are looked at. With `columns`,
                 *     other columns can be asked about. Of a Parquet file only these columns are read, and no row group whose
                 *     statistics rule a match out. A name that the file asked for does not have is a 400, with the nearest that it has. Of
                 *     formats that do not name their columns first, such as JSON lines, it is known once the rows were read: a 400 in CSV,
                 *     an `error` of the file in JSON, where no row matches; `unknownColumns` in any case.
                 *
                 *     At most 4,096 characters, 100 comparisons and 50 levels of parentheses.
                 * @example status >= 500
                 */
                readonly where?: components["parameters"]["Where"];
                /**
                 * @description The separator of columns in a file of `.csv`, `.tsv` or `.tab`: a name, or the character itself. By default the one of comma,
                 *     semicolon, tab and bar that fits the first records best.
                 * @example semicolon
                 */
                readonly delimiter?: components["parameters"]["Delimiter"];
                /**
                 * @description The quotes around fields of such a file. By default they are detected; most files have `double`.
                 * @example double
                 */
                readonly quote?: components["parameters"]["Quote"];
                /**
                 * @description The decimal mark of numbers in such a file. By default a comma if columns are not separated by commas, and
                 *     all values of a column among the first records are such numbers; in the answer they have a point.
                 * @example comma
                 */
                readonly decimal?: components["parameters"]["DecimalMark"];
                /**
                 * @description Whether the first record of such a file has the names of the columns. Without it, where it has a name for each, each once,
                 *     and none is a number or a date.
                 * @example true
                 */
                readonly "has-header"?: components["parameters"]["HasHeader"];
                /**
                 * @description How a file of text, CSV or JSON is encoded. Without it UTF-8, unless its first bytes show UTF-16, or its first bytes
                 *     beyond ASCII, however late they come, Windows-1252 (which Latin-1 is a part of).
                 * @example windows-1252
                 */
                readonly encoding?: components["parameters"]["Encoding"];
                /**
                 * @description Where `done=trashed` has moved it, to be moved back; of `done=trashed-selected` the directory.
                 * @example /user/ann/.Trash/Current/data/words.txt
                 */
                readonly trashed?: string;
                /**
                 * @description Only these entries of the directory, with all below them, hidden ones too; may be repeated. For an archive, and for
                 *     the page that asks before they are deleted.
                 * @example [
                 *       "words.txt"
                 *     ]
                 */
                readonly select?: components["parameters"]["Select"];
                /**
                 * @description Sorts all rows of a file, or with `recursive` of all files below a directory, by this column, named as in `columns`:
                 *     numbers by value, then text, what is null last; `order` says which way, and `range` counts places in that order, up
                 *     to 1,000. Where the time or bytes of a page do not suffice, it is made of the rows looked at so far (of the newest
                 *     files), and says so. Without it, `order=desc` shows the last row of the page first.
                 * @example user
                 */
                readonly by?: string;
                /**
                 * @description What `done=trashed-selected` can be undone by; the server that did it remembers it for a while.
                 * @example 6f1c0c9e-2f4e-4b7a-9d6e-0a4c54c5d9f1
                 */
                readonly undo?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page, or the rows as text. */
            readonly 200: {
                headers: {
                    readonly "X-Row-Serializer": components["headers"]["RowSerializer"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                    readonly "text/plain": string;
                };
            };
            /** @description The page is another one, such as that of the newest file. `Location` is its address. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadQuestion"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NothingThereYet"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 406: components["responses"]["NotAcceptable"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["ReadsUnavailable"];
        };
    };
    readonly submitForm: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description `upload` puts the file of the form into the directory `path`, `delete` deletes `path` (or moves it to the trash of
                 *     the caller, with `gateway.trash`), `delete-selected` does so with each entry of `path` that `select` names, up to the
                 *     first that fails, `mkdir` makes the directory `name` in `path`, `rename` gives `path` the
                 *     `name` in the `directory` of the form, and `undo` moves all back to `path` that a `delete-selected` has moved to the
                 *     trash.
                 * @example delete
                 */
                readonly action: "upload" | "delete" | "mkdir" | "rename" | "delete-selected" | "undo";
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
                /**
                 * @description Replaces an existing file.
                 * @example true
                 */
                readonly overwrite?: boolean;
                /**
                 * @description Deletes for good, where `delete` would move to the trash.
                 * @example true
                 */
                readonly skipTrash?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The form. */
        readonly requestBody?: {
            readonly content: {
                readonly "multipart/form-data": components["schemas"]["FileForm"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["FileForm"];
            };
        };
        readonly responses: {
            /** @description Done. `Location` is the page of the directory. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 507: components["responses"]["QuotaExceeded"];
        };
    };
    readonly readJson: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description Rows to give, counted from 0 over all files of the answer, both ends included; a first of 1 starts at the top.
                 *     So `1-50` are the first 51 rows, and `51-100` follow. Reading stops after the last, and with it the list of
                 *     entries.
                 * @example 1-50
                 */
                readonly range?: components["parameters"]["Range"];
                /**
                 * @description `true` gives rows undecoded, as `{"record": …}`.
                 * @example true
                 */
                readonly raw?: boolean;
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
                /**
                 * @description Whether the JSON is indented.
                 * @example true
                 */
                readonly pretty?: components["parameters"]["Pretty"];
                /**
                 * @description `false` leaves the rows out, and opens no file: a listing, which costs HDFS one call for some 1,000 entries
                 *     instead of two for each file.
                 * @example false
                 */
                readonly content?: boolean;
                /**
                 * @description How many entries of a directory to give at most.
                 * @example 1000
                 */
                readonly limit?: components["parameters"]["Limit"];
                /**
                 * @description Gives only entries whose name comes after this one, byte by byte. For the next page, the last name of this one. With rows of an
                 *     Iceberg table, the path below it of a file that its current snapshot has.
                 * @example part-00041
                 */
                readonly startAfter?: components["parameters"]["StartAfter"];
                /**
                 * @description Only these columns, in this order: names at the top level of a row, with commas between them; the parameter may be
                 *     repeated. A name with a comma, a quote at its beginning or spaces around it is written in double quotes, quotes in it
                 *     doubled (`"a,b"`). Of a Parquet file only these columns are read.
                 *
                 *     A name that a file is known not to have (Parquet, Avro, a CSV header) is a 400 where that file was asked for; where
                 *     columns come with the rows, and in directories, whose files may have different ones, what is absent is null in
                 *     JSON and empty in CSV.
                 * @example [
                 *       "user",
                 *       "time"
                 *     ]
                 */
                readonly columns?: components["parameters"]["Columns"];
                /**
                 * @description Only rows of which this is true: `status >= 500 and (path ~ "/api" or user.name = null)`.
                 *
                 *     - **Fields** are columns, and their members after a dot (`user.name`); a name with other characters than those
                 *       of a word is written in double quotes (`"first name".x`), quotes in it doubled. Of an array one element is enough;
                 *       what is absent is null.
                 *     - **Operators**: `=` `!=` `<` `<=` `>` `>=`; `~` is "contains", whatever the case; `!=` and `!~` are the opposites
                 *       of `=` and `~`, whatever there is. `and`, `or`, `not` and parentheses join them, `and` before `or`.
                 *     - **As in SQL**: `status in (500, 503)`, `path like '/api/%'` (`%` matches any characters, `_` one, `\` before
                 *       either itself; case-sensitive), `time between 2024-05-01 and 2024-05-02` (both included), `user is null`; with
                 *       `not` before `in`, `like`, `between` and `null` the opposite.
                 *     - **A word alone**, or text in quotes, is looked for in all columns, whatever the case: `timeout and not "/health"`.
                 *     - **Values**: a number, `true`, `false`, `null`, a word, or text in quotes of either kind. Numbers compare exactly
                 *       (64 bits, decimals), also with text that is a number, as in CSV; ISO 8601 times with text that is a time; all
                 *       other text by code point. Text in quotes is never a number. Values that cannot be compared do not match.
                 *
                 *     `range` counts all rows, also those that do not match, so it bounds how many are looked at. With `columns`,
                 *     other columns can be asked about. Of a Parquet file only these columns are read, and no row group whose
                 *     statistics rule a match out. A name that the file asked for does not have is a 400, with the nearest that it has. Of
                 *     formats that do not name their columns first, such as JSON lines, it is known once the rows were read: a 400 in CSV,
                 *     an `error` of the file in JSON, where no row matches; `unknownColumns` in any case.
                 *
                 *     At most 4,096 characters, 100 comparisons and 50 levels of parentheses.
                 * @example status >= 500
                 */
                readonly where?: components["parameters"]["Where"];
                /**
                 * @description The separator of columns in a file of `.csv`, `.tsv` or `.tab`: a name, or the character itself. By default the one of comma,
                 *     semicolon, tab and bar that fits the first records best.
                 * @example semicolon
                 */
                readonly delimiter?: components["parameters"]["Delimiter"];
                /**
                 * @description The quotes around fields of such a file. By default they are detected; most files have `double`.
                 * @example double
                 */
                readonly quote?: components["parameters"]["Quote"];
                /**
                 * @description The decimal mark of numbers in such a file. By default a comma if columns are not separated by commas, and
                 *     all values of a column among the first records are such numbers; in the answer they have a point.
                 * @example comma
                 */
                readonly decimal?: components["parameters"]["DecimalMark"];
                /**
                 * @description Whether the first record of such a file has the names of the columns. Without it, where it has a name for each, each once,
                 *     and none is a number or a date.
                 * @example true
                 */
                readonly "has-header"?: components["parameters"]["HasHeader"];
                /**
                 * @description How a file of text, CSV or JSON is encoded. Without it UTF-8, unless its first bytes show UTF-16, or its first bytes
                 *     beyond ASCII, however late they come, Windows-1252 (which Latin-1 is a part of).
                 * @example windows-1252
                 */
                readonly encoding?: components["parameters"]["Encoding"];
                /**
                 * @description Whether null is null in the rows of events, and what an event lacks of its type's columns too. Else both are an
                 *     empty string there, as they always were, and look like text that is empty. Without it `true` where `where` is
                 *     given, which tells them apart.
                 * @example true
                 */
                readonly nulls?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entries with their rows. */
            readonly 200: {
                headers: {
                    readonly "X-Row-Serializer": components["headers"]["RowSerializer"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Listing"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 406: components["responses"]["NotAcceptable"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 422: components["responses"]["Unreadable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["ReadsUnavailable"];
        };
    };
    readonly readText: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description Rows to give, counted from 0 over all files of the answer, both ends included; a first of 1 starts at the top.
                 *     So `1-50` are the first 51 rows, and `51-100` follow. Reading stops after the last, and with it the list of
                 *     entries.
                 * @example 1-50
                 */
                readonly range?: components["parameters"]["Range"];
                /**
                 * @description Accepted as on every read, without effect here.
                 * @example false
                 */
                readonly raw?: components["parameters"]["RawIgnored"];
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
                /**
                 * @description `true` adds a first line with the column names. Columns that first appear after 1 000 rows go into a last
                 *     column `_more` as JSON.
                 * @example true
                 */
                readonly header?: boolean;
                /**
                 * @description Only these columns, in this order: names at the top level of a row, with commas between them; the parameter may be
                 *     repeated. A name with a comma, a quote at its beginning or spaces around it is written in double quotes, quotes in it
                 *     doubled (`"a,b"`). Of a Parquet file only these columns are read.
                 *
                 *     A name that a file is known not to have (Parquet, Avro, a CSV header) is a 400 where that file was asked for; where
                 *     columns come with the rows, and in directories, whose files may have different ones, what is absent is null in
                 *     JSON and empty in CSV.
                 * @example [
                 *       "user",
                 *       "time"
                 *     ]
                 */
                readonly columns?: components["parameters"]["Columns"];
                /**
                 * @description Only rows of which this is true: `status >= 500 and (path ~ "/api" or user.name = null)`.
                 *
                 *     - **Fields** are columns, and their members after a dot (`user.name`); a name with other characters than those
                 *       of a word is written in double quotes (`"first name".x`), quotes in it doubled. Of an array one element is enough;
                 *       what is absent is null.
                 *     - **Operators**: `=` `!=` `<` `<=` `>` `>=`; `~` is "contains", whatever the case; `!=` and `!~` are the opposites
                 *       of `=` and `~`, whatever there is. `and`, `or`, `not` and parentheses join them, `and` before `or`.
                 *     - **As in SQL**: `status in (500, 503)`, `path like '/api/%'` (`%` matches any characters, `_` one, `\` before
                 *       either itself; case-sensitive), `time between 2024-05-01 and 2024-05-02` (both included), `user is null`; with
                 *       `not` before `in`, `like`, `between` and `null` the opposite.
                 *     - **A word alone**, or text in quotes, is looked for in all columns, whatever the case: `timeout and not "/health"`.
                 *     - **Values**: a number, `true`, `false`, `null`, a word, or text in quotes of either kind. Numbers compare exactly
                 *       (64 bits, decimals), also with text that is a number, as in CSV; ISO 8601 times with text that is a time; all
                 *       other text by code point. Text in quotes is never a number. Values that cannot be compared do not match.
                 *
                 *     `range` counts all rows, also those that do not match, so it bounds how many are looked at. With `columns`,
                 *     other columns can be asked about. Of a Parquet file only these columns are read, and no row group whose
                 *     statistics rule a match out. A name that the file asked for does not have is a 400, with the nearest that it has. Of
                 *     formats that do not name their columns first, such as JSON lines, it is known once the rows were read: a 400 in CSV,
                 *     an `error` of the file in JSON, where no row matches; `unknownColumns` in any case.
                 *
                 *     At most 4,096 characters, 100 comparisons and 50 levels of parentheses.
                 * @example status >= 500
                 */
                readonly where?: components["parameters"]["Where"];
                /**
                 * @description The separator of columns in a file of `.csv`, `.tsv` or `.tab`: a name, or the character itself. By default the one of comma,
                 *     semicolon, tab and bar that fits the first records best.
                 * @example semicolon
                 */
                readonly delimiter?: components["parameters"]["Delimiter"];
                /**
                 * @description The quotes around fields of such a file. By default they are detected; most files have `double`.
                 * @example double
                 */
                readonly quote?: components["parameters"]["Quote"];
                /**
                 * @description The decimal mark of numbers in such a file. By default a comma if columns are not separated by commas, and
                 *     all values of a column among the first records are such numbers; in the answer they have a point.
                 * @example comma
                 */
                readonly decimal?: components["parameters"]["DecimalMark"];
                /**
                 * @description Whether the first record of such a file has the names of the columns. Without it, where it has a name for each, each once,
                 *     and none is a number or a date.
                 * @example true
                 */
                readonly "has-header"?: components["parameters"]["HasHeader"];
                /**
                 * @description How a file of text, CSV or JSON is encoded. Without it UTF-8, unless its first bytes show UTF-16, or its first bytes
                 *     beyond ASCII, however late they come, Windows-1252 (which Latin-1 is a part of).
                 * @example windows-1252
                 */
                readonly encoding?: components["parameters"]["Encoding"];
                /**
                 * @description `true` puts `'` in front of text that a spreadsheet would take for a formula: that begins with `=`, `+`, `-`,
                 *     `@`, a TAB or a carriage return, and is not a number.
                 * @example true
                 */
                readonly safe?: boolean;
                /**
                 * @description `true` skips a damaged file of a directory, after its rows before the damage. Without it the
                 *     response ends there: with a status that names the file, or cut short. Images, archives and the like have no rows,
                 *     and are always left out. `/rest/1.0/json` names both in `error`.
                 * @example true
                 */
                readonly skipDamaged?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rows. */
            readonly 200: {
                headers: {
                    readonly "X-Row-Serializer": components["headers"]["RowSerializer"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/csv": string;
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 406: components["responses"]["NotAcceptable"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 422: components["responses"]["Unreadable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["ReadsUnavailable"];
        };
    };
    readonly readBinary: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description Rows to give, counted from 0 over all files of the answer, both ends included; a first of 1 starts at the top.
                 *     So `1-50` are the first 51 rows, and `51-100` follow. Reading stops after the last, and with it the list of
                 *     entries.
                 * @example 1-50
                 */
                readonly range?: components["parameters"]["Range"];
                /**
                 * @description Accepted as on every read, without effect here.
                 * @example false
                 */
                readonly raw?: components["parameters"]["RawIgnored"];
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
                /**
                 * @description A directory as an archive of this format, with all below it. In a zip archive checksums and sizes follow the
                 *     files (ZIP64 where needed); a few programs that read it as a stream cannot read this.
                 * @example zip
                 */
                readonly archive?: "tar" | "zip";
                /**
                 * @description Only these entries of the directory, with all below them, hidden ones too; may be repeated. For an archive, and for
                 *     the page that asks before they are deleted.
                 * @example [
                 *       "words.txt"
                 *     ]
                 */
                readonly select?: components["parameters"]["Select"];
            };
            readonly header?: {
                /**
                 * @description Answers 304 when the file still has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Answers 304 when the file has not changed since; counts only without `If-None-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /**
                 * @description Answers 412 when the file no longer has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Answers 412 when the file has changed since; counts only without `If-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bytes. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                    readonly "application/x-tar": Blob | Uint8Array<ArrayBuffer>;
                    readonly "application/zip": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The bytes that `Range` asked for. */
            readonly 206: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The file has not changed. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["ReadsUnavailable"];
        };
    };
    readonly readFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Answers 304 when the file still has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Answers 304 when the file has not changed since; counts only without `If-None-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /**
                 * @description Answers 412 when the file no longer has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Answers 412 when the file has changed since; counts only without `If-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            readonly path: {
                /**
                 * @description The path of the file without its first slash, each name escaped once (`%20` for a space, `%25` for a percent sign). An
                 *     escaped slash counts as a slash.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["FilePath"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The bytes that `Range` asked for. */
            readonly 206: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The file has not changed. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 409: components["responses"]["Conflict"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["ReadsUnavailable"];
        };
    };
    readonly viewObject: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description A JSON object in base 64.
                 * @example eyJhIjoxfQ==
                 */
                readonly object: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The object, indented. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "a": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Row"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
        };
    };
    readonly uploadFile: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description Replaces an existing file. Without it, an existing path is a 409.
                 * @example true
                 */
                readonly overwrite?: boolean;
                /**
                 * @description On how many nodes the file system keeps each block.
                 * @example 2
                 */
                readonly replication?: number;
                /**
                 * @description Bytes of a block, a multiple of 512. Absent, the file system has its own default; -1 is read as absent, because
                 *     old clients send it.
                 * @example 134217728
                 */
                readonly blocksize?: number;
                /**
                 * @description Permission of the new file: octal (3 or 4 digits) or symbolic clauses. A plus sign is sent as `%2B`.
                 * @example 640
                 */
                readonly permission?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The file. */
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
            };
        };
        readonly responses: {
            /** @description The file is there. */
            readonly 201: {
                headers: {
                    /** @description Where the file can be read. */
                    readonly Location?: string;
                    readonly Warning: components["headers"]["NotKept"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/data/words.txt",
                     *       "size": 17,
                     *       "replication": 3,
                     *       "blockSize": 134217728,
                     *       "permission": "0644"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Uploaded"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 507: components["responses"]["QuotaExceeded"];
        };
    };
    readonly deletePath: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Absolute path in the file system.
                 * @example /data/words.txt
                 */
                readonly path: components["parameters"]["Path"];
                /**
                 * @description Whether everything below a directory is meant.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["Recursive"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The path is gone. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/data/words.txt",
                     *       "deleted": true
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Deleted"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 409: components["responses"]["Conflict"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly webHdfsGet: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description What to read.
                 * @example LISTSTATUS
                 */
                readonly op: "OPEN" | "GETFILESTATUS" | "LISTSTATUS" | "LISTSTATUS_BATCH" | "GETCONTENTSUMMARY" | "GETFILECHECKSUM" | "GETFILEBLOCKLOCATIONS" | "GET_BLOCK_LOCATIONS" | "GETHOMEDIRECTORY" | "GETTRASHROOT" | "GETTRASHROOTS" | "GETSTATUS" | "GETSERVERDEFAULTS" | "CHECKACCESS" | "GETQUOTAUSAGE" | "GETACLSTATUS" | "GETXATTRS" | "LISTXATTRS" | "GETALLSTORAGEPOLICY" | "GETSTORAGEPOLICY" | "GETECPOLICY" | "GETECPOLICIES" | "GETECCODECS" | "GETSNAPSHOTDIFF" | "GETSNAPSHOTDIFFLISTING" | "GETSNAPSHOTTABLEDIRECTORYLIST" | "GETSNAPSHOTLIST" | "GETLINKTARGET" | "GETFILELINKSTATUS" | "GETDELEGATIONTOKEN";
                /**
                 * @description The name of the caller, if no tokens are required.
                 * @example ann
                 */
                readonly "user.name"?: components["parameters"]["UserName"];
                /**
                 * @description For whom somebody calls, where no tokens are asked for; otherwise refused.
                 * @example bob
                 */
                readonly doas?: components["parameters"]["DoAs"];
                /**
                 * @description A token of this server, or a delegation token, for clients that cannot send a header.
                 * @example 4f1c6a…
                 */
                readonly delegation?: components["parameters"]["Delegation"];
                /**
                 * @description First byte to read; the first of all where absent.
                 * @example 0
                 */
                readonly offset?: components["parameters"]["Offset"];
                /**
                 * @description Bytes to read at most, all behind `offset` where absent; for locations of blocks, too.
                 * @example 4096
                 */
                readonly length?: components["parameters"]["Length"];
                /**
                 * @description Makes no difference to the bytes. Hadoop's Java client sends it without `offset` to learn where a file is, and ignores
                 *     the bytes: it gets a 307.
                 * @example 4096
                 */
                readonly buffersize?: components["parameters"]["BufferSize"];
                /**
                 * @description Whether the body is the data, as it is behind a `Location` of this server.
                 * @example true
                 */
                readonly data?: components["parameters"]["Data"];
                /**
                 * @description Whether the address to read from or write to is returned as `{"Location":…}` instead of a header.
                 * @example true
                 */
                readonly noredirect?: components["parameters"]["NoRedirect"];
                /**
                 * @description The last name of the page before.
                 * @example part-00041
                 */
                readonly startAfter?: components["parameters"]["WebHdfsStartAfter"];
                /**
                 * @description The access to check, of `CHECKACCESS`.
                 * @example r-x
                 */
                readonly fsaction?: components["parameters"]["FsAction"];
                /**
                 * @description Whether the trash of all users is meant.
                 * @example true
                 */
                readonly allusers?: components["parameters"]["AllUsers"];
                /**
                 * @description Name of an extended attribute; passed on, as often as it is given.
                 * @example user.source
                 */
                readonly "xattr.name"?: components["parameters"]["XAttrName"];
                /**
                 * @description How the value is to be written, `text`, `hex` or `base64`; passed on.
                 * @example text
                 */
                readonly encoding?: components["parameters"]["XAttrEncoding"];
                /**
                 * @description A snapshot; passed on.
                 * @example s1
                 */
                readonly snapshotname?: components["parameters"]["SnapshotName"];
                /**
                 * @description The older snapshot, or the old name; passed on.
                 * @example s0
                 */
                readonly oldsnapshotname?: components["parameters"]["OldSnapshotName"];
                /**
                 * @description Where a list of differences continues; passed on.
                 * @example /data/a
                 */
                readonly snapshotdiffstartpath?: components["parameters"]["SnapshotDiffStartPath"];
                /**
                 * @description Where a list of differences continues; passed on.
                 * @example 0
                 */
                readonly snapshotdiffindex?: components["parameters"]["SnapshotDiffIndex"];
                /**
                 * @description The user who may renew a delegation token, by name or principal; by default the caller.
                 * @example yarn
                 */
                readonly renewer?: components["parameters"]["Renewer"];
                /**
                 * @description The kind named in a delegation token; by default `WEBHDFS delegation`, or `SWEBHDFS delegation` by TLS.
                 * @example WEBHDFS delegation
                 */
                readonly kind?: components["parameters"]["TokenKind"];
                /**
                 * @description The service named in a delegation token. Hadoop's clients replace it with their own.
                 * @example 127.0.0.1:8080
                 */
                readonly service?: components["parameters"]["TokenService"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The absolute path in the file system, without its first slash; the root where empty.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["WebHdfsPath"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /**
             * @description What `op` gives, in Hadoop's JSON; the bytes for `OPEN`, and for `OPEN` with `noredirect` where they are. `CHECKACCESS`
             *     has an empty body and no `Content-Type`.
             */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": unknown;
                };
            };
            /** @description Where the bytes are, for a client that asks only that. */
            readonly 307: {
                headers: {
                    readonly Location: components["headers"]["WebHdfsLocation"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["RemoteBadRequest"];
            readonly 401: components["responses"]["RemoteUnauthenticated"];
            readonly 403: components["responses"]["RemoteRefused"];
            readonly 404: components["responses"]["RemoteNotFound"];
            readonly 405: components["responses"]["RemoteMethodNotAllowed"];
            readonly 414: components["responses"]["RemoteUriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["RemoteInternal"];
            readonly 503: components["responses"]["RemoteUnavailable"];
        };
    };
    readonly webHdfsPut: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description What to do.
                 * @example MKDIRS
                 */
                readonly op: "CREATE" | "MKDIRS" | "RENAME" | "SETPERMISSION" | "SETOWNER" | "SETREPLICATION" | "SETTIMES" | "CREATESYMLINK" | "MODIFYACLENTRIES" | "REMOVEACLENTRIES" | "REMOVEDEFAULTACL" | "REMOVEACL" | "SETACL" | "SETXATTR" | "REMOVEXATTR" | "CREATESNAPSHOT" | "RENAMESNAPSHOT" | "ALLOWSNAPSHOT" | "DISALLOWSNAPSHOT" | "SETSTORAGEPOLICY" | "SATISFYSTORAGEPOLICY" | "ENABLEECPOLICY" | "DISABLEECPOLICY" | "SETECPOLICY" | "SETQUOTA" | "SETQUOTABYSTORAGETYPE" | "RENEWDELEGATIONTOKEN" | "CANCELDELEGATIONTOKEN";
                /**
                 * @description The name of the caller, if no tokens are required.
                 * @example ann
                 */
                readonly "user.name"?: components["parameters"]["UserName"];
                /**
                 * @description For whom somebody calls, where no tokens are asked for; otherwise refused.
                 * @example bob
                 */
                readonly doas?: components["parameters"]["DoAs"];
                /**
                 * @description A token of this server, or a delegation token, for clients that cannot send a header.
                 * @example 4f1c6a…
                 */
                readonly delegation?: components["parameters"]["Delegation"];
                /**
                 * @description Whether the body is the data, as it is behind a `Location` of this server.
                 * @example true
                 */
                readonly data?: components["parameters"]["Data"];
                /**
                 * @description Whether the address to read from or write to is returned as `{"Location":…}` instead of a header.
                 * @example true
                 */
                readonly noredirect?: components["parameters"]["NoRedirect"];
                /**
                 * @description Whether a file that is there already is replaced.
                 * @example true
                 */
                readonly overwrite?: components["parameters"]["WebHdfsOverwrite"];
                /**
                 * @description Permission bits, in octal digits.
                 * @example 644
                 */
                readonly permission?: components["parameters"]["WebHdfsPermission"];
                /**
                 * @description How many copies of each block.
                 * @example 3
                 */
                readonly replication?: components["parameters"]["WebHdfsReplication"];
                /**
                 * @description Bytes of a block.
                 * @example 134217728
                 */
                readonly blocksize?: components["parameters"]["WebHdfsBlockSize"];
                /**
                 * @description Whether `CREATE` makes directories that are missing.
                 * @example true
                 */
                readonly createparent?: components["parameters"]["CreateParent"];
                /**
                 * @description The path that `RENAME` moves to.
                 * @example /data/old-words.txt
                 */
                readonly destination?: components["parameters"]["Destination"];
                /**
                 * @description `NONE` or `OVERWRITE`, perhaps with `TO_TRASH`; without it a directory at the destination is moved into, and a refusal is a `false`.
                 * @example OVERWRITE
                 */
                readonly renameoptions?: components["parameters"]["RenameOptions"];
                /**
                 * @description The new owner.
                 * @example ann
                 */
                readonly owner?: components["parameters"]["Owner"];
                /**
                 * @description The new group.
                 * @example staff
                 */
                readonly group?: components["parameters"]["Group"];
                /**
                 * @description In ms since the epoch; -1, or absent: as it is.
                 * @example 1304459806000
                 */
                readonly modificationtime?: components["parameters"]["ModificationTime"];
                /**
                 * @description In ms since the epoch; -1, or absent: as it is.
                 * @example 1304459806000
                 */
                readonly accesstime?: components["parameters"]["AccessTime"];
                /**
                 * @description Entries of an ACL; passed on.
                 * @example user:bob:r--
                 */
                readonly aclspec?: components["parameters"]["AclSpec"];
                /**
                 * @description Name of an extended attribute; passed on, as often as it is given.
                 * @example user.source
                 */
                readonly "xattr.name"?: components["parameters"]["XAttrName"];
                /**
                 * @description Its value; passed on.
                 * @example "web"
                 */
                readonly "xattr.value"?: components["parameters"]["XAttrValue"];
                /**
                 * @description `CREATE` or `REPLACE`; passed on.
                 * @example CREATE
                 */
                readonly flag?: components["parameters"]["XAttrFlag"];
                /**
                 * @description A snapshot; passed on.
                 * @example s1
                 */
                readonly snapshotname?: components["parameters"]["SnapshotName"];
                /**
                 * @description The older snapshot, or the old name; passed on.
                 * @example s0
                 */
                readonly oldsnapshotname?: components["parameters"]["OldSnapshotName"];
                /**
                 * @description Passed on.
                 * @example HOT
                 */
                readonly storagepolicy?: components["parameters"]["StoragePolicy"];
                /**
                 * @description A policy of erasure coding; passed on.
                 * @example RS-6-3-1024k
                 */
                readonly ecpolicy?: components["parameters"]["EcPolicy"];
                /**
                 * @description Passed on.
                 * @example 1000
                 */
                readonly namespacequota?: components["parameters"]["NamespaceQuota"];
                /**
                 * @description Passed on.
                 * @example 1099511627776
                 */
                readonly storagespacequota?: components["parameters"]["StorageSpaceQuota"];
                /**
                 * @description Passed on.
                 * @example SSD
                 */
                readonly storagetype?: components["parameters"]["StorageType"];
                /**
                 * @description The delegation token that is to be renewed or cancelled.
                 * @example IgADYm9i…
                 */
                readonly token?: components["parameters"]["TokenArgument"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The absolute path in the file system, without its first slash; the root where empty.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["WebHdfsPath"];
            };
            readonly cookie?: never;
        };
        /** @description The bytes of `CREATE`. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
            };
        };
        readonly responses: {
            /**
             * @description It is done. JSON for `MKDIRS`, `RENAME` and `SETREPLICATION` (`true` or `false`), `CREATESNAPSHOT`,
             *     `RENEWDELEGATIONTOKEN`, and `CREATE` with `noredirect`. All others have an empty body and no `Content-Type`.
             */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description The file is stored. */
            readonly 201: {
                headers: {
                    readonly Location: components["headers"]["WebHdfsLocation"];
                    readonly Warning: components["headers"]["NotKept"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Where to send the bytes to, by the same method. */
            readonly 307: {
                headers: {
                    readonly Location: components["headers"]["WebHdfsLocation"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["RemoteBadRequest"];
            readonly 401: components["responses"]["RemoteUnauthenticated"];
            readonly 403: components["responses"]["RemoteRefused"];
            readonly 404: components["responses"]["RemoteNotFound"];
            readonly 405: components["responses"]["RemoteMethodNotAllowed"];
            readonly 414: components["responses"]["RemoteUriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["RemoteInternal"];
            readonly 503: components["responses"]["RemoteUnavailable"];
            readonly 507: components["responses"]["RemoteQuotaExceeded"];
        };
    };
    readonly webHdfsPost: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description What to do.
                 * @example APPEND
                 */
                readonly op: "APPEND" | "CONCAT" | "TRUNCATE" | "UNSETSTORAGEPOLICY" | "UNSETECPOLICY";
                /**
                 * @description The name of the caller, if no tokens are required.
                 * @example ann
                 */
                readonly "user.name"?: components["parameters"]["UserName"];
                /**
                 * @description For whom somebody calls, where no tokens are asked for; otherwise refused.
                 * @example bob
                 */
                readonly doas?: components["parameters"]["DoAs"];
                /**
                 * @description A token of this server, or a delegation token, for clients that cannot send a header.
                 * @example 4f1c6a…
                 */
                readonly delegation?: components["parameters"]["Delegation"];
                /**
                 * @description Whether the body is the data, as it is behind a `Location` of this server.
                 * @example true
                 */
                readonly data?: components["parameters"]["Data"];
                /**
                 * @description Whether the address to read from or write to is returned as `{"Location":…}` instead of a header.
                 * @example true
                 */
                readonly noredirect?: components["parameters"]["NoRedirect"];
                /**
                 * @description Paths of `CONCAT`, between commas; passed on.
                 * @example /data/a
                 */
                readonly sources?: components["parameters"]["Sources"];
                /**
                 * @description Bytes that `TRUNCATE` leaves; passed on.
                 * @example 17
                 */
                readonly newlength?: components["parameters"]["NewLength"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The absolute path in the file system, without its first slash; the root where empty.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["WebHdfsPath"];
            };
            readonly cookie?: never;
        };
        /** @description The bytes of `APPEND`. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
            };
        };
        readonly responses: {
            /**
             * @description It is done. JSON for `TRUNCATE` (`true` or `false`) and for `APPEND` with `noredirect`. All others have an empty body
             *     and no `Content-Type`.
             */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description Where to send the bytes to, by the same method. */
            readonly 307: {
                headers: {
                    readonly Location: components["headers"]["WebHdfsLocation"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["RemoteBadRequest"];
            readonly 401: components["responses"]["RemoteUnauthenticated"];
            readonly 403: components["responses"]["RemoteRefused"];
            readonly 404: components["responses"]["RemoteNotFound"];
            readonly 405: components["responses"]["RemoteMethodNotAllowed"];
            readonly 414: components["responses"]["RemoteUriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["RemoteInternal"];
            readonly 503: components["responses"]["RemoteUnavailable"];
            readonly 507: components["responses"]["RemoteQuotaExceeded"];
        };
    };
    readonly webHdfsDelete: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description What to do.
                 * @example DELETE
                 */
                readonly op: "DELETE" | "DELETESNAPSHOT";
                /**
                 * @description The name of the caller, if no tokens are required.
                 * @example ann
                 */
                readonly "user.name"?: components["parameters"]["UserName"];
                /**
                 * @description For whom somebody calls, where no tokens are asked for; otherwise refused.
                 * @example bob
                 */
                readonly doas?: components["parameters"]["DoAs"];
                /**
                 * @description A token of this server, or a delegation token, for clients that cannot send a header.
                 * @example 4f1c6a…
                 */
                readonly delegation?: components["parameters"]["Delegation"];
                /**
                 * @description Whether all below a directory goes with it.
                 * @example true
                 */
                readonly recursive?: components["parameters"]["WebHdfsRecursive"];
                /**
                 * @description A snapshot; passed on.
                 * @example s1
                 */
                readonly snapshotname?: components["parameters"]["SnapshotName"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The absolute path in the file system, without its first slash; the root where empty.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["WebHdfsPath"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is done; `false` where there was nothing to delete. `DELETESNAPSHOT` has an empty body and no `Content-Type`. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly 400: components["responses"]["RemoteBadRequest"];
            readonly 401: components["responses"]["RemoteUnauthenticated"];
            readonly 403: components["responses"]["RemoteRefused"];
            readonly 404: components["responses"]["RemoteNotFound"];
            readonly 405: components["responses"]["RemoteMethodNotAllowed"];
            readonly 414: components["responses"]["RemoteUriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["RemoteInternal"];
            readonly 503: components["responses"]["RemoteUnavailable"];
        };
    };
    readonly icebergConfig: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `gateway`, or any other name.
                 * @example gateway
                 */
                readonly warehouse?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The configuration. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "defaults": {},
                     *       "overrides": {
                     *         "prefix": "gateway"
                     *       },
                     *       "endpoints": [
                     *         "GET /v1/{prefix}/namespaces"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IcebergConfig"];
                };
            };
            readonly 400: components["responses"]["IcebergBadRequest"];
            readonly 401: components["responses"]["IcebergUnauthenticated"];
            readonly 403: components["responses"]["IcebergRefused"];
            readonly 406: components["responses"]["IcebergReadOnly"];
            readonly 414: components["responses"]["IcebergUriTooLong"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["IcebergInternal"];
            readonly 503: components["responses"]["IcebergUnavailable"];
        };
    };
    readonly icebergGet: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Lists the namespaces in this one, whose levels are separated by `%1F`.
                 * @example events
                 */
                readonly parent?: string;
                /**
                 * @description Empty for the first page, then the `next-page-token` of the page before. Without it all names come at once, 10 000 at most.
                 * @example Order
                 */
                readonly pageToken?: string;
                /**
                 * @description How many names a page has at most.
                 * @example 100
                 */
                readonly pageSize?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The name of the resource; levels of a namespace are separated by `%1F`.
                 * @example namespaces/events/tables/Order
                 */
                readonly path: components["parameters"]["IcebergPath"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The requested resource. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "namespaces": [
                     *         [
                     *           "events"
                     *         ]
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IcebergAnswer"];
                };
            };
            /** @description To `HEAD`, that it exists. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["IcebergBadRequest"];
            readonly 401: components["responses"]["IcebergUnauthenticated"];
            readonly 403: components["responses"]["IcebergRefused"];
            readonly 404: components["responses"]["IcebergNotFound"];
            readonly 406: components["responses"]["IcebergReadOnly"];
            readonly 414: components["responses"]["IcebergUriTooLong"];
            readonly 422: components["responses"]["IcebergUnreadable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["IcebergInternal"];
            readonly 503: components["responses"]["IcebergUnavailable"];
        };
    };
    readonly icebergFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Answers 304 when the file still has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Answers 304 when the file has not changed since; counts only without `If-None-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /**
                 * @description Answers 412 when the file no longer has this `ETag`.
                 * @example "1304459806000-17"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Answers 412 when the file has changed since; counts only without `If-Match`.
                 * @example Tue, 03 May 2011 21:56:46 GMT
                 */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            readonly path: {
                /**
                 * @description The path of the file without its first slash, each name escaped once (`%20` for a space, `%25` for a percent sign). An
                 *     escaped slash counts as a slash.
                 * @example data/words.txt
                 */
                readonly path: components["parameters"]["FilePath"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The bytes that `Range` asked for. */
            readonly 206: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob | Uint8Array<ArrayBuffer>;
                };
            };
            /** @description The file has not changed. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["IcebergBadRequest"];
            readonly 401: components["responses"]["IcebergUnauthenticated"];
            readonly 403: components["responses"]["IcebergRefused"];
            readonly 404: components["responses"]["IcebergNotFound"];
            readonly 406: components["responses"]["IcebergReadOnly"];
            readonly 412: components["responses"]["IcebergPreconditionFailed"];
            readonly 414: components["responses"]["IcebergUriTooLong"];
            readonly 416: components["responses"]["IcebergRangeNotSatisfiable"];
            readonly 422: components["responses"]["IcebergUnreadable"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["IcebergInternal"];
            readonly 503: components["responses"]["IcebergUnavailable"];
        };
    };
    readonly openRoot: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description To the root of the file system. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getLogin: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Path and query of this server to go to after the login.
                 * @example /rest/1.0/hdfs?path=/events
                 */
                readonly to?: components["parameters"]["ReturnTo"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            /** @description No login is needed. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "Set-Cookie": components["headers"]["SetCookie"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            /** @description The page, and the question for a Kerberos ticket where these count. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postLogin: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Path and query of this server to go to after the login.
                 * @example /rest/1.0/hdfs?path=/events
                 */
                readonly to?: components["parameters"]["ReturnTo"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The token. */
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["LoginForm"];
            };
        };
        readonly responses: {
            /** @description Logged in; `Location` is the page that was asked for. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "Set-Cookie": components["headers"]["SetCookie"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly postLogout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Logged out; `Location` is the login page. */
            readonly 303: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "Set-Cookie": components["headers"]["SetCookie"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 403: components["responses"]["Denied"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getPageStyle: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Hash of the content; makes no difference to the answer but how long it may be kept.
                 * @example 5d41402abc4b2a76
                 */
                readonly v?: components["parameters"]["AssetVersion"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The style sheet. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/css": string;
                };
            };
            /** @description The style has not changed. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getPageScript: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Hash of the content; makes no difference to the answer but how long it may be kept.
                 * @example 5d41402abc4b2a76
                 */
                readonly v?: components["parameters"]["AssetVersion"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The script. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/javascript": string;
                };
            };
            /** @description The script has not changed. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Whether the JSON is indented.
                 * @example true
                 */
                readonly pretty?: components["parameters"]["Pretty"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Events are accepted. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HealthReport"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            /** @description Events are refused; the report says why. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location": "http://127.0.0.1:8080/1.0/healthcheck",
                     *       "size": 1,
                     *       "formatVersion": "1",
                     *       "generated": "2009-01-02T03:04:05.006Z",
                     *       "items": [
                     *         {
                     *           "type": "WriterHealthCheck",
                     *           "code": "ERROR",
                     *           "message": "running: false, local files: {}, enqueued: 9, written: 9, dropped: 0, errored: 0, ignored: 2, pendingFiles: 1, flushes: 0"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["HealthReport"];
                };
            };
        };
    };
    readonly getLiveness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example ok */
                    readonly "text/plain": string;
                };
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getReadiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Yes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example ok */
                    readonly "text/plain": string;
                };
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            /** @description No; the text says why. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example draining */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly getContract: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
    readonly getDocs: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 431: components["responses"]["HeadersTooLarge"];
        };
    };
}

/** Parameters with a default value, by operation. */
export interface defaulted {
    readonly getEventV1: "gr";
    readonly getEventV2: "gr";
    readonly postEvent: "gr";
    readonly postOtlpLogs: never;
    readonly getSegmentSettings: never;
    readonly postSegment: never;
    readonly getRudderStackSettings: never;
    readonly postRudderStackBeacon: never;
    readonly postSnowplow: never;
    readonly getSnowplow: never;
    readonly postPostHogBatch: never;
    readonly postPostHogCapture: never;
    readonly postPostHogE: never;
    readonly postPostHogEvent: never;
    readonly postFirehose: "gr";
    readonly getPostHogSettings: never;
    readonly postPostHogFlags: never;
    readonly postPostHogDecide: never;
    readonly browse: "path" | "recursive" | "order" | "page";
    readonly submitForm: "recursive" | "overwrite" | "skipTrash";
    readonly readJson: "raw" | "recursive" | "pretty" | "content";
    readonly readText: "raw" | "recursive" | "header" | "safe";
    readonly readBinary: "raw" | "recursive";
    readonly readFile: never;
    readonly viewObject: never;
    readonly uploadFile: "overwrite" | "replication" | "permission";
    readonly deletePath: "recursive";
    readonly webHdfsGet: "data" | "noredirect" | "allusers";
    readonly webHdfsPut: "data" | "noredirect" | "overwrite" | "createparent";
    readonly webHdfsPost: "data" | "noredirect";
    readonly webHdfsDelete: "recursive";
    readonly icebergConfig: never;
    readonly icebergGet: "pageSize";
    readonly icebergFile: never;
    readonly openRoot: never;
    readonly getLogin: never;
    readonly postLogin: never;
    readonly postLogout: never;
    readonly getPageStyle: never;
    readonly getPageScript: never;
    readonly getHealth: "pretty";
    readonly getLiveness: never;
    readonly getReadiness: never;
    readonly getContract: never;
    readonly getDocs: never;
}
