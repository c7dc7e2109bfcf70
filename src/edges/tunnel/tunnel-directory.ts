// node-only: local sockets
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'sluice-edges-'

/** A server that has just made its directory does not listen there yet. */
const youngMs = 60_000

/** Makes a directory for local sockets into which only this user can look. @throws NodeJS.ErrnoException when it cannot be made */
export const makeTunnelDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(directory, 0o700)
  return directory
}

/** Where the sockets of such a directory are. */
export const toSocketPath = (directory: string, number: number): string => join(directory, String(number))

/** Removes what servers left behind that were killed. */
export const removeDeadTunnels = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const directory = join(tmpdir(), name)
    if (name.startsWith(prefix) && isOwnAndOld(directory) && (await isDead(directory)))
      rmSync(directory, { recursive: true, force: true })
  }
}

/** What is another user's could become something else while it is removed. */
const isOwnAndOld = (directory: string): boolean => {
  const stat = lstatSync(directory, { throwIfNoEntry: false })
  return stat?.uid === process.getuid?.() && stat?.isDirectory() === true && Date.now() - stat.mtimeMs > youngMs
}

/** Whether its server is gone: the system refuses connections. */
const isDead = (directory: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ path: toSocketPath(directory, 0) }, () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
