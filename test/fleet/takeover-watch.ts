/**
 * A proxy between each collector and the NameNode that recognizes the calls by which one of them takes over the log of
 * another.
 */
import type { Cluster } from '../../scripts/hdfs/cluster.ts'
import { type HdfsProxy, type Meeting, type Step, startHdfsProxy } from '../interop/hdfs/proxy.ts'
import type { Machine } from './machine.ts'

/** What befalls the taker at one of its calls. */
export const disturbances = [
  'killed before it',
  'killed behind it',
  'killed before it arrives',
  'its answer is lost',
] as const
export type Disturbance = (typeof disturbances)[number]

export type TakeoverWatch = {
  /** For `namenode.url` of a machine. */
  urlFor(number: number): Promise<string>
  /** Resolves when the RENAME by which a log is taken over was answered. */
  begun(id: string): Promise<void>
  /** Has two takers make that RENAME at once; resolves to how many did. */
  together(id: string): Promise<number>
  /** Disturbs a call, the first is 1; resolves to the place of its taker, and never where there is no such call. */
  disturb(id: string, call: number, disturbance: Disturbance, machines: readonly Machine[]): Promise<number>
  close(): Promise<void>
}

/** A second taker may have seen already that it is too late. */
const togetherMs = 6_000

type Call = { readonly number: number; readonly step: Step }
/** What a call of a takeover meets. */
type Meet = (call: Call) => Meeting | Promise<Meeting>

export const createTakeoverWatch = async ({ namenodeUrl }: Pick<Cluster, 'namenodeUrl'>): Promise<TakeoverWatch> => {
  const proxies = new Map<number, HdfsProxy>()
  let taken = ''
  /** Machines that have tried to take it. */
  let takers = new Set<number>()
  let meet: Meet = () => 'passes'

  const isRename = ({ name, bytes, to }: Step): boolean =>
    to === 'name node' && name.startsWith('rename') && bytes.includes(`/_log/${taken}`)
  const isOfTakeover = ({ bytes, to }: Step): boolean =>
    to === 'name node' && (bytes.includes(`/_log/${taken}`) || bytes.includes(`/_tmp/${taken}`))

  const urlFor: TakeoverWatch['urlFor'] = async number => {
    const proxy = await startHdfsProxy({ namenodeUrl, dataNodes: [] })
    proxies.set(number, proxy)
    proxy.meet = step => {
      if (taken === '') return 'passes'
      if (isRename(step)) takers.add(number)
      return takers.has(number) && isOfTakeover(step) ? meet({ number, step }) : 'passes'
    }
    return proxy.namenodeUrl
  }
  const aim = (id: string, next: Meet): void => {
    taken = id
    takers = new Set()
    meet = next
  }

  return {
    urlFor,
    begun: id => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let calls = 0
      // The second call is sent when the first one was answered.
      aim(id, () => {
        if (++calls > 1) resolve()
        return 'passes'
      })
      return promise
    },
    together: id => {
      const { promise, resolve } = Promise.withResolvers<number>()
      aim(id, async ({ step }): Promise<Meeting> => {
        if (!isRename(step)) return 'passes'
        if (takers.size > 1) resolve(takers.size)
        else setTimeout(() => resolve(takers.size), togetherMs).unref()
        await promise
        return 'passes'
      })
      return promise
    },
    disturb: (id, call, disturbance, machines) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      const calls = new Map<number, number>()
      let isDone = false
      aim(id, async ({ number }) => {
        const count = (calls.get(number) ?? 0) + 1
        calls.set(number, count)
        if (isDone || count !== call) return 'passes'
        isDone = true
        const place = machines.findIndex(machine => machine.number === number)
        if (disturbance === 'its answer is lost') {
          resolve(place)
          return 'cut behind'
        }
        const killing = machines[place]?.sluice.kill()
        const meeting = { 'killed before it': 'cut before', 'killed behind it': 'cut behind' } as const
        void killing?.then(() => resolve(place))
        if (disturbance === 'killed before it arrives') return 'held'
        await killing
        return meeting[disturbance]
      })
      return promise
    },
    close: async () => void (await Promise.all([...proxies.values()].map(proxy => proxy.close()))),
  }
}
