import type { ErrorCause, ErrorCode } from '../../../src/errors.ts'
import type { Advice } from './advice.ts'

const notStored = 'Stores nothing of the request'
const storedAsRefused = 'Stores the request as refused, with the reason'
const unchanged = 'Changes nothing'

/** What each code over HTTP means for a person who reads it. */
export const httpAdvice: Readonly<Record<ErrorCode, Advice>> = {
  'bad-request': {
    why: 'The HTTP message is malformed, or its body is cut short or not what its headers say',
    now: notStored,
    todo: 'Fix the client. If a proxy is in between, check its limits and its handling of bodies',
  },
  'bad-parameter': {
    why: '`detail` names the parameter, its value and the expected form',
    now: unchanged,
    todo: 'Fix the parameter: [HTTP API](api.md), [`where`](where.md)',
  },
  'bad-event': {
    why: 'The body is empty, is not in the format of its `Content-Type`, or lacks a member that each event needs',
    now: storedAsRefused,
    todo: '`sluice refused list`, fix the sender, replay: [Refused events](../how-to/refused-events.md)',
  },
  'bad-event-name': {
    why: 'An event name is empty, longer than 255 bytes in a path, or has `/`, `\\` or control characters',
    now: storedAsRefused,
    todo: 'Rename the event type in the sender',
  },
  'bad-path': {
    why: 'A path has `..`, is too long, leads out of the root by a symlink, or names two clusters in one call',
    now: unchanged,
    todo: 'Fix the path',
  },
  unauthenticated: {
    why: 'The token is missing, unknown or expired, or the Kerberos or SSO login failed',
    now: 'Slows down further attempts from this address',
    todo: '`sluice token create`: [TLS and tokens](../how-to/tls-and-tokens.md), [Kerberos and SSO](../secure-clusters.md#what-an-error-means)',
  },
  denied: {
    why: 'The token lacks the role, HDFS denies the permission, or the operation is never allowed',
    now: unchanged,
    todo: 'Use a token with the role: [who may call what](../../SECURITY.md#who-may-call-what). Or change owner or mode of the path',
  },
  'forbidden-host': {
    why: 'The `Host` header does not name this server, or a page of another site sent the request',
    now: unchanged,
    todo: 'Add the name to `server.allowed-hosts`: [Hardening](../../SECURITY.md#hardening)',
  },
  'not-found': {
    why: 'The path, table, bean or route does not exist, or a door is closed (`collector.doors`)',
    now: unchanged,
    todo: 'Check the path: `sluice fs ls`, [Doors](../how-to/doors.md)',
  },
  'method-not-allowed': {
    why: 'The route exists, but not with this method',
    now: unchanged,
    todo: 'Use a method from the `Allow` header',
  },
  'not-acceptable': {
    why: '`Accept` excludes every media type that the route has',
    now: unchanged,
    todo: 'Send `Accept: */*`, or one of the types in [HTTP API](api.md)',
  },
  'request-timeout': {
    why: 'Headers or body arrived too slowly',
    now: `${notStored} and closes the connection`,
    todo: 'Retry. Check the network and the proxy',
  },
  exists: {
    why: 'A file or directory has this name',
    now: unchanged,
    todo: 'Choose another name, or overwrite: `--overwrite`, `overwrite=true`',
  },
  'not-empty': {
    why: 'The directory has entries',
    now: unchanged,
    todo: 'Delete it recursively: `sluice fs rm -R`, `recursive=true`',
  },
  'is-directory': {
    why: 'The operation needs a file',
    now: unchanged,
    todo: 'Name a file, or use `recursive=true` where the route has it',
  },
  'not-directory': {
    why: 'The operation needs a directory',
    now: unchanged,
    todo: 'Name a directory',
  },
  'precondition-failed': {
    why: 'The file has changed since the `ETag` or date that the request names',
    now: unchanged,
    todo: 'Read it again, then retry with the new `ETag`',
  },
  'too-large': {
    why: 'The body, its decompressed form, or its number of events or buckets exceeds a limit',
    now: `${notStored}, also not as refused`,
    todo: 'Send smaller batches, or raise `collector.max-body-bytes` or `collector.max-decompressed-bytes`',
  },
  'uri-too-long': {
    why: 'The URL is longer than allowed; `detail` has both lengths',
    now: unchanged,
    todo: 'Send events with POST instead of a query',
  },
  'unsupported-media-type': {
    why: '`Content-Type` or `Content-Encoding` is not accepted here, or its door is closed (`collector.doors`)',
    now: storedAsRefused,
    todo: 'Use one of the types that `detail` names: [What is accepted](events-and-rows.md)',
  },
  'range-not-satisfiable': {
    why: 'The first byte of `Range` is beyond the end of the file',
    now: unchanged,
    todo: 'Ask for the size first (`HEAD`)',
  },
  unreadable: {
    why: 'The file is damaged, encrypted, or not of a known format; `detail` names the byte and what was expected',
    now: unchanged,
    todo: 'Download its bytes (`sluice fs get`). In a directory, add `skipDamaged=true`',
  },
  'nothing-accepted': {
    why: 'Every event of the request was refused; `errors` has the reason for each',
    now: storedAsRefused,
    todo: '`sluice refused list`: [Refused events](../how-to/refused-events.md)',
  },
  'key-reused': {
    why: 'Another body came with this `Idempotency-Key` before',
    now: notStored,
    todo: 'Use a new key for each body, and the same key only for retries of it',
  },
  'rate-limited': {
    why: 'The sender exceeds `collector.quota.*`',
    now: notStored,
    todo: 'Retry after `Retry-After` seconds, or raise the quota: [One noisy sender](../operate.md#one-noisy-sender)',
  },
  'headers-too-large': {
    why: 'The request headers are too large, usually because of cookies',
    now: unchanged,
    todo: 'Send fewer cookies, or events from a host name of their own',
  },
  internal: {
    why: 'A fault in Sluice; the cause is in its log only',
    now: 'Logs the cause',
    todo: 'Retry, then report the log line: [reports](../troubleshooting.md#what-to-put-into-a-report)',
  },
  unsupported: {
    why: 'The file system, table or server cannot do this',
    now: unchanged,
    todo: '`detail` says what lacks it. For WebHDFS: [what is served](../webhdfs.md)',
  },
  overloaded: {
    why: 'A queue, memory budget or number of concurrent requests is at its limit (backpressure)',
    now: notStored,
    todo: 'Retry after `Retry-After` seconds. If it lasts: [SluiceRefusing](../runbook.md#sluicerefusing), [sizing](../operate.md#machines)',
  },
  draining: {
    why: 'The server shuts down or is drained',
    now: notStored,
    todo: 'Retry, or use another collector. `sluice drain --undo` ends a drain',
  },
  unavailable: {
    why: 'HDFS, the object store, the catalog or the local disk fails or does not answer; `detail` names it',
    now: 'Refuses this request. Accepted events wait on the local disk',
    todo: '`sluice doctor`, [SluiceFileSystemUnavailable](../runbook.md#sluicefilesystemunavailable)',
  },
  'quota-exceeded': {
    why: 'A directory has reached its HDFS quota of names or bytes',
    now: unchanged,
    todo: 'Delete files, or raise the quota: `hdfs dfsadmin -setSpaceQuota`',
  },
}

