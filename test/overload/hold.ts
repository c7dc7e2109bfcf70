/**
 * Many connections that do as little as they can, from a process of its own, which needs a file descriptor for each.
 *
 *     node test/overload/hold.ts '{"port":8080,"kinds":{"silent":1000,"half-head":1000}}'
 *
 * prints `{"msg":"connected"}` when the first ones are open, `{"msg":"held"}` when all are open and have done what they do first, and `{"msg":"closed: silent"}` when the
 * server has closed the last one of a kind, with the statuses that it answered; runs until then, or until it is killed.
 */
import { connect, type Socket } from 'node:net'

/** How many of each kind, on one port. */
export type HoldOptions = {
  readonly port: number
  readonly kinds: { readonly [kind in Kind]?: number }
  /** What slow readers ask for. */
  readonly file?: string
  /** Connections that are opened together. @default 100 */
  readonly atOnce?: number
}

export type Kind = keyof typeof kinds

const everyMs = 1_000

/** What is sent first, and one byte after another, again and again; what is read. */
type Behaviour = { readonly first: (file: string) => string; readonly drip?: string; readonly isSlowReader?: boolean }

const head = 'POST /rest/1.0/event HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const kinds = {
  /** Sends nothing at all. */
  silent: { first: () => '' },
  /** Sends a part of its headers, and no more. */
  'half-head': { first: () => head },
  /** Sends headers endlessly, a byte in a second. */
  'slow-head': { first: () => `${head}X: `, drip: 'x' },
  /** Sends a body endlessly. */
  'slow-body': { first: () => `${head}Content-Length: 1000\r\n\r\n{`, drip: ' ' },
  /** Has got an answer, and asks for nothing more. */
  idle: { first: () => 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  /** Asks for a file, and takes some bytes of it in a second. */
  'slow-reader': {
    first: (file: string) => `GET /rest/1.0/binary?path=${file} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    isSlowReader: true,
  },
} as const satisfies Record<string, Behaviour>

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

let connected = 0

/** Resolves when it is open and has had its answer, if it gets one. */
const hold = (kind: Kind, options: HoldOptions, onClose: (status: string) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const { port, file = '/' } = options
    const behaviour: Behaviour = kinds[kind]
    const socket: Socket = connect(port, '127.0.0.1')
    let status = 'none'
    let dripping: NodeJS.Timeout | undefined
    socket.on('connect', () => {
      if (++connected === (options.atOnce ?? 0)) say({ msg: 'connected' })
      socket.write(behaviour.first(file))
      const { drip } = behaviour
      if (drip !== undefined) dripping = setInterval(() => socket.write(drip), everyMs)
      if (behaviour.isSlowReader === true) {
        socket.pause()
        dripping = setInterval(() => socket.read(100), everyMs)
      }
      if (kind !== 'idle') resolve()
    })
    if (behaviour.isSlowReader !== true) {
      socket.on('data', chunk => {
        status = chunk.toString('latin1', 9, 12)
        resolve()
      })
    }
    socket.on('error', reject)
    socket.on('close', () => {
      clearInterval(dripping)
      onClose(status)
    })
  })

const run = async (options: HoldOptions): Promise<void> => {
  const { atOnce = 100 } = options
  for (const [name, count] of Object.entries(options.kinds)) {
    const kind = name as Kind
    const statuses: Record<string, number> = {}
    let left = count
    const onClose = (status: string): void => {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (--left === 0) say({ msg: `closed: ${kind}`, statuses })
    }
    // Some at a time: if more wait for a listener at once they would have to retry.
    for (let opened = 0; opened < count; opened += atOnce) {
      const some = Math.min(atOnce, count - opened)
      await Promise.all(Array.from({ length: some }, () => hold(kind, options, onClose)))
    }
  }
  say({ msg: 'held' })
}

await run(JSON.parse(process.argv[2] ?? ''))
