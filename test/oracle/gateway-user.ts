import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { keepSending } from '../suites/senders/traffic.ts'
import { readFiles } from '../suites/spool.ts'

/** Somebody who uploads files through the gateway, and reads rows of them. */
export type GatewayUser = {
  /** Files that the gateway said it has stored. */
  readonly stored: ReadonlySet<string>
  readonly oddities: readonly string[]
  /** Rows that were read, and compared, so far. */
  readonly rowsRead: number
  start(): void
  stop(): Promise<void>
  /** One upload and one reading of it; whether both went well. */
  once(): Promise<boolean>
  /** Problems of the files, by the present contents of the file system. */
  check(fileSystem: FileSystem): Promise<readonly string[]>
}

/** Between two turns. */
const restMs = 250
const timeoutMs = 15_000
const rowsOfFile = 200

/** @param directory where the files go; only this user writes there */
export const createGatewayUser = (url: string, directory: string): GatewayUser => {
  const stored = new Set<string>()
  const sent = new Map<string, string>()
  const oddities: string[] = []
  let rowsRead = 0
  let running: { stop(): Promise<void> } | undefined

  const call = async (
    target: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string } | undefined> => {
    try {
      const response = await fetch(`${url}${target}`, { ...init, signal: AbortSignal.timeout(timeoutMs) })
      const answer = { status: response.status, text: await response.text() }
      if (response.status >= 300 && response.status !== 503) oddities.push(`${target}: ${answer.status} ${answer.text}`)
      return answer
    } catch {
      // No server was there, or the answer was broken off, as it is when HDFS goes away midway.
      return undefined
    }
  }

  const upload = async (): Promise<boolean> => {
    const path = `${directory}/file-${sent.size}.txt`
    const body = toText(sent.size)
    sent.set(path, body)
    const answer = await call(`/rest/1.0?path=${path}`, { method: 'POST', body })
    if (answer?.status !== 201) return false
    stored.add(path)
    return true
  }

  const readRows = async (path: string): Promise<boolean> => {
    const answer = await call(`/rest/1.0/json?path=${path}`)
    if (answer?.status !== 200) return false
    const { entries } = JSON.parse(answer.text) as { readonly entries: readonly Entry[] }
    const [entry] = entries
    // A file that cannot be read now does not fail the page: its entry says so.
    if (entry?.error !== undefined) return false
    const lines = entry?.content?.map(row => `${Object.values(row).join('\t')}\n`) ?? []
    if (lines.join('') === sent.get(path)) rowsRead += lines.length
    else oddities.push(`${path}: read ${lines.length} rows that are not what was stored`)
    return true
  }

  const turn = async (): Promise<void> => {
    await upload()
    const [path] = [...stored].slice(-1 - (sent.size % 5))
    if (path !== undefined) await readRows(path)
    await pause(restMs)
  }

  return {
    stored,
    oddities,
    get rowsRead() {
      return rowsRead
    },
    start: () => {
      running = keepSending(turn)
    },
    stop: async () => await running?.stop(),
    once: async () => {
      if (!(await upload())) return false
      const [path = ''] = [...stored].slice(-1)
      return await readRows(path)
    },
    check: async fileSystem => {
      const files = await readFiles(fileSystem, directory)
      // Temporary files of a server that was killed begin with a dot, and are hidden.
      const visible = [...files].filter(([path]) => !path.startsWith(`${directory}/.`))
      const wrong = visible.filter(([path, bytes]) => new TextDecoder().decode(bytes) !== sent.get(path))
      return [
        ...[...stored].filter(path => !files.has(path)).map(path => `${path} was stored and is not there`),
        ...wrong.map(([path, { length }]) => `${path} holds ${length} bytes that are not what was sent`),
      ]
    },
  }
}

/** A file of the gateway's JSON. */
type Entry = { readonly content?: readonly Readonly<Record<string, unknown>>[]; readonly error?: unknown }

/** Rows of three columns, different in each file. */
const toText = (file: number): string =>
  Array.from(
    { length: rowsOfFile },
    (_, row) => `file ${file}\trow ${row}\t${'x'.repeat((file * 7 + row) % 90)}y\n`,
  ).join('')

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
