import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the system gives to those who ask for any; of each process some of its own. */
const first = 10_000 + (process.pid % 400) * 50
const ports = 50
let next = 0

/**
 * A port that is free, and that no other server of these tests gets for a while: a request that was on its way to a server
 * which is killed must not come to the next one on its port, which takes it for its own.
 */
export const ownPort = async (): Promise<number> => {
  for (let tries = 0; tries < ports; tries++) {
    const port = first + (next++ % ports)
    if (await isFree(port)) return port
  }
  throw new Error(`All ports from ${first} to ${first + ports - 1} are taken`)
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
