const regularFile = 'Name a regular file: devices, sockets and pipes are not served'
const otherCluster = 'Copy it (`sluice fs get`, `sluice fs put`), then delete the original'
const permanently = 'Delete it permanently'
const below = 'Name an entry below it'
const doors = 'Add the door to `collector.doors`: [Doors](../how-to/doors.md)'
const narrower = 'Narrow the search by type or time'
const tables = '`sluice table list`'
const profiles = 'Use a profile that exists, or add it: [Profiles](profiles.md)'
const stores = 'Fix the row of `clusters`: [Object stores](../object-stores.md)'
const ownPage = 'Open the page of this server itself; for a console of your own: `admin.allowed-origins`'
const tokensInUse = 'Cancel unused tokens, or wait until some expire'
const path = 'Check the path'

/** What to do about single messages, where the advice of their code does not fit. */
export const textAdvice: Readonly<Record<string, string>> = {
  'Cannot append to "…": it is not a regular file': regularFile,
  'Cannot open "…": it is not a regular file': regularFile,
  'Cannot truncate "…": it is not a regular file': regularFile,
  'Cannot rename "…" to "…": they are on different clusters': otherCluster,
  'Cannot use "…" with "…": they are on different clusters': otherCluster,
  'Cannot move "…" to the trash, because it contains the trash; delete it permanently': permanently,
  'Cannot move "…" to the trash, since its cluster does not rename it: delete it for good': permanently,
  'Cannot set owner of "…": this machine has no … "…"': 'Use a user and a group that the machine of the server has',
  'Cannot … "…": a cluster is mounted there': 'Change the mount in `clusters`, not in the file system',
  'Cannot give "…" the owner, group and permission of its sources':
    'Compact as the superuser of HDFS, or as their owner',
  'Cannot give "…" the permission of its sources: new files there get the default ACL of the directory':
    'Remove the default ACL of the directory while you compact: `hdfs dfs -setfacl -k`',
  'Cannot delete "/"': below,
  'Cannot rename "/"': below,
  'Cannot create "/": it is a directory': below,
  'The root directory cannot be deleted': below,
  'The root directory cannot be renamed': below,
  'The root directory cannot be moved': below,
  '… has … delegation tokens already': tokensInUse,
  'There are … delegation tokens already': tokensInUse,
  'This port speaks HTTPS: use https:// instead of http://': 'Use `https://`',
  'The request has no body; an empty file is sent with a Content-Type': 'Send a `Content-Type` to create an empty file',
  'No collector runs in this process': 'Use the address of a collector',
  'No route has this path': 'Use a path in [HTTP API](api.md)',
  'This deletion can no longer be undone here; look in the trash': 'Look in the [trash](../operations.md#trash)',
  'There is no namespace …': tables,
  'There is no table …': tables,
  '… is not a table': tables,
  '… is not a table, and not a directory': tables,
  '"…" is not a table': tables,
  'Not found: the door is closed; add it to collector.doors: …': doors,
  '… is not accepted: its door is closed; add to collector.doors: …': doors,
  'At most … clients can watch': 'Close another live page or `sluice tail`, then retry',
  'At most … options can be set': 'Set an option that exists',
  'The disk of the spool is full': 'Free space, or lower the mark: [SluiceDiskLow](../runbook.md#sluicedisklow)',
  'A zip archive can have no more than … of these files; tar can': 'Download them as tar',
  '… …: read it without warehouse=gateway': 'Attach the catalog without `warehouse=gateway`',
  'The client disconnected': 'Nothing: the client ended the request',
  'The transfer of "…" was aborted': 'Retry',
  'Cannot read "…" beyond byte …: it was truncated meanwhile': 'Read it again',
  'Cannot append to "…": other writers keep changing it': 'Retry; let one writer append to a file',
  'Files cannot be read: no reader process starts': 'See `a reader ended` in the log; check memory and `ulimit -u`',
  'Cannot … "…": the answer is not XML of S3, so the endpoint is not an S3 store': stores,
  'Cannot get credentials for "s3": …': stores,
  'Cannot … "…": the answer is not JSON, so the endpoint is not WebHDFS':
    'Fix `namenode.webhdfs.url`: [HDFS](../operations.md#hdfs)',
  'HDFS does not close "…" yet: the data nodes that have its last block may be away':
    'Start one of these data nodes: [SluiceTakenOver](../runbook.md#sluicetakenover)',
  'The log cannot be replicated: …': 'Fix the reason: [SluiceTakesLocal](../runbook.md#sluicetakeslocal)',
  'The catalog … did not …: …': 'Check the catalog and `collector.output.catalog`: `sluice doctor`',
  'another writer has changed the partitions; import again': 'Repeat `sluice table import`',
  'there are no Parquet files below it': 'Write Parquet files first: [Tables](../how-to/tables.md)',
  'nothing was deleted: the table property gc.enabled is false':
    'Set the property to `true`, if no other table needs the files',
  'the table lists this file, which is missing': 'Restore the file',
  'expected metadata as JSON, found version … compressed: set its property write.metadata.compression-codec to none':
    'Set the property with the program that writes the table',
  'expected v<N>.metadata.json, found …: the files of this table are known to its catalog service only: query it there; tables in collector.event-output-directory are read by collector.output.catalog':
    'Query it through its catalog, or set `collector.output.catalog` if the collector writes it',
  '… is a table outside the catalog: register it there, or move it': 'Register it in the catalog, or move it',
  '…: query it with Spark, Trino or DuckDB, or rewrite its data files':
    'Query it with Spark, Trino or DuckDB, or rewrite its data files',
  'Another search of refused events is running; retry later': 'Retry later',
  'The search of one hour took too long; narrow it by type or time': narrower,
  'The search took too long; retry, or narrow it by type or time': narrower,
  'Nothing can be forwarded: no broker is configured (realtime.broker)': 'Set `realtime.broker`',
  'Refused events cannot be read: …': '`sluice doctor`',
  'No refused event has the id …; …': '`sluice refused list`',
  'The Origin header names another site…': ownPage,
  'This request comes from a page of another site': ownPage,
  'Cancelled; nothing was changed.': 'Repeat the command, and confirm',
  'There is no profile …: … cannot be read': profiles,
  '… has no profile …; it has …': profiles,
  'There is no file …': path,
  'There is no directory …': path,
  'The token file … cannot be read: …': 'Check its path and permissions',
  'The token file … cannot be used: …': 'Fix the line that the message names',
  'The setting … is retired': 'Use the setting that replaces it: [Settings](settings.md)',
}