/** Titles of causes that have a row of their own. */
export const causeAdvice: Readonly<Record<ErrorCause, Advice>> = {
  'spool-failed': {
    why: 'Writing the log of the spool failed; `detail` has the code of the operating system',
    now: 'Refuses events, and retries each second',
    todo: '`sluice doctor`, `dmesg`: [SluiceRefusing](../runbook.md#sluicerefusing)',
  },
  'spool-full': {
    why: 'Free space is below `collector.diskspool.min-free-bytes`',
    now: 'Refuses events. Delivery continues, which frees space',
    todo: 'Free space, or lower the setting: [SluiceDiskLow](../runbook.md#sluicedisklow)',
  },
  'log-away': {
    why: 'HDFS does not accept the log (`collector.ack: replicated`)',
    now: 'Refuses events, and retries',
    todo: 'Fix HDFS, or set `collector.replicated.when-unavailable: local`: [SluiceTakesLocal](../runbook.md#sluicetakeslocal)',
  },
  'shutting-down': {
    why: 'The server is stopping',
    now: notStored,
    todo: 'Retry, or use another collector',
  },
  drained: {
    why: '`sluice drain` was called',
    now: 'Refuses events, and delivers those it has accepted',
    todo: '`sluice drain --undo`: [Drain](../drain.md)',
  },
  'catalog-away': {
    why: 'The table is one of `collector.output.catalog`, which is away, slow, or refuses this server; `detail` has its answer',
    now: 'Shows no rows of the table, rather than those of all files in its directory; asks again with the next request',
    todo: '`sluice doctor`; check the catalog and the settings `collector.output.rest`',
  },
  'no-reader': {
    why: 'A reader process does not start, mostly for lack of memory or processes',
    now: 'Refuses reads, and tries the next one with a new process. Events are accepted',
    todo: 'See `a reader ended` in the log; check memory and `ulimit -u`',
  },
}
