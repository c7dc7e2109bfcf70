import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { readLedger } from '../../src/spool/ledger/ledger.ts'
import type { Sluice } from './sluice-process.ts'

/**
 * Stops the server and starts it again until nothing waits in its spool any more: a stop gives the file system some
 * seconds only, which may be too few on a busy machine.
 */
export const drainFully = async (server: Sluice): Promise<void> => {
  for (;;) {
    const code = await server.drain()
    if (code !== 0) throw new Error(`The server ended with ${code}`)
    if ((await countWaiting(join(server.directory, '.diskpool'))) === 0) return
    await server.start()
  }
}

/** Sealed files that are not committed, and segments that are not sealed. */
const countWaiting = async (directory: string): Promise<number> => {
  const { files } = await readLedger(createNodeDisk({ directory }))
  const waiting = [...files.values()].filter(
    ({ state }) => state.at !== 'committed' && state.at !== 'quarantined' && state.at !== 'taken',
  )
  return waiting.length + (await readdir(join(directory, 'log'))).length
}
