import { keepSending } from '../suites/senders/traffic.ts'
import type { DataDisk } from './data-disk.ts'
import type { Aim, NetworkFault } from './fault-proxy.ts'
import type { Realm } from './realm.ts'
import { setSafeMode } from './safe-mode.ts'
import { type Fault, type FaultName, type FaultyPart, spanMs } from './schedule.ts'
import type { Server } from './server.ts'
import { needBroker, needHdfs, type Stage } from './stage.ts'

/** Everything that a fault can reach. */
export type Reach = { readonly stage: Stage; readonly server: Server; readonly disk: DataDisk }

type End = () => Promise<unknown>
/** Begins a fault and says how it ends. */
type Begin = (reach: Reach, choice: number) => Promise<End>

/**
 * Does to the world what the schedule says, and resolves when all of it is over. A fault of a part waits for the end of
 * the one before.
 */
export const carryOut = async (schedule: readonly Fault[], reach: Reach, loadMs: number): Promise<void> => {
  const stretch = loadMs / spanMs
  const start = performance.now()
  const parts = Map.groupBy(schedule, ({ part }) => part)
  const carryOutPart = async (faults: readonly Fault[]): Promise<void> => {
    for (const { name, atMs, forMs, choice } of faults) {
      await pause(start + atMs * stretch - performance.now())
      const end = await begin[name](reach, choice)
      await pause(forMs * Math.min(stretch, maxStretch))
      await end()
    }
  }
  const order: readonly FaultyPart[] = ['server', 'cluster', 'network', 'disk', 'clock', 'broker', 'kerberos']
  const all = await Promise.allSettled([...order.map(part => carryOutPart(parts.get(part) ?? [])), pause(loadMs)])
  const failure = all.find(one => one.status === 'rejected')
  if (failure) throw failure.reason
}

/** However long the load: longer faults than these teach nothing new, and pauses between attempts grow with them. */
const maxStretch = 3

/** A share that is never so small that nothing meets it. */
const toShare = (choice: number): number => 0.3 + 0.7 * choice

/** For how much longer a fault waits for a request that meets it. */
const longestWaitMs = 4_000
const lookEveryMs = 50

/** Steps of a commit that are worth a fault of their own; the others then go well. */
const operations = ['RENAME', 'CREATE', 'GETFILESTATUS'] as const

/** Half of the time all requests or some of any kind, otherwise most of one kind. */
const toAim = (choice: number): Aim => {
  if (choice < 0.15) return {}
  if (choice < 0.5) return { share: choice }
  return { share: 0.8, operation: operations[Math.floor((choice - 0.5) * 2 * operations.length)] }
}

const network =
  (fault: NetworkFault): Begin =>
  async ({ stage: { network: both } }, choice) => {
    const before = both.hits
    await both.set(fault, toAim(choice))
    return async () => {
      // A fault that meets no request shows nothing: on a slow machine it waits for one, within limits.
      for (let ms = 0; ms < longestWaitMs && both.hits === before; ms += lookEveryMs) await pause(lookEveryMs)
      await both.set('none')
    }
  }

const shiftClock =
  (direction: 1 | -1): Begin =>
  async ({ server: { control } }, choice) => {
    // From a second to a day, each order of magnitude as likely as the other.
    control.set({ clockShiftMs: direction * Math.round(1_000 * 86_400 ** choice) })
    return async () => control.set({ clockShiftMs: 0 })
  }

/** A daemon that starts wants tickets. */
const withKdc = async (realm: Realm | undefined, start: () => Promise<void>): Promise<void> => {
  const done = await realm?.turn()
  await start().finally(done)
}

type BeginInRealm = (realm: Realm, choice: number) => Promise<End>

/** A fault of Kerberos; meanwhile no daemon starts. */
const kerberos =
  (beginIn: BeginInRealm): Begin =>
  async ({ stage: { realm } }, choice) => {
    if (!realm) throw new TypeError('There is no Kerberos to fail')
    const done = await realm.turn()
    const end = await beginIn(realm, choice)
    return () => end().finally(done)
  }

