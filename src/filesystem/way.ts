/**
 * Which way a cluster is spoken to, decided by why the other one failed:
 *
 *     no name node takes calls of its own protocol, for any reason, and WebHDFS answers      all goes by WebHDFS
 *     data nodes want a protection that is not spoken here                                   bytes go by WebHDFS
 *     no data node of a file can be spoken to, and the file goes by WebHDFS                  bytes go by WebHDFS
 *
 * If WebHDFS fails as well the cluster is down, which says nothing of the protocol. The other protocol is retried after
 * a minute, and after twice as long with each failure, up to an hour; all of it when WebHDFS fails in its place as
 * well. Each change is one line in the log.
 */
import { inTime, laterByTimer } from '../runtime/later.ts'
import { isElsewhere, isRefusedProof, remoteOf } from './cluster/remote-exception.ts'
import { hasCode } from './cluster/steps.ts'
import { type FileSystem, FileSystemError } from './filesystem.ts'
import { NoDataNode } from './hdfs/files/no-data-node.ts'
import { SaslError } from './hdfs/tokens/digest-md5.ts'

/** Hears which way a cluster is spoken to, and why. */
export type WayLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

export type WayOptions = {
  readonly native: Pick<FileSystem, 'url' | 'probe'>
  readonly webHdfs: Pick<FileSystem, 'probe'>
  readonly log: WayLog
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
  /** How long name nodes may take to answer before WebHDFS is asked, in ms. @default 5 000 */
  readonly patienceMs?: number
}

/** One of two ways. */
export type WayName = 'native' | 'webHdfs'

/** The way of one cluster, for all on whose behalf it is asked. */
export type Way = {
  /** The way of a call at the name node. */
  forNames(): Promise<WayName>
  /** The way of the bytes of one file, whose outcome {@link Way.moved} or {@link Way.notMoved} hears. */
  forBytes(): Promise<WayName>
  /** Why no file can be kept open, which only the own protocol does, in words; empty where one can, or may. */
  whyNotOpen(): Promise<string>
  /** Hears why a call failed. */
  failed(way: WayName, error: unknown): void
  /** Called when bytes came from data nodes, or went to them. */
  moved(way: WayName): void
  /** True where the other way is worth a try for the same file. */
  notMoved(way: WayName, error: unknown): boolean
  /** The way and why, in words; empty until it was decided. */
  readonly words: string
}

/** How long a way that failed is left: at first, and at most. */
const firstLeaveMs = 60_000
const longestLeaveMs = 3_600_000
/** How often failures of WebHDFS may have it decided again. */
const decideAgainMs = 5_000

