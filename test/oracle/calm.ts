import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { auditBooks, type Books, readBooks } from './books.ts'
import type { GatewayUser } from './gateway-user.ts'
import { routes, type Senders } from './senders.ts'
import type { Server } from './server.ts'
import type { Stage } from './stage.ts'

/** By then everything has to hold again. */
export const calmMs = 120_000

const lookEveryMs = 100
/** Later than the next look for strays of our own. */
const anHourMs = 3_700_000

export type CalmOptions = {
  readonly stage: Stage
  readonly server: Server
  readonly senders: Senders
  readonly user: GatewayUser
}

/** Faults are over: waits until all is well again and the server has drained. @returns what is not, as sentences */
export const becomeCalm = async ({ stage, server, senders, user }: CalmOptions): Promise<readonly string[]> => {
  const deadline = performance.now() + calmMs
  const problems: string[] = []
  /** Asks until the answer is yes; once the time is over, says what was waited for. */
  const until = async (what: string, ask: () => Promise<boolean>): Promise<void> => {
    while (!(await ask().catch(() => false))) {
      if (performance.now() > deadline) return void problems.push(`not within ${calmMs / 1_000} s: ${what}`)
      await new Promise(done => setTimeout(done, lookEveryMs))
    }
  }
  let books: Books | undefined
  const look = async (): Promise<Books> => {
    books = await readBooks(server.adminUrl)
    return books
  }

  await until('requests with keys are answered', async () => (await senders.finishKeyed()) === 0)
  const { forwarded } = await look()
  for (const route of routes) await until(`a fresh event passes by ${route}`, () => senders.sendOnce(route))
  await until('a fresh event is at the broker', async () => (await look()).forwarded > forwarded)
  await until('a fresh file passes the gateway', () => user.once())
  await until('the spool is empty', async () => (await look()).waiting === 0)
  if (books)
    problems.push(...(books.refusal === '' ? [] : [`the server refuses: ${books.refusal}`]), ...auditBooks(books))

  // What interrupted uploads have left is looked for every hour.
  server.control.set({ clockShiftMs: anHourMs })
  const leftOver = (): Promise<readonly string[]> => listFiles(stage.fileSystem, `${server.outputDirectory}/_tmp`)
  await until('nothing of ours is left in _tmp', async () => (await leftOver()).length === 0)
  for (const path of await leftOver()) problems.push(`left over: ${path}`)

  const code = await server.sluice.drain()
  if (code !== 0) problems.push(`the drain ended with ${code}`)
  return problems
}

const listFiles = async (fileSystem: FileSystem, directory: string): Promise<readonly string[]> => {
  const files: string[] = []
  for await (const { path, isDirectory } of fileSystem.listStatus(directory)) {
    if (isDirectory) files.push(...(await listFiles(fileSystem, path)))
    else files.push(path)
  }
  return files
}
