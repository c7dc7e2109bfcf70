import { createServer, type Server } from 'node:net'

/**
 * The range that is searched for ports: below those that operating systems give to outgoing connections and to port 0
 * (from 32768 on Linux). A daemon keeps its ports over a restart, and other processes must not take them meanwhile.
 */
const first = 20_000
const count = 12_000

/** Gives up after this many ports in use. */
const maxAttempts = 100

/** This many free ports on the loopback address, all held while they are picked, so that no two are equal. */
export const findFreePorts = async (howMany: number): Promise<readonly number[]> => {
  const held: { readonly port: number; readonly server: Server }[] = []
  try {
    for (let attempt = 0; held.length < howMany; attempt++) {
      if (attempt === maxAttempts) throw new Error(`No free port found from ${first} to ${first + count - 1}`)
      const port = first + Math.floor(Math.random() * count)
      const server = await listen(port)
      if (server) held.push({ port, server })
    }
    return held.map(({ port }) => port)
  } finally {
    await Promise.all(held.map(({ server }) => new Promise(done => server.close(done))))
  }
}

const listen = (port: number): Promise<Server | undefined> =>
  new Promise(done => {
    const server = createServer()
    server.once('error', () => done(undefined))
    server.listen(port, '127.0.0.1', () => done(server))
  })
