import { findImbalance, readBooks } from '../suites/books.ts'
import type { GatewayUser } from './gateway-user.ts'
import { routes, type Senders } from './senders.ts'
import type { Server } from './server.ts'
import { readSpoolState } from './spool-state.ts'
import type { Stage } from './stage.ts'

const lookEveryMs = 100
/** Beyond the next look for strays of our own. */
const anHourMs = 3_700_000

export type CalmOptions = {
  readonly stage: Pick<Stage, 'leftOver' | 'broker'>
  readonly server: Server
  readonly senders: Senders
  readonly user: GatewayUser
  /** By then everything has to hold again. */
  readonly calmMs: number
}

export type Calm = {
  /** What is not well, as sentences. */
  readonly problems: readonly string[]
  /** What took longest, with its time. */
  readonly slowest: string
}

/** Faults are over: waits until all is well again, and drains the server. */
export const becomeCalm = async ({ stage, server, senders, user, calmMs }: CalmOptions): Promise<Calm> => {
  const { adminUrl, control, sluice, outputDirectory } = server
  const deadline = performance.now() + calmMs
  const problems: string[] = []
  const waits: { readonly what: string; readonly seconds: number }[] = []
  /** Asks until the answer is yes; once the time is over, says what was waited for. */
  const until = async (what: string, ask: () => Promise<boolean>): Promise<void> => {
    const start = performance.now()
    while (!(await ask().catch(() => false))) {
      if (performance.now() > deadline) return void problems.push(`not within ${calmMs / 1_000} s: ${what}`)
      await new Promise(done => setTimeout(done, lookEveryMs))
    }
    waits.push({ what, seconds: (performance.now() - start) / 1_000 })
  }

  // In case it ended by itself, which is reported elsewhere.
  await server.startForCertain()
  await until('requests with keys are answered', async () => (await senders.finishKeyed()) === 0)
  const { forwarded } = await readSpoolState(adminUrl)
  for (const route of routes) await until(`a fresh event passes by ${route}`, () => senders.sendOnce(route))
  if (stage.broker)
    await until('a fresh event is at the broker', async () => (await readSpoolState(adminUrl)).forwarded > forwarded)
  await until('a fresh file passes the gateway', () => user.once())
  await until('the spool is empty', async () => (await readSpoolState(adminUrl)).waiting === 0)
  const { refusal, quarantined } = await readSpoolState(adminUrl)
  if (refusal !== '') problems.push(`the server refuses: ${refusal}`)
  if (quarantined > 0) problems.push(`${quarantined} events are in quarantine`)
  problems.push(...findImbalance(await readBooks(adminUrl)))

  // What interrupted uploads have left is looked for every hour.
  control.set({ clockShiftMs: anHourMs })
  await until('nothing of ours is left on its way', async () => (await stage.leftOver(outputDirectory)).length === 0)

  const code = await sluice.drain()
  if (code !== 0) problems.push(`the drain ended with ${code}`)
  const [slowest] = waits.sort((a, b) => b.seconds - a.seconds)
  return { problems, slowest: slowest ? `${slowest.what}: ${slowest.seconds.toFixed(1)} s` : '' }
}
