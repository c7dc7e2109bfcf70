/** `npm run demo`: one hour of events of a web shop, sent to a server that runs. */
import { CliError, exitCodes, toFailure, usageError } from '../../admin/cli/command/failure.ts'
import { withProgress } from '../../admin/cli/print/progress.ts'
import { marks, styleError } from '../../admin/cli/print/style.ts'
import { printLine, writeError, writeOut } from '../../admin/cli/print/terminal.ts'
import { plural, toBytes, toCount, toDateText } from '../../admin/cli/print/units.ts'
import { beanNames } from '../../admin/cli/server/collector-beans.ts'
import { flushNow } from '../../admin/cli/server/flush.ts'
import { RpcUnreachable, reasonOf } from '../../admin/client/errors.ts'
import { createRpcClient, type RpcClient } from '../../admin/client/rpc-client.ts'
import { createGetSender, createPostSender, createScribeSender } from '../../clients/tracker/index.ts'
import { type ServerSettings, whereFilesAre } from './files.ts'
import { eventTypes, oneHour } from './one-hour.ts'
import { type Options, readOptions, usage } from './options.ts'
import { sendAll, type Ways } from './send.ts'

const flushTimeoutMs = 3_600_000

const nobodyAnswers = (url: string, option: string, cause: unknown): CliError =>
  new CliError(`Nothing answers at ${url} (${reasonOf(cause)})`, {
    exitCode: exitCodes.unreachable,
    hint: `Start a server with \`npm start\` in another terminal, or say with --${option} where one is.`,
    cause,
  })

/** Asks both listeners, so that nothing is sent where the rest cannot be done. */
const connect = async ({ url, adminUrl, isFlushed, token }: Options) => {
  await fetch(url, { method: 'HEAD', redirect: 'manual' }).catch((error: unknown) => {
    throw nobodyAnswers(url, 'url', error)
  })
  if (!isFlushed) return undefined
  const rpc = createRpcClient({ url: adminUrl, token, timeoutMs: flushTimeoutMs })
  const { vendor } = await rpc.version().catch((error: unknown) => {
    throw error instanceof RpcUnreachable ? nobodyAnswers(adminUrl, 'admin-url', error.cause) : error
  })
  const { value } = await rpc.read(`${vendor}.metrics:name=Settings`, 'Settings')
  return { rpc, vendor, settings: value as ServerSettings }
}

const createWays = ({ url, token }: Options, settings: ServerSettings): Ways => {
  const options = { url, ...(token === undefined ? {} : { token }) }
  const get2 = createGetSender({ ...options, version: 2 })
  const port = settings['collector.scribe.enabled'] === 'true' ? Number(settings['collector.scribe.port']) : 0
  return {
    json: createPostSender({ ...options, format: 'json' }),
    smile: createPostSender({ ...options, format: 'smile' }),
    get1: createGetSender({ ...options, version: 1 }),
    get2,
    // The same fields make the same files.
    scribe: port > 0 ? createScribeSender({ host: new URL(url).hostname, port }) : get2,
  }
}

const send = async (options: Options, settings: ServerSettings): Promise<void> => {
  const { events: count, seed, beginsAt } = options
  const ways = createWays(options, settings)
  const events = oneHour({ seed, count, beginsAt })
  const { accepted, refused } = await withProgress({ label: 'Sending', format: toCount }, update =>
    sendAll(events, ways, settled => update(settled, count, 'events')),
  ).finally(() => {
    for (const way of Object.values(ways)) way.close()
  })
  printLine(
    `${marks.ok()} Sent ${plural(accepted, 'event')} of ${eventTypes.length} types, from ${toDateText(beginsAt)} on, seed ${seed}`,
  )
  if (refused.length > 0) {
    throw new CliError(`The server refused ${plural(refused.length, 'event')}; the first one: ${refused[0]}`)
  }
}

const flush = async (rpc: RpcClient): Promise<void> => {
  const names = await beanNames(rpc)
  const { files, bytes, failures } = await withProgress({ label: 'Flushing', format: toCount }, update =>
    flushNow(rpc, names, (done, total) => update(done, total, 'files')),
  )
  if (failures > 0) throw new CliError(`${plural(failures, 'file')} could not be flushed`, { hint: 'See its log.' })
  printLine(`${marks.ok()} Flushed ${plural(files, 'file')}, ${toBytes(bytes)}`)
}

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2), process.env)
  const management = await connect(options)
  await send(options, management?.settings ?? {})
  if (management === undefined) return
  const { rpc, vendor, settings } = management
  await flush(rpc)
  const bean = `${vendor}.metrics.filesystem:name=FileSystem,path=/`
  const { value: fileSystem } = await rpc.read(bean, 'Url')
  const { place, query } = whereFilesAre(settings, String(fileSystem))
  printLine(`  They are in ${place}; as rows at ${options.url}/rest/1.0/hdfs`)
  printLine(query === undefined ? '  Files that DuckDB reads: --help has the settings.' : `  ${query}`)
}

if (process.argv.slice(2).some(word => word === '--help' || word === '-h')) writeOut(usage)
else {
  await main().catch((error: unknown) => {
    const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    const { message, hint = '', exitCode } = toFailure(isUsage ? usageError(error.message) : error)
    writeError(`${styleError('red', '✗')} ${message}\n${hint === '' ? '' : `  ${hint}\n`}`)
    process.exitCode = exitCode
  })
}
