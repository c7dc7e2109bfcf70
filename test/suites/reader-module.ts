/** A reader of tests: the path says what it reads. */
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { parsePath } from '../../src/filesystem/path.ts'
import { createTextBody } from '../../src/gateway/body.ts'
import type { ToBodyOptions } from '../../src/gateway/context.ts'
import type { Reads } from '../../src/gateway/reads.ts'
import type { Call } from '../../src/http/call/call.ts'
import { serveReads } from '../../src/readers/serve-reads.ts'

type AnyCall = Call<{ readonly path: string }>

const spin = (): never => {
  for (;;) Math.random()
}

let megabytes = 0
let aborted = 0
let cancelled = 0

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

/** A file that says that it unfolds far beyond its size, and then does what the rest of the path says. */
const swells = /^\/swells\/(?<version>\d+)(?<rest>\/.*)$/

async function* toPieces(call: AnyCall): AsyncGenerator<string> {
  const path = swells.exec(call.params.path)?.groups?.['rest'] ?? call.params.path
  if (path === '/echo') yield JSON.stringify({ ...call, mayWrite: call.caller?.has('write') })
  else if (path === '/pid') yield String(process.pid)
  else if (parsePath(path).startsWith('/die')) process.kill(process.pid, 'SIGKILL')
  else if (path === '/abort') process.abort()
  else if (path === '/spin') spin()
  else if (path === '/buffers') for (const held: Buffer[] = []; ; ) held.push(Buffer.alloc(2 ** 20, 1))
  else if (path === '/objects') for (const held: object[] = []; ; ) held.push({ held: [held.length] })
  else if (path === '/json') JSON.parse(`[${'{"a":[1.5,"xyz"]},'.repeat(20e6)}{}]`)
  else if (path === '/hold') {
    yield String(process.pid)
    await never(call.signal)
  } else if (path === '/wait') await never(call.signal)
  else if (path === '/long') for (let left = 5; left > 0; left--) yield String(left).repeat(2 ** 20)
  else if (path === '/endless') {
    for (const megabyte = 'x'.repeat(2 ** 20); ; megabytes++) yield megabyte
  } else if (path === '/figures') yield JSON.stringify({ megabytes, aborted, cancelled })
  else if (path === '/breaks') {
    yield 'some'
    throw new FileSystemError('unavailable', path, 'the cluster went away')
  } else throw new FileSystemError('not-found', path, `There is no "${path}"`)
}

serveReads<{ readonly refuse?: string }>(async ({ refuse }, { logger, onOpen, onOpened, onUpstream }) => {
  if (refuse !== undefined) throw new Error(refuse)
  const read = async (call: AnyCall, toBodyOptions: ToBodyOptions): Promise<Response> => {
    const { path } = call.params
    onOpen(`${path}/inner`)
    const version = swells.exec(path)?.groups?.['version']
    if (version !== undefined)
      await onOpened({ path: '/swells', size: 100, modified: Number(version), unfolded: 2 ** 31 })
    onUpstream(7)
    logger.info({ path, err: new TypeError('for the log') }, 'reads')
    if (path === '/empty') return new Response(null, { status: 204, headers: { 'x-of': 'empty' } })
    if (path === '/bug') throw new TypeError('a mistake')
    call.signal.addEventListener('abort', () => aborted++)
    if (path === '/deaf') {
      // Reacts to nothing but its cancellation.
      const body = new ReadableStream<Uint8Array>({
        start: controller => controller.enqueue(Buffer.from('deaf')),
        pull: () => new Promise(() => {}),
        cancel: () => void cancelled++,
      })
      return new Response(body)
    }
    // Waits without a turn of its own, as what comes first of a file may.
    const stop = new AbortController()
    const body = await createTextBody(toPieces(call), toBodyOptions(call, stop))
    return new Response(body, { status: 200, headers: { 'x-of': path } })
  }
  return { readJson: read, readText: read, readTree: read, browse: read } as unknown as Reads
})