export const createWay = (options: WayOptions): Way => {
  const { native, webHdfs, log, now = () => performance.now(), patienceMs = 5_000 } = options
  const names = createLeave(now)
  const bytes = createLeave(now)
  /** Why bytes of a file could not be moved. The next one goes by WebHDFS, and shows whether that is for the way. */
  let suspicion: unknown
  let decided: WayName | undefined
  let deciding: Promise<WayName> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  const teller = createTeller(native.url, log)
  const reasonNow = (): unknown => (decided === 'webHdfs' ? names.reason : bytes.reason)
  const tell = (): void => {
    teller.tell(decided === 'webHdfs' ? 'webHdfs' : reasonNow() === undefined ? 'native' : 'bytes', reasonNow())
  }

  const ask = async (): Promise<WayName> => {
    const refused = await reasonOf(inTime(native.probe(), patienceMs, laterByTimer, toLate))
    if (refused === undefined) names.forget()
    else if ((await reasonOf(webHdfs.probe())) === undefined) names.leave(refused)
    // Neither answers: it stays as it was, and where nothing was decided the next call asks again.
    else return decided ?? 'webHdfs'
    decided = names.reason === undefined ? 'native' : 'webHdfs'
    tell()
    return decided
  }
  const decide = (): Promise<WayName> => {
    if (deciding !== undefined) return deciding
    askedAt = now()
    deciding = ask().finally(() => {
      deciding = undefined
    })
    return deciding
  }
  const mayAskAgain = (): boolean => decided === 'webHdfs' && now() >= askedAt + decideAgainMs
  const forNames = async (): Promise<WayName> => {
    if (decided === undefined) return await decide()
    if (decided === 'webHdfs' && names.isDue()) void decide()
    return decided
  }
  const leaveBytes = (reason: unknown): void => {
    suspicion = undefined
    bytes.leave(reason)
    tell()
  }

  return {
    forNames,
    forBytes: async () =>
      (await forNames()) === 'native' && suspicion === undefined && bytes.isDue() ? 'native' : 'webHdfs',
    whyNotOpen: async () => {
      // There is no other way for these: it is asked more often.
      if (mayAskAgain()) await decide()
      return (await forNames()) === 'webHdfs' || bytes.isLeft() ? teller.words(reasonNow()) : ''
    },
    failed: (way, error) => {
      const isDoubtful = way === 'native' ? isOtherWay(error) : hasCode(error, 'unavailable') && mayAskAgain()
      if (isDoubtful) void decide()
    },
    moved: way => {
      if (way === 'webHdfs') {
        if (suspicion !== undefined) leaveBytes(suspicion)
        return
      }
      if (bytes.reason === undefined) return
      bytes.forget()
      tell()
    },
    notMoved: (way, error) => {
      // What WebHDFS refuses says nothing of data nodes.
      if (way === 'webHdfs' && hasCode(error, 'unavailable')) suspicion = undefined
      if (way === 'webHdfs' || !(error instanceof FileSystemError && error.cause instanceof NoDataNode)) return false
      if (error.cause.cause instanceof SaslError) leaveBytes(error)
      else suspicion = error
      return true
    },
    get words() {
      return teller.words(reasonNow())
    },
  }
}

const sentences: Readonly<Record<string, string>> = {
  native: 'its own protocol',
  webHdfs: 'WebHDFS',
  bytes: 'its own protocol for names, and by WebHDFS for bytes',
}

/** Logs each change of the protocol once. */
const createTeller = (url: string, log: WayLog) => {
  let told = ''
  return {
    tell: (way: string, reason: unknown): void => {
      if (told === way) return
      told = way
      const message = `${url} is spoken to by ${sentences[way]}`
      if (way === 'native') log.info({}, message)
      else log.warn({ err: reason }, message)
    },
    /** What was logged last, and why. */
    words: (reason: unknown): string =>
      told === '' ? '' : `${sentences[told]}${reason instanceof Error ? `: ${reason.message}` : ''}`,
  }
}

/** A way that was left, and until when. */
const createLeave = (now: () => number) => {
  let reason: unknown
  let isTried = false
  let until = Number.NEGATIVE_INFINITY
  let leaveMs = firstLeaveMs
  return {
    /** Why it was left; undefined where it is taken. */
    get reason() {
      return reason
    },
    /** What fails beside the one that tries it was begun before, and does not put it off. */
    leave: (why: unknown): void => {
      if (isTried) leaveMs = Math.min(leaveMs * 2, longestLeaveMs)
      if (isTried || reason === undefined) until = now() + leaveMs
      isTried = false
      reason = why
    },
    /** Whether it is too early to try it. */
    isLeft: (): boolean => now() < until,
    /** Whether it is to be tried: always where it was not left, else once in a while, by one at a time. */
    isDue: (): boolean => {
      if (now() < until) return false
      isTried = reason !== undefined
      if (isTried) until = now() + leaveMs
      return true
    },
    forget: (): void => {
      reason = undefined
      isTried = false
      until = Number.NEGATIVE_INFINITY
      leaveMs = firstLeaveMs
    },
  }
}

const toLate = (ms: number): Error => new Error(`no answer within ${ms} ms`)

const reasonOf = (answer: Promise<void>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Whether name nodes may take calls of WebHDFS instead: they did not answer, are not active, or do not let us in. */
const isOtherWay = (error: unknown): boolean => {
  const remote = remoteOf(error)
  if (remote === undefined) return !(error instanceof FileSystemError) || error.code === 'unavailable'
  if (isElsewhere(error) || isRefusedProof(error)) return true
  return remote.exception === 'AuthorizationException' || /authentication is not enabled/.test(remote.message)
}
