import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A connection that sends exactly the given bytes: slow, broken and pipelined requests. */
export type RawClient = {
  readonly socket: Socket
  send(text: string): void
  /** Waits until what has arrived matches, and returns and forgets it. */
  until(pattern: RegExp): Promise<string>
  /** Everything that arrives until the server closes the connection. */
  rest(): Promise<string>
}

/** Connects to a port of this machine. */
export const createRawClient = async (port: number, isSecure = false): Promise<RawClient> => {
  const to = { host: '127.0.0.1', port }
  const socket = isSecure ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  let received = ''
  let isClosed = false
  let wake = (): void => {}
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
    wake()
  })
  // A reset counts as closed; what had arrived before it is what the test looks at.
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  const wait = (): Promise<void> =>
    new Promise(resolve => {
      wake = resolve
    })
  const take = (length: number): string => {
    const taken = received.slice(0, length)
    received = received.slice(length)
    return taken
  }
  return {
    socket,
    send: text => void socket.write(text, 'latin1'),
    until: async pattern => {
      for (;;) {
        const match = pattern.exec(received)
        if (match !== null) return take(match.index + match[0].length)
        if (isClosed) throw new Error(`Closed before ${pattern} came; got ${JSON.stringify(received)}`)
        await wait()
      }
    },
    rest: async () => {
      while (!isClosed) await wait()
      return take(received.length)
    },
  }
}

/** A whole POST request with a body. */
export const toPost = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
