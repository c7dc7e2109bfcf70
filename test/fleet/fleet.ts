/** Collectors that write into one directory of HDFS, each on a machine of its own that can be lost; and the outcome. */
import { rm } from 'node:fs/promises'
import type { Store } from '../foreign/store.ts'
import { readSpoolState } from '../oracle/spool-state.ts'
import { findImbalance, readBooks } from '../suites/books.ts'
import { type ClientLedger, createClientLedger, type Verdict } from '../suites/ledger-of-client.ts'
import { createCommitted } from './committed.ts'
import { readLogs, type StandingLog } from './log-directory.ts'
import { createFleetDirectory, type KeyedRequest, type Machine, startMachine } from './machine.ts'
import { type Senders, sendTo, startSenders } from './senders.ts'
import { until } from './until.ts'

export type FleetOptions = {
  readonly outputDirectory: string
  /** The file system as programs of other make see it. */
  readonly openStore: () => Promise<Store>
  /** Settings of a collector. @param number of its machine, the first is 0 */
  readonly settings: (number: number) => readonly string[] | Promise<readonly string[]>
  readonly env?: Readonly<Record<string, string>>
  /** Between two requests of a loop; by default as much as a machine bears that runs four Java processes besides. */
  readonly restMs?: number
}

export type Fleet = {
  readonly client: ClientLedger
  /** The machine of each place. */
  readonly machines: readonly Machine[]
  /** Starts a collector on a new machine, in a new place or in that of a lost one. */
  add(place: number): Promise<Machine>
  /** Sends events to all of them until {@link Fleet.finish}. */
  load(): void
  /**
   * Resolves when each machine has acknowledged this many more events; one that was taken over alive is started again.
   */
  acknowledged(more: number): Promise<void>
  readonly logs: () => Promise<readonly StandingLog[]>
  /**
   * Waits until another collector has taken over the log of a lost machine, all that it had acknowledged is committed, and
   * nothing is left of its log. Then requests with a key are sent to the taker again, as clients do that had no answer.
   */
  takenOver(lost: Machine): Promise<Takeover>
  /** Ends the load, waits until nothing is waiting, and compares. */
  finish(): Promise<Reckoning>
  close(): Promise<void>
}

export type Takeover = {
  /** From the moment in which its log had another owner until the last of its acknowledged events was committed. */
  readonly seconds: number
  readonly taker: Machine
}

export type Reckoning = {
  readonly verdict: Verdict
  readonly found: number
  readonly files: number
  /** What the books of a collector, or of all together, do not agree on; answers that no fault excuses; sentences. */
  readonly problems: readonly string[]
  /** Events in the file system by the books of those that run, of collectors that were taken over as well. */
  readonly booked: number
}

/** Requests of a lost machine that are repeated although they were answered. */
const repeatedOfAnswered = 5
const loopsOfPlace = 2
const defaultRestMs = 60
/** So many times as long do clients rest while time is waited for: a taker is under load then, and the machine is not. */
const restWhileWaiting = 5
const lookForFencedMs = 2_000

