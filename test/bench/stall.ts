/**
 * Clients that ask for something, take the first bytes of its answer, and then read nothing, until this process is ended.
 *
 *     node test/bench/stall.ts '{"url":"http://127.0.0.1:8080/rest/1.0/json?path=/large","connections":1000}'
 *
 * prints `{"stalled":{"200":1000}}`, how many got which status, when all have one.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export type StallOptions = { readonly url: string; readonly connections: number }

/** Some at a time: if more wait for a listener at once they would have to retry. */
const atOnce = 100

const { url, connections } = JSON.parse(process.argv[2] ?? '') as StallOptions
const { hostname, port, pathname, search } = new URL(url)
const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`
const stalled: Record<string, number> = {}

/** Resolves when it has a status. Node takes what its buffer holds, and stops when the rest is not read. */
const stall = async (): Promise<void> => {
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(request)
  await once(socket, 'readable')
  const status = String((socket.read() as Buffer | null)?.toString('latin1', 9, 12))
  stalled[status] = (stalled[status] ?? 0) + 1
}

for (let opened = 0; opened < connections; opened += atOnce) {
  await Promise.all(Array.from({ length: Math.min(atOnce, connections - opened) }, stall))
}
console.log(JSON.stringify({ stalled }))