const shiftKdc =
  (direction: 1 | -1): BeginInRealm =>
  async ({ kdc }, choice) => {
    await kdc.kill()
    // From a minute to an hour.
    await kdc.start({ clockOffsetSeconds: direction * Math.round(60 * 60 ** choice) })
    return async () => {
      await kdc.kill()
      await kdc.start()
    }
  }

/** Takes tokens from Sluice as soon as they are seen, and the one that it has now. */
const keepRevoking = (realm: Realm, most: number): { stop(): Promise<void> } => {
  const { witness } = realm
  const done = new Set([...witness.tokens].slice(0, -1))
  let revoked = 0
  return keepSending(async () => {
    const token = [...witness.tokens].find(one => !done.has(one))
    if (token === undefined || revoked === most) return await pause(lookEveryMs)
    done.add(token)
    // The name node may be away, or the token given back.
    await realm.revoke(token).then(
      () => revoked++,
      () => {},
    )
  })
}

const begin: Readonly<Record<FaultName, Begin>> = {
  'kill -9': async ({ server }, choice) => {
    await server.sluice.kill()
    if (choice < 0.5) await server.startForCertain()
    return () => server.startForCertain()
  },
  SIGSTOP: async ({ server }, choice) => {
    server.sluice.pause()
    return async () => {
      if (choice < 0.3) await server.sluice.kill()
      else server.sluice.resume()
      await server.startForCertain()
    }
  },
  'name node stopped': async ({ stage }) => {
    const { realm } = stage
    const { cluster } = needHdfs(stage)
    await cluster.stopNameNode()
    return () => withKdc(realm, () => cluster.startNameNode())
  },
  'data node stopped': async ({ stage }) => {
    const { realm } = stage
    const { cluster } = needHdfs(stage)
    await cluster.stopDataNode()
    return () => withKdc(realm, () => cluster.startDataNode())
  },
  'safe mode': async ({ stage }) => {
    const { cluster } = needHdfs(stage)
    await setSafeMode(cluster.namenodeUrl, cluster.user, 'enter')
    return () => setSafeMode(cluster.namenodeUrl, cluster.user, 'leave')
  },
  standby: network('standby'),
  'HTTP 500': network('HTTP 500'),
  'HTTP 503': network('HTTP 503'),
  'time-out': network('time-out'),
  'lost reply': network('lost reply'),
  'late request': network('late request'),
  'cut upload': network('cut upload'),
  partition: network('partition'),
  'disk full': async ({ disk, server: { control } }) => {
    if (!disk.isReal) {
      control.set({ fullShare: 1 })
      return async () => control.set({ fullShare: 0 })
    }
    await disk.fill()
    return () => disk.free()
  },
  ENOSPC: async ({ server: { control } }, choice) => {
    control.set({ fullShare: toShare(choice) })
    return async () => control.set({ fullShare: 0 })
  },
  EIO: async ({ server: { control } }, choice) => {
    control.set({ brokenShare: toShare(choice) })
    return async () => control.set({ brokenShare: 0 })
  },
  'clock forwards': shiftClock(1),
  'clock backwards': shiftClock(-1),
  'broker killed': async ({ stage }) => {
    const broker = needBroker(stage)
    await broker.kill()
    return () => broker.start()
  },
  'KDC killed': kerberos(async ({ kdc }) => {
    await kdc.kill()
    return () => kdc.start()
  }),
  'KDC silent': kerberos(async ({ kdc }) => {
    for (const pid of kdc.pids()) process.kill(pid, 'SIGSTOP')
    return async () => {
      for (const pid of kdc.pids()) process.kill(pid, 'SIGCONT')
    }
  }),
  'KDC ahead': kerberos(shiftKdc(1)),
  'KDC behind': kerberos(shiftKdc(-1)),
  'token revoked': kerberos(async (realm, choice) => {
    // Once, or whenever there is another.
    const revoking = keepRevoking(realm, choice < 0.5 ? 1 : Number.POSITIVE_INFINITY)
    return () => revoking.stop()
  }),
  'key changed': kerberos(async realm => {
    await realm.changeKey()
    return () => realm.renewKeytab()
  }),
  'tickets limited': kerberos(async realm => {
    await realm.limitTickets(1)
    return () => realm.limitTickets()
  }),
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