/** Prepares it; no machine runs yet. */
export const createFleet = async ({
  outputDirectory,
  openStore,
  settings,
  env = {},
  restMs = defaultRestMs,
}: FleetOptions): Promise<Fleet> => {
  const client = createClientLedger()
  const directory = await createFleetDirectory()
  const store = await openStore()
  const committed = createCommitted(store, outputDirectory)
  const places: Machine[] = []
  const oddities: string[] = []
  const crashes: { readonly id: string; readonly sentence: string }[] = []
  const seen = new Set<number>()
  /** Ids of collectors whose logs were taken over: the note of it goes when one has come back, and all it had is in the file system. */
  const taken = new Set<string>()
  let started = 0
  let waiting = 0
  let senders: Senders | undefined
  let looking: Promise<void> = Promise.resolve()

  const look = (): Promise<void> => {
    looking = looking.then(async () => {
      for (const event of await committed.look()) seen.add(event)
    })
    return looking
  }

  /** A taker may be lost in turn, and have nothing left of this log: the machine that took everything from it knows its requests. */
  const takerOf = async (id: string): Promise<Machine | undefined> => {
    const logs = await readLogs(store, outputDirectory)
    let log = logs.find(one => one.id === id)
    while (log?.taker !== undefined) {
      const { taker } = log
      const machine = places.find(one => one.id === taker && !one.isLost)
      if (machine) return machine
      log = logs.find(one => one.id === taker && one.isDone)
    }
    return undefined
  }

  /** As clients do that have heard no answer. */
  const repeat = async (requests: readonly KeyedRequest[], find: () => Promise<Machine | undefined>): Promise<void> => {
    for (const request of requests) {
      client.retry(...request.events)
      await until(`${request.key} is answered`, async () => {
        const machine = await find()
        return machine !== undefined && (await sendTo(machine, client, request, oddities)) === 'acknowledged'
      })
    }
  }

  /** One that is silent on a busy machine for too long counts as gone, and takes nothing more. */
  const reviveFenced = async (machine: Machine): Promise<void> => {
    const logs = await readLogs(store, outputDirectory)
    if (!logs.some(({ id, taker }) => id === machine.id && taker !== undefined)) return
    console.log(`machine ${machine.number} was taken over although it lives: it is started again`)
    taken.add(machine.id)
    await machine.restart()
  }

  const rest = (): number => (waiting > 0 ? restWhileWaiting * restMs : restMs)

  const add: Fleet['add'] = async place => {
    const number = started++
    const onCrash = (id: string, sentence: string): void => void crashes.push({ id, sentence })
    const own = await settings(number)
    const machine = await startMachine({ number, outputDirectory, settings: own, env, directory, onCrash })
    places[place] = machine
    return machine
  }

  const takenOver: Fleet['takenOver'] = async lost => {
    waiting++
    await until(
      `the log of machine ${lost.number} is taken over`,
      async () => (await takerOf(lost.id)) !== undefined,
    ).finally(() => waiting--)
    taken.add(lost.id)
    const begun = performance.now()
    await until(`all that machine ${lost.number} acknowledged is committed`, async () => {
      await look()
      return lost.acknowledged.isSubsetOf(seen)
    })
    const seconds = (performance.now() - begun) / 1_000
    await until(`nothing is left of the log of machine ${lost.number}`, async () =>
      (await readLogs(store, outputDirectory)).some(({ id, isDone }) => id === lost.id && isDone),
    )
    const requests = [...lost.unanswered.splice(0), ...lost.answered.slice(-repeatedOfAnswered)]
    await repeat(requests, () => takerOf(lost.id))
    const taker = await takerOf(lost.id)
    if (taker === undefined) throw new Error(`The taker of machine ${lost.number} is lost`)
    return { seconds, taker }
  }

  const finish: Fleet['finish'] = async () => {
    await senders?.stop()
    oddities.push(...(senders?.oddities ?? []))
    // One that finds its log taken over ends, to begin as another one.
    for (const { id, taker } of await readLogs(store, outputDirectory)) if (taker) taken.add(id)
    oddities.push(...crashes.flatMap(({ id, sentence }) => (taken.has(id) ? [] : [sentence])))
    const problems = new Set(oddities)
    let booked = 0
    for (const machine of places) {
      for (const request of machine.unanswered)
        await repeat([request], async () => (await takerOf(request.id)) ?? machine)
      const adminUrl = machine.sluice.urls()?.['admin'] ?? ''
      await until(`nothing waits on machine ${machine.number}`, async () => {
        const { waiting, quarantined } = await readSpoolState(adminUrl)
        if (quarantined > 0) problems.add(`${quarantined} events of machine ${machine.number} are in quarantine`)
        return waiting === 0
      })
      const books = await readBooks(adminUrl)
      booked += books.committed + books.takenOver
      for (const sentence of findImbalance(books)) problems.add(`machine ${machine.number}: ${sentence}`)
    }
    const fresh = createCommitted(await openStore(), outputDirectory)
    const found = await fresh.look()
    return { verdict: client.compare(found), found: found.length, files: fresh.files, problems: [...problems], booked }
  }

  return {
    client,
    machines: places,
    add,
    load: () => {
      senders = startSenders({ client, machines: () => places, loops: loopsOfPlace, restMs: rest })
    },
    acknowledged: async more => {
      const wanted = places.map(machine => ({ machine, events: machine.acknowledged.size + more }))
      for (const { machine, events } of wanted) {
        let nextLook = performance.now() + lookForFencedMs
        await until(`machine ${machine.number} acknowledges events`, async () => {
          if (machine.isLost || machine.acknowledged.size >= events) return true
          if (performance.now() < nextLook) return false
          nextLook = performance.now() + lookForFencedMs
          await reviveFenced(machine)
          return false
        })
      }
    },
    logs: () => readLogs(store, outputDirectory),
    takenOver,
    finish,
    close: async () => {
      await senders?.stop()
      await Promise.all(places.map(({ sluice }) => sluice.close()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
